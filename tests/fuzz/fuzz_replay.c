// SPDX-License-Identifier: BSD-2-Clause
/*
 * The engine under a hostile peer. Input: bytes that say what happens to the messages on their way
 * (changed, lost, doubled, late), and bytes of frames that the peer makes up, after a first byte that
 * chooses the script and the role.
 *
 * Properties: the run ends; no message is counted twice; a level is reached only with all below it;
 * a run in which a message was changed and arrived is never F5 unless the change was to what is free;
 * memory is bounded (the sanitizers and -rss_limit see to it).
 */
#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/grade.h"
#include "replay/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD                                                                                \
	"rdt 1\nrole a active 10.0.0.2\nrole p passive 10.0.0.1\nservice tcp:7174\nunsaid " \
	"template\n"

static const char plain[] =
	HEAD "a > REQ[private=text:\"hello\"]\n+20ms p > REP[]\n+5ms a > RTU[]\n+1ms a > DREQ[]\n"
	     "p > DREP[]\n";
static const char either[] =
	HEAD "a > REQ[]\nany { p > REP[] => up\np > REJ[] => no\ntimeout 1s => no }\nlabel up:\n"
	     "a > RTU[]\n? p > DREQ[]\nend\nlabel no:\nend\n";
static const char ops[] = HEAD "memory a m 64\na > REQ[]\np > REP[]\na > RTU[]\n"
			       "a > SEND[payload=be64:$m.va be32:$m.rkey]\n"
			       "p > READ[va=$m.va, rkey=$m.rkey, dma_len=64]\n"
			       "p > WRITE[va=$m.va, rkey=$m.rkey, payload=hex:01]\n";
static const char anything[] = "rdt 1\nservice tcp:1\na > REQ[]\n...\np > REP[]\n+1s ...\na > "
			       "RTU[] dup x2\n3x p > DREQ[]\n";
static const char *const scripts[] = { plain, either, ops, anything };

struct wire {
	const uint8_t *data;
	size_t size;
	bool touched;
};

static uint8_t take(struct wire *w)
{
	if (!w->size)
		return 0;
	w->size--;
	return *w->data++;
}

static bool pass(void *user, struct rp_item *item, int64_t *ret_delay_ns, unsigned *ret_copies)
{
	struct wire *w = user;
	const uint8_t what = take(w);
	size_t n;

	switch (what & 7) {
	case 1: /* bytes are changed, the ICRC is right */
		n = (size_t)(what >> 3) + 1;
		for (size_t i = 0; item->bytes && i < n; i++) {
			const size_t at = (size_t)take(w) << 8 | take(w);

			item->bytes[at % item->len] ^= take(w);
		}
		if (item->bytes && !rp_item_know(item))
			item->msg = (struct rp_msg){ RP_PACKET, RDT_OP_CNP };
		w->touched = true;
		break;
	case 2:
		w->touched = true;
		return false;
	case 3:
		*ret_copies = 2 + (what >> 4);
		w->touched = true;
		break;
	case 4:
		*ret_delay_ns += (int64_t)take(w) * 100000000;
		break;
	case 5: /* cut */
		if (item->bytes) {
			item->len = take(w) % item->len + 1;
			if (!rp_item_know(item))
				item->msg = (struct rp_msg){ RP_PACKET, RDT_OP_CNP };
			w->touched = true;
		}
		break;
	case 6: /* any operation */
		if (item->msg.family == RP_OP) {
			item->op.kind = item->msg.code = take(w) % RP_OP_COUNT;
			for (size_t i = 0; i < sizeof(item->op.reth); i++)
				item->op.reth[i] ^= take(w);
			w->touched = true;
		}
		break;
	default:
		break;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire w = { .data = data, .size = size };
	const uint8_t choice = take(&w);
	const char *text = scripts[choice % G_N_ELEMENTS(scripts)];
	const struct rp_play_opts opts = { .played = 1u << (choice >> 7),
					   .speed = 1,
					   .timeout_ns = 1000000000,
					   .first_timeout_ns = 1000000000,
					   .max_msgs = 200 };
	const struct rp_sim_wire wire = { .user = &w, .pass = pass };
	struct rp_error error;
	struct rp_script *script = rp_script_parse("", text, strlen(text), &error);
	struct rp_player *p;
	struct rp_grade grade;

	if (!script)
		abort();
	p = rp_sim_run(script, script, &opts, 1 + choice, false, &wire);
	if (p->state == RP_PLAYING)
		abort();
	rp_grade(p, "sim", &grade);
	for (unsigned i = RP_F1; i <= (unsigned)grade.level; i++) {
		if (grade.held[i])
			abort();
	}
	if (grade.level < RP_F5 && !grade.held[grade.level + 1])
		abort();
	if (!w.touched && choice % G_N_ELEMENTS(scripts) == 0 && grade.level != RP_F5 &&
	    !grade.gaps_late && p->state == RP_PLAYED && !grade.repeats)
		abort();
	rp_grade_clear(&grade);
	rp_player_free(p);
	rp_script_free(script);
	return 0;
}
