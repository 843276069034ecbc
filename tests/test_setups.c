// SPDX-License-Identifier: BSD-2-Clause
/*
 * Exchanges of QPs over TCP: what the programs printed about themselves against what the tracker
 * read from the wire, and their texts typed by hand.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rdmatrace/setup.h"
#include "support/tracked.h"

#define MOST 64

/* ---- what programs printed ------------------------------------------------------------------ */

struct printed {
	unsigned qpn, psn, rkey;
	unsigned long long vaddr;
};

struct log {
	struct printed local[MOST], remote[MOST];
	size_t locals, remotes;
};

static void read_line(const char *line, struct printed *p)
{
	const char *key = strstr(line, "RKey"), *vaddr = strstr(line, "VAddr");

	*p = (struct printed){ .qpn = 0 };
	cr_assert_eq(sscanf(strstr(line, "QPN"), "QPN %x", &p->qpn), 1, "%s", line);
	cr_assert_eq(sscanf(strstr(line, "PSN"), "PSN %x", &p->psn), 1, "%s", line);
	if (key)
		cr_assert_eq(sscanf(key, "RKey %x", &p->rkey), 1, "%s", line);
	if (vaddr)
		cr_assert_eq(sscanf(vaddr, "VAddr %llx", &p->vaddr), 1, "%s", line);
}

/* All QPs that the client told and heard of over TCP; those by rdma_cm are left out. */
static void read_log(const char *name, struct log *log)
{
	char path[512], line[512];
	bool by_cm = false;
	FILE *file;

	*log = (struct log){ .locals = 0 };
	snprintf(path, sizeof(path), "%s/%s.client.log", RDT_CAPTURES, name);
	file = fopen(path, "r");
	cr_assert(file, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (strstr(line, "rdma_cm QPs"))
			by_cm = strstr(line, "ON") != NULL;
		if (by_cm || !strstr(line, "QPN"))
			continue;
		if (strstr(line, "local address:") && log->locals < MOST)
			read_line(line, &log->local[log->locals++]);
		if (strstr(line, "remote address:") && log->remotes < MOST)
			read_line(line, &log->remote[log->remotes++]);
	}
	fclose(file);
	cr_assert_eq(log->locals, log->remotes, "%s", name);
}

static void check_side(const char *name, const struct rdt_conn *c, const struct rdt_exchange *x,
		       enum rdt_side side, const struct printed *want)
{
	const struct rdt_end *e = &c->end[side];

	cr_expect_eq(e->qpn, want->qpn, "%s %u: QPN", name, c->n);
	cr_expect_eq(e->psn, want->psn, "%s %u: PSN", name, c->n);
	if (want->rkey) {
		cr_expect_eq(x->told[side].rkey, want->rkey, "%s %u: rkey", name, c->n);
		cr_expect_eq(x->told[side].vaddr, want->vaddr, "%s %u: address", name, c->n);
	}
	if (e->data.first_frame)
		cr_expect_eq(e->data.first_psn, want->psn, "%s %u: first PSN", name, c->n);
}

/* Returns how many connections of a capture were checked. */
static size_t check_capture(const char *name)
{
	struct tracked t;
	struct log log;
	size_t at = 0;

	read_log(name, &log);
	if (!log.locals)
		return 0;
	tracked_file(&t, name);
	for (uint32_t i = 0; i < rdt_tracker_conn_count(t.tracker); i++) {
		const struct rdt_conn *c = rdt_tracker_conn(t.tracker, i);
		const struct rdt_exchange *x = c ? rdt_tracker_exchange(t.tracker, c) : NULL;

		cr_expect(!c || c->kind != RDT_CONN_DATA, "%s: a QP without its exchange", name);
		if (!x)
			continue;
		cr_assert_lt(at, log.locals, "%s: more exchanges than programs", name);
		check_side(name, c, x, RDT_ACTIVE, &log.local[at]);
		check_side(name, c, x, RDT_PASSIVE, &log.remote[at]);
		cr_expect(c->established, "%s %u", name, c->n);
		cr_expect_neq(c->service, RDT_CONN_SERVICE_UNKNOWN, "%s %u", name, c->n);
		cr_expect(!x->told[0].other_rkey_frame && !x->told[1].other_rkey_frame);
		cr_expect(!x->told[0].addr_differs && !x->told[1].addr_differs);
		cr_expect_eq(rdt_exchange_gids(x), RDT_GIDS_FINE);
		at++;
	}
	cr_expect_eq(at, log.locals, "%s: %zu exchanges, want %zu", name, at, log.locals);
	tracked_free(&t);
	return at;
}

Test(setups, are_what_the_programs_printed)
{
	struct dirent *entry;
	size_t checked = 0;
	DIR *folder = opendir(RDT_CAPTURES);

	cr_assert(folder);
	while ((entry = readdir(folder))) {
		char *dot = strstr(entry->d_name, ".client.log");

		if (!dot)
			continue;
		*dot = '\0';
		checked += check_capture(entry->d_name);
	}
	closedir(folder);
	cr_expect_geq(checked, 7);
}

/* ---- texts ---------------------------------------------------------------------------------- */

#define KEY "0001:0010:000012:abcdef:00001234:00007f0012345678"
#define GID_PAIRS "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:02"

static const struct {
	const char *text;
	enum rdt_exchange_format format;
} texts[] = {
	{ "0001:000012:abcdef:00000000000000000000ffff0a000002", RDT_EXCHANGE_PINGPONG },
	{ "0001:000012:abcdef", RDT_EXCHANGE_PINGPONG_OLD },
	{ "0001:000013:000012:abcdef:000007:00000000000000000000ffff0a000002",
	  RDT_EXCHANGE_XSRQ_PINGPONG },
	{ KEY, RDT_EXCHANGE_PERFTEST_2013 },
	{ KEY ":" GID_PAIRS, RDT_EXCHANGE_PERFTEST_2013_GID },
	{ KEY ":00000007", RDT_EXCHANGE_PERFTEST },
	{ KEY ":" GID_PAIRS ":00000007:", RDT_EXCHANGE_PERFTEST_GID },
	{ KEY ":0000000000000009:00000007", RDT_EXCHANGE_PERFTEST_DV },
	{ KEY ":0000000000000009:" GID_PAIRS ":00000007:", RDT_EXCHANGE_PERFTEST_DV_GID },
};

Test(exchange, each_format_is_known_and_its_beginning_waits)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const size_t len = strlen(texts[i].text) + 1;
		struct rdt_exchange_text t = { .format = 99 };
		char bytes[RDT_EXCHANGE_MAX + 1];

		memcpy(bytes, texts[i].text, len);
		for (size_t n = 0; n < len; n++)
			cr_expect_eq(rdt_exchange_parse((uint8_t *)bytes, n, &t), RDT_FIT_MORE,
				     "%s: %zu", bytes, n);
		cr_assert_eq(rdt_exchange_parse((uint8_t *)bytes, len, &t), RDT_FIT_YES, "%s",
			     bytes);
		cr_expect_eq(t.format, texts[i].format, "%s", bytes);
		cr_expect_eq(rdt_exchange_len((enum rdt_exchange_format)t.format), len);
		cr_expect_eq(t.lid, 1);
		cr_expect_eq(t.qpn, 0x12);
		cr_expect_eq(t.psn, 0xabcdef);
		if (rdt_exchange_has(&t, RDT_TELLS_RKEY)) {
			cr_expect_eq(t.rkey, 0x1234);
			cr_expect_eq(t.vaddr, 0x7f0012345678);
			cr_expect_eq(t.out_reads, 0x10);
		}
		if (rdt_exchange_has(&t, RDT_TELLS_GID)) {
			cr_expect_eq(t.gid[10], 0xff);
			cr_expect_eq(t.gid[12], 10);
			cr_expect_eq(t.gid[15], 2);
		}
		if (rdt_exchange_has(&t, RDT_TELLS_SRQN))
			cr_expect_eq(t.srqn, 7);
		/* Any other byte in place of a digit or colon, and it is none. */
		for (size_t n = 0; n < len; n++) {
			const char was = bytes[n];

			bytes[n] = 'Z';
			cr_expect_eq(rdt_exchange_parse((uint8_t *)bytes, len, &t), RDT_FIT_NO);
			bytes[n] = was;
		}
	}
}

Test(exchange, versions_and_done)
{
	uint8_t version[RDT_PERFTEST_VERSION] = "6.06", other[RDT_PERFTEST_VERSION] = "6.0x";
	uint8_t full[RDT_PERFTEST_VERSION] = "1234567890.12345";
	size_t len = 0;

	cr_expect_eq(rdt_exchange_version(version, 3), RDT_FIT_MORE);
	cr_expect_eq(rdt_exchange_version(version, sizeof(version)), RDT_FIT_YES);
	cr_expect_eq(rdt_exchange_version(other, sizeof(other)), RDT_FIT_NO);
	cr_expect_eq(rdt_exchange_version(full, sizeof(full)), RDT_FIT_NO);
	cr_expect_eq(rdt_exchange_done((const uint8_t *)"done", 4, &len), RDT_FIT_MORE);
	cr_expect_eq(rdt_exchange_done((const uint8_t *)"done\0x", 6, &len), RDT_FIT_YES);
	cr_expect_eq(len, 5);
	cr_expect_eq(rdt_exchange_done((const uint8_t *)"dona", 4, &len), RDT_FIT_NO);
}
