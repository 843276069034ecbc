// SPDX-License-Identifier: BSD-2-Clause
/* The tracker's hash against a plain array, and without memory. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "map.h"
#include "support/tracked.h"

#define KEYS 4096u

/* Keys that begin at the same places: a deletion must not cut a run of them. */
Test(map, behaves_like_an_array)
{
	static uint32_t want[KEYS];
	struct map m;
	uint64_t random = 1;
	uint32_t used = 0;

	map_init(&m, &tracked_memory, 7);
	for (uint32_t i = 0; i < KEYS; i++)
		want[i] = RDT_MAP_NONE;
	for (uint32_t step = 0; step < 200000; step++) {
		uint32_t key, value;

		random = map_mix(random + step);
		key = (uint32_t)random % KEYS;
		value = (uint32_t)(random >> 32) & 0xffff;
		if (random >> 60 < 6 && want[key] != RDT_MAP_NONE) {
			map_remove(&m, key, want[key]);
			want[key] = RDT_MAP_NONE;
			used--;
		} else {
			used += want[key] == RDT_MAP_NONE;
			cr_assert(map_put(&m, key, value));
			want[key] = value;
		}
		cr_assert_eq(m.used, used);
		if (step % 5000 == 0)
			for (uint32_t i = 0; i < KEYS; i++)
				cr_assert_eq(map_get(&m, i), want[i], "key %u at step %u", i, step);
	}
	map_free(&m);
	cr_expect_eq(map_get(&m, 3), RDT_MAP_NONE);
}

Test(map, removes_only_what_it_is_told)
{
	struct map m;

	map_init(&m, &tracked_memory, 0);
	map_remove(&m, 1, 2); /* empty */
	cr_assert(map_put(&m, 1, 10));
	cr_assert(map_put(&m, 1, 11)); /* the key passes to another owner */
	map_remove(&m, 1, 10);
	cr_expect_eq(map_get(&m, 1), 11);
	map_remove(&m, 1, 11);
	cr_expect_eq(map_get(&m, 1), RDT_MAP_NONE);
	map_free(&m);
}

Test(map, says_when_memory_is_gone)
{
	unsigned left = 2; /* the first table and no more */
	const struct rdt_memory memory = { tracked_scarce, &left };
	uint32_t n = 0;
	struct map m;

	map_init(&m, &memory, 0);
	while (map_put(&m, n, n))
		n++;
	cr_expect_gt(n, 500);
	for (uint32_t i = 0; i < n; i++)
		cr_assert_eq(map_get(&m, i), i, "what was kept stays");
	cr_expect_eq(map_get(&m, n), RDT_MAP_NONE);
	map_free(&m);
}
