// SPDX-License-Identifier: BSD-2-Clause
/*
 * The engine: a peer that does what the script says is F5; a peer that deviates in any one field,
 * message, order or time is not, and the records name what it was.
 */
#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "replay/grade.h"
#include "replay/sim.h"
#include "replay/sockaddr.h"

#define HEAD                                                                                \
	"rdt 1\nrole a active 10.0.0.2\nrole p passive 10.0.0.1\nservice tcp:7174\nunsaid " \
	"template\n"

static const char closed[] = HEAD "+0 a > REQ[private=text:\"hello\"]\n"
				  "+20ms p > REP[private=text:\"welcome\"]\n"
				  "+5ms a > RTU[]\n"
				  "+100ms a > DREQ[]\n"
				  "+30ms p > DREP[]\n";

static struct rp_script *parse(const char *text)
{
	struct rp_error error;
	struct rp_script *script = rp_script_parse("t.rdt", text, strlen(text), &error);

	cr_assert(script, "%u:%u: %s\n%s", error.pos.line, error.pos.col, error.what, text);
	return script;
}

/* A deviation of the wire: which message, and what becomes of it. */
struct fault {
	unsigned number; /* from 0, over both directions */
	unsigned at;     /* messages that have passed */
	size_t byte;     /* of the frame; 0: none is changed */
	uint8_t bits;
	bool lose;
	unsigned copies;
	int64_t delay_ns;
	bool hit;
	struct rp_msg msg;
};

static bool pass(void *user, struct rp_item *item, int64_t *ret_delay_ns, unsigned *ret_copies)
{
	struct fault *f = user;

	if (f->at++ != f->number)
		return true;
	f->hit = true;
	f->msg = item->msg;
	if (f->byte && f->byte < item->len) {
		item->bytes[f->byte] ^= f->bits;
		rp_item_seal(item);
		if (!rp_item_know(item))
			item->msg = (struct rp_msg){ RP_PACKET, 0xff };
	}
	if (f->copies)
		*ret_copies = f->copies;
	*ret_delay_ns += f->delay_ns;
	return !f->lose;
}

/* Plays role with that fault; the grade is the caller's to clear. */
static struct rp_player *run(const char *text, const char *peer_text, unsigned role,
			     struct fault *fault, struct rp_grade *grade)
{
	const struct rp_play_opts opts = { .played = 1u << role,
					   .speed = 1,
					   .timeout_ns = 5000000000,
					   .first_timeout_ns = 5000000000,
					   .max_msgs = 1000 };
	struct rp_sim_wire wire = { .user = fault, .pass = pass };
	struct rp_script *script = parse(text), *peer = parse(peer_text);
	struct rp_player *p = rp_sim_run(script, peer, &opts, 7, false, fault ? &wire : NULL);

	rp_grade(p, "sim", grade);
	/* The player refers to the script: both live as long as the test. */
	(void)peer;
	return p;
}

static enum rp_level level_of(const char *text, const char *peer, unsigned role, struct fault *f)
{
	struct rp_grade grade;
	struct rp_player *p = run(text, peer, role, f, &grade);
	const enum rp_level level = grade.level;

	rp_grade_clear(&grade);
	rp_player_free(p);
	return level;
}

Test(replay, a_peer_that_follows_the_script_is_F5)
{
	static const char *const scripts[] = {
		closed,
		HEAD "a > REQ[]\np > REJ[reason=28, private=text:\"no\"]\n",
		HEAD
		"a > REQ[]\n+6s a > REQ[]\n+5ms p > MRA[msg_mraed=0]\n+4s p > REP[]\na > RTU[]\n"
		"p > DREQ[]\na > DREP[]\n",
		HEAD "3x a > REQ[]\np > REJ[reason=8]\n",
		HEAD "a > REQ[] dup x2\np > REP[]\na > RTU[]\n",
		HEAD "a > REQ[] corrupt icrc\n+1s a > REQ[]\np > REP[]\na > RTU[]\n",
		HEAD "a > REQ[]\n+20ms p > REP[] corrupt icrc\n+5ms a > RTU[]\n+10ms a > DREQ[]\n"
		     "p > DREP[]\n",
		HEAD "a > REQ[] corrupt icrc\n+20ms p > REP[]\n+5ms a > RTU[]\n",
		HEAD "a > REQ[] truncate 90\n+500ms a > REQ[]\n+20ms p > REP[] truncate 100\n"
		     "+5ms p > REP[]\n+5ms a > RTU[] truncate 5\n+5ms a > RTU[]\n",
		/* The id in it is cut in half, and not learned. */
		HEAD "a > REQ[]\np > REP[] truncate 50\n+20ms p > REP[]\n+5ms a > RTU[]\n",
		HEAD "a > REQ[]\np > REP[] truncate 40\n+20ms p > REP[]\n+5ms a > RTU[]\n",
		HEAD "a > REQ[]\n+10ms 3x p > REP[] truncate 9\n+20ms p > REP[]\n+5ms a > RTU[]\n"
		     "@100ms a > DREQ[] truncate 10\n+20ms a > DREQ[]\np > DREP[]\n",
		HEAD "a > REQ[] drop\n+1s a > REQ[]\np > REP[]\na > RTU[]\n",
		HEAD "a > SIDR_REQ[private=text:\"x\"]\np > SIDR_REP[]\n",
		HEAD "a > REQ[]\n? p > MRA[msg_mraed=0]\np > REP[]\na > RTU[]\n",
		HEAD
		"a > REQ[]\nany { p > REP[] => up\np > REJ[] => no }\nlabel up:\na > RTU[]\nend\n"
		"label no:\nend\n",
		HEAD "memory a m 64\na > REQ[]\np > REP[]\na > RTU[]\n"
		     "a fill m text:\"rdma-ping-0\"\na > SEND[payload=be64:$m.va be32:$m.rkey]\n"
		     "p > READ[va=$m.va, rkey=$m.rkey, dma_len=11, reply=text:\"rdma-ping-0\"]\n"
		     "p > WRITE[va=$m.va+8, rkey=$m.rkey, payload=hex:0102]\n"
		     "p > FETCH_ADD[va=$m.va+16, rkey=$m.rkey, swap_add=3, reply=zero:8]\n"
		     "p > CMP_SWAP[va=$m.va+16, rkey=$m.rkey, compare=3, swap_add=9, "
		     "reply=hex:0000000000000003]\n"
		     "p > READ[va=0, rkey=1, dma_len=1] fails\n",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++) {
		for (unsigned role = 0; role < RP_ROLES; role++) {
			struct rp_grade grade;
			struct rp_player *p = run(scripts[i], scripts[i], role, NULL, &grade);

			cr_expect_eq(grade.level, RP_F5, "role %u level %d: %s %s %s %s %s; %s\n%s",
				     role, grade.level, grade.held[1], grade.held[2], grade.held[3],
				     grade.held[4], grade.held[5], p->why, scripts[i]);
			cr_expect(grade.timing, "%s", scripts[i]);
			rp_grade_clear(&grade);
			rp_player_free(p);
		}
	}
}

/*
 * Bits that a peer may choose in each run: named by identity.def. They are found by the offsets of
 * the CM messages (IBTA Vol 1, 12.6), not by the code under test.
 */
struct run_of_bytes {
	unsigned begin, end; /* of the MAD, end exclusive */
};

static bool is_free(uint8_t msg, unsigned byte)
{
	/* TID; communication ids and what each message names besides */
	static const struct run_of_bytes tid = { 8, 16 };
	static const struct {
		uint8_t msg;
		struct run_of_bytes run;
	} rows[] = {
		{ RDT_MSG_REQ, { 24, 28 } }, { RDT_MSG_REQ, { 40, 48 } },
		{ RDT_MSG_REQ, { 56, 59 } }, { RDT_MSG_REQ, { 68, 71 } },
		{ RDT_MSG_REP, { 24, 28 } }, { RDT_MSG_REP, { 36, 39 } },
		{ RDT_MSG_REP, { 44, 47 } }, { RDT_MSG_REP, { 52, 60 } },
	};

	if (byte >= tid.begin && byte < tid.end && msg != RDT_MSG_REP && msg != RDT_MSG_RTU)
		return true;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (rows[i].msg == msg && byte >= rows[i].run.begin && byte < rows[i].run.end)
			return true;
	}
	return false;
}

/* Ethernet, IPv4, UDP, BTH, DETH come before the MAD. */
#define MAD_AT (14 + 20 + 8 + 12 + 8)

Test(replay, every_bit_of_every_message_counts, .timeout = 300)
{
	unsigned walked = 0, freed = 0;

	for (unsigned role = 0; role < RP_ROLES; role++) {
		for (unsigned number = 0; number < 5; number++) {
			/* Those that the peer sends. */
			const bool from_a = number == 0 || number == 2 || number == 3;

			if (from_a == (role == RDT_ACTIVE))
				continue;
			for (unsigned byte = 0; byte < 256; byte++) {
				for (unsigned bit = 0; bit < 8; bit += byte < 60 ? 1 : 7) {
					struct fault f = { .number = number,
							   .byte = MAD_AT + byte,
							   .bits = (uint8_t)(1u << bit) };
					struct rp_grade grade;
					struct rp_player *p = run(closed, closed, role, &f, &grade);

					cr_assert(f.hit);
					walked++;
					if (is_free(f.msg.code, byte)) {
						freed++;
					} else {
						cr_expect_lt(grade.level, RP_F5,
							     "message %u byte %u bit %u", number,
							     byte, bit);
						cr_expect(grade.held[RP_F4] || grade.held[RP_F3] ||
								  grade.held[RP_F5],
							  "message %u byte %u: not named", number,
							  byte);
					}
					rp_grade_clear(&grade);
					rp_player_free(p);
				}
			}
		}
	}
	cr_expect_gt(walked, 2000);
	cr_expect_lt(freed, walked / 4);
}

Test(replay, a_message_lost_doubled_or_late_is_told)
{
	for (unsigned role = 0; role < RP_ROLES; role++) {
		for (unsigned number = 0; number < 5; number++) {
			const bool from_a = number == 0 || number == 2 || number == 3;
			struct fault lost = { .number = number, .lose = true };
			struct fault twice = { .number = number, .copies = 2 };
			struct fault late = { .number = number, .delay_ns = 60000000 };
			struct rp_grade grade;
			struct rp_player *p;

			if (from_a == (role == RDT_ACTIVE))
				continue;
			cr_expect_lt(level_of(closed, closed, role, &lost), RP_F3, "lost %u",
				     number);
			/* The last one may arrive when nobody listens any more. */
			if (number < 4)
				cr_expect_lt(level_of(closed, closed, role, &twice), RP_F3,
					     "twice %u", number);
			p = run(closed, closed, role, &late, &grade);
			if (number)
				cr_expect_not(grade.timing, "late %u", number);
			rp_grade_clear(&grade);
			rp_player_free(p);
		}
	}
}

Test(replay, another_order_an_extra_or_another_message_is_told)
{
	static const char crossed[] =
		HEAD "a > REQ[]\np > MRA[msg_mraed=0]\np > REP[]\na > RTU[]\n";
	static const char other[] = HEAD "a > REQ[]\np > REP[]\np > MRA[msg_mraed=0]\na > RTU[]\n";
	static const char rej[] = HEAD "a > REQ[]\np > REJ[reason=8]\n";
	static const char mra[] = HEAD "+0 a > REQ[private=text:\"hello\"]\n"
				       "+5ms p > MRA[msg_mraed=0]\n"
				       "+15ms p > REP[private=text:\"welcome\"]\n"
				       "+5ms a > RTU[]\n+100ms a > DREQ[]\n+30ms p > DREP[]\n";
	struct rp_grade grade;
	struct rp_player *p;

	cr_expect_eq(level_of(crossed, crossed, RDT_ACTIVE, NULL), RP_F5);
	cr_expect_lt(level_of(crossed, other, RDT_ACTIVE, NULL), RP_F3);
	cr_expect_lt(level_of(closed, mra, RDT_ACTIVE, NULL), RP_F3);
	p = run(closed, rej, RDT_ACTIVE, NULL, &grade);
	cr_expect_eq(grade.level, RP_F0);
	cr_expect_eq(p->state, RP_FAILED);
	cr_expect_str_eq(p->why, "p sent REJ where REP was expected");
	cr_expect_str_eq(grade.outcome_got, "rejected (invalid-service-id)");
	rp_grade_clear(&grade);
	rp_player_free(p);
	/* Another reason is another outcome. */
	cr_expect_eq(level_of(rej, HEAD "a > REQ[]\np > REJ[reason=28]\n", RDT_ACTIVE, NULL),
		     RP_F0);
}

Test(replay, what_is_damaged_is_no_answer)
{
	static const char waits[] =
		HEAD "a > REQ[]\nany {\np > REP[] => up\ntimeout 1s => none\n}\n"
		     "label up:\na > RTU[]\nlabel none:\nend\n";
	static const char wants_bad[] =
		HEAD "a > REQ[]\nany {\np > REP[] corrupt icrc => bad\ntimeout 1s => none\n}\n"
		     "label bad:\n+1ms a > RTU[]\nlabel none:\nend\n";
	static const char bad[] = HEAD "a > REQ[]\np > REP[] corrupt icrc\n";
	static const char cut[] = HEAD "a > REQ[]\np > REP[] truncate 100\n";
	static const char good[] = HEAD "a > REQ[]\np > REP[]\n";

	cr_expect(level_of(waits, bad, 0, NULL) < RP_F3);
	cr_expect(level_of(waits, cut, 0, NULL) < RP_F3);
	cr_expect(level_of(waits, good, 0, NULL) >= RP_F3);
	cr_expect(level_of(wants_bad, good, 0, NULL) < RP_F3);
	cr_expect(level_of(wants_bad, bad, 0, NULL) >= RP_F3);
}

Test(replay, what_a_script_does_not_say_is_not_compared)
{
	static const char loose[] = "rdt 1\nservice tcp:7174\na > REQ[]\np > REP[]\na > RTU[]\n";
	static const char peer[] = "rdt 1\nservice tcp:7174\na > REQ[]\n"
				   "p > REP[responder_resources=7, srq=yes]\na > RTU[]\n";

	cr_expect_eq(level_of(loose, peer, RDT_ACTIVE, NULL), RP_F4);
	cr_expect_eq(level_of("rdt 1\nservice tcp:7174\na > REQ[]\np > REP[srq=no]\na > RTU[]\n",
			      peer, RDT_ACTIVE, NULL),
		     RP_F3);
	cr_expect_eq(level_of("rdt 1\nservice tcp:7174\na > REQ[]\n"
			      "p > REP[responder_resources=5..9]\na > RTU[]\n",
			      peer, RDT_ACTIVE, NULL),
		     RP_F4);
}

Test(replay, limits_end_a_run)
{
	struct rp_grade grade;
	struct rp_player *p = run("rdt 1\nlabel x:\ngoto x\n", closed, RDT_ACTIVE, NULL, &grade);

	cr_expect_eq(p->state, RP_FAILED);
	rp_grade_clear(&grade);
	rp_player_free(p);
	p = run("rdt 1\nservice tcp:1\nlabel x:\na > RTU[]\ngoto x\n", "rdt 1\n", RDT_ACTIVE, NULL,
		&grade);
	cr_expect_eq(p->state, RP_FAILED);
	cr_expect_eq(p->sent, 1000);
	rp_grade_clear(&grade);
	rp_player_free(p);
}

/* iWARP: what the segments carry is compared, over IPv4 and IPv6. */
Test(replay, iwarp_over_ipv4_and_ipv6)
{
	static const char form[] =
		"rdt 1\nrole a active %s\nrole p passive %s\ntransport iwarp\nservice tcp:7471\n"
		"unsaid template\n"
		"a tcp connect\na > MPA_REQ[private=text:\"hello\"]\np > "
		"MPA_REP[private=text:\"ok\"]\n";
	static const char *const addrs[][2] = { { "10.0.0.2", "10.0.0.1" },
						{ "fd00::2", "fd00::1" } };

	for (unsigned i = 0; i < 2; i++) {
		g_autofree char *text = g_strdup_printf(form, addrs[i][0], addrs[i][1]);
		/* The private data of the answer. */
		const size_t payload = i ? 14 + 40 + 20 : 14 + 20 + 20;
		struct fault changed = { .number = 2, .byte = payload + 20, .bits = 1 };
		struct rp_grade grade;
		struct rp_player *p = run(text, text, RDT_ACTIVE, NULL, &grade);

		cr_expect_eq(grade.level, RP_F5, "%s: F%u", addrs[i][0], grade.level);
		rp_grade_clear(&grade);
		rp_player_free(p);
		p = run(text, text, RDT_ACTIVE, &changed, &grade);
		cr_expect(changed.hit);
		cr_expect_neq(grade.level, RP_F5);
		rp_grade_clear(&grade);
		rp_player_free(p);
	}
}

/* A frame of any length: what is not there is not read. */
Test(item, every_length)
{
	static const uint16_t types[] = { 0x0800, 0x86dd, 0 };

	for (size_t len = 1; len < 120; len++) {
		for (unsigned t = 0; t < 6; t++) {
			struct rp_item *item = rp_item_new(RDT_ACTIVE, 0);
			const bool is_tcp = t & 1;
			const size_t protocol = types[t / 2] == 0x0800 ? 14 + 9 : 14 + 6;
			const size_t udp = 14 + (types[t / 2] == 0x0800 ? 20 : 40), tcp = udp + 20;
			const uint8_t *at;
			size_t got;

			item->bytes = g_malloc0(len);
			item->len = len;
			if (len >= 14) {
				item->bytes[12] = (uint8_t)(types[t / 2] >> 8);
				item->bytes[13] = (uint8_t)types[t / 2];
			}
			if (len > protocol)
				item->bytes[protocol] = is_tcp ? 6 : 17;
			at = rp_item_bth(item, &got);
			cr_expect_eq(at != NULL, !is_tcp && len >= udp + 8 + 12);
			cr_expect(!at || (at == item->bytes + udp + 8 && got == len - udp - 8));
			at = rp_item_tcp_payload(item, &got);
			cr_expect_eq(at != NULL, is_tcp && len >= tcp);
			cr_expect(!at || (at == item->bytes + tcp && got == len - tcp));
			rp_item_seal(item);
			rp_item_know(item);
			rp_item_free(item);
		}
	}
}

static bool note_guids(void *user, struct rp_item *item, int64_t *ret_delay_ns,
		       unsigned *ret_copies)
{
	/* From the BTH on: 12 BTH, 8 DETH, 24 MAD header. The GUID is at 16 of a REQ; a REJ has at 9 the
	 * length of its ARI, seven bits, and the ARI at 12. */
	uint8_t(*seen)[9] = user;
	size_t len;
	const uint8_t *bth = rp_item_bth(item, &len);
	const uint8_t *cm = bth + 12 + 8 + 24;

	(void)ret_delay_ns;
	(void)ret_copies;
	if (item->msg.code == RDT_MSG_REQ)
		memcpy(seen[0] + 1, cm + 16, 8);
	if (item->msg.code == RDT_MSG_REJ) {
		seen[1][0] = cm[9] >> 1;
		memcpy(seen[1] + 1, cm + 12, 8);
	}
	return true;
}

/* Who gives up says its CA GUID: the kernel finds the connection by nothing else. */
Test(replay, giving_up_names_the_guid)
{
	static const char *const texts[] = { HEAD "a > REQ[]\na > REJ[reason=timeout]\n",
					     HEAD "a > REQ[]\na > REJ[]\n" };

	for (unsigned i = 0; i < 2; i++) {
		const struct rp_play_opts opts = { .played = 1, .speed = 1, .max_msgs = 10 };
		uint8_t seen[2][9] = { { 8 } };
		const struct rp_sim_wire wire = { .user = seen, .pass = note_guids };
		struct rp_script *script = parse(texts[i]);
		struct rp_player *p = rp_sim_run(script, script, &opts, 7, false, &wire);
		static const uint8_t none[9];

		cr_expect_arr_neq(seen[0] + 1, none, 8);
		cr_expect_arr_eq(seen[1], i ? none : seen[0], 9);
		rp_player_free(p);
		rp_script_free(script);
	}
}

/* What never leaves was not sent; what holds it may stand in an any. */
Test(replay, hold)
{
	static const char never[] =
		HEAD "a > REQ[]\np > REP[]\na > RTU[]\na > DREQ[] hold until p > LAP\n";
	static const char any[] = HEAD "a > REQ[]\np > REP[]\na > RTU[] hold until a > MRA\n"
				       "any { a > MRA[] }\n+500ms a > DREQ[]\np > DREP[]\n";
	static const char after[] = HEAD "a > REQ[]\np > REP[]\na > MRA[]\na > RTU[]\n"
					 "a > DREQ[]\np > DREP[]\n";
	struct rp_grade grade;
	struct rp_player *p = run(never, never, RDT_ACTIVE, NULL, &grade);

	cr_expect_eq(p->state, RP_FAILED);
	cr_expect_lt(grade.level, RP_F1, "F%u", grade.level);
	rp_grade_clear(&grade);
	rp_player_free(p);
	/* The peer waits for the RTU after the MRA: it ends well when both come. */
	p = run(after, any, RDT_PASSIVE, NULL, &grade);
	cr_expect_eq(p->state, RP_PLAYED, "%s", p->why);
	cr_expect_geq(grade.level, RP_F3, "F%u", grade.level);
	rp_grade_clear(&grade);
	rp_player_free(p);
}

/* An any of the played role is sent when it is due; one of its program's events is waited for. */
Test(replay, any_of_the_played_role)
{
	static const char late[] = HEAD "a > REQ[]\n+2s any { a > MRA[] }\n";
	static const char event[] =
		HEAD "a > REQ[]\np > REP[]\nany { p event ESTABLISHED => up\ntimeout 1s => no }\n"
		     "label up:\np > DREQ[]\nend\nlabel no:\nend\n";
	static const char peer[] = HEAD "a > REQ[]\np > REP[]\na > RTU[]\np > DREQ[]\n";
	const struct rp_rec *rec;
	struct rp_grade grade;
	struct rp_player *p = run(late, late, RDT_ACTIVE, NULL, &grade);

	cr_assert_eq(p->recs->len, 2);
	rec = p->recs->pdata[1];
	cr_expect_eq(rec->ns - ((const struct rp_rec *)p->recs->pdata[0])->ns, 2000000000);
	rp_grade_clear(&grade);
	rp_player_free(p);
	p = run(event, peer, RDT_PASSIVE, NULL, &grade);
	rec = p->recs->pdata[p->recs->len - 1];
	cr_expect_eq(rec->kind, RP_REC_SENT);
	cr_expect_eq(rec->got->msg.code, RDT_MSG_DREQ);
	rp_grade_clear(&grade);
	rp_player_free(p);
}

/* Only the peer of the command line is spoken to: the check that all backends share. */
Test(sockaddr, only_the_host_counts)
{
	static const char *const texts[] = { "127.0.0.1", "127.0.0.2", "fd00::1", "fd00::2" };
	struct sockaddr_storage ss;
	struct rdt_addr addr[4];

	for (unsigned i = 0; i < 4; i++)
		cr_assert_eq(rdt_addr_parse(texts[i], strlen(texts[i]), &addr[i]), RDT_OK);
	for (unsigned i = 0; i < 4; i++) {
		cr_expect_gt(rp_sockaddr(&addr[i], (uint16_t)(4791 + i), NULL, &ss), 0);
		cr_expect_eq(rp_sockaddr_port((void *)&ss), 4791 + i);
		for (unsigned k = 0; k < 4; k++)
			cr_expect_eq(rp_sockaddr_is((void *)&ss, &addr[k]), i == k, "%s, %s",
				     texts[i], texts[k]);
	}
}
