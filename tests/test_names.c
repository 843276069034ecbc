// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>
#include <string.h>

#include <criterion/criterion.h>

#include "rdmatrace/field.h"

/* As rdt_name_parse compares: any case, '_' and '-' alike. */
static int same_key(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		const int x = *a == '_' ? '-' : tolower((unsigned char)*a);
		const int y = *b == '_' ? '-' : tolower((unsigned char)*b);

		if (x != y)
			return 0;
	}
	return *a == *b;
}

Test(names, values_ascend)
{
	for (size_t l = 0; l < RDT_NAMES_COUNT; l++)
		for (size_t i = 1; i < rdt_names[l].count; i++)
			cr_expect(rdt_names[l].rows[i - 1].value < rdt_names[l].rows[i].value,
				  "%s %s", rdt_names[l].list, rdt_names[l].rows[i].key);
}

Test(names, keys_are_unique_and_well_formed)
{
	for (size_t l = 0; l < RDT_NAMES_COUNT; l++) {
		cr_expect(l == RDT_NAMES_none || (*rdt_names[l].title && *rdt_names[l].source),
			  "%s", rdt_names[l].list);
		for (size_t i = 0; i < rdt_names[l].count; i++) {
			const struct rdt_name *row = &rdt_names[l].rows[i];

			cr_expect(*row->text && strlen(row->text) < 90, "%s %s", rdt_names[l].list,
				  row->key);
			/* It must not be taken for a number. */
			cr_expect(row->key[strspn(row->key, "0123456789")] &&
					  strncmp(row->key, "0x", 2),
				  "%s %s", rdt_names[l].list, row->key);
			for (const char *c = row->key; *c; c++)
				cr_expect(isalnum((unsigned char)*c) || *c == '-' || *c == '_',
					  "%s %s", rdt_names[l].list, row->key);
			for (size_t k = 0; k < i; k++)
				cr_expect(!same_key(row->key, rdt_names[l].rows[k].key), "%s %s",
					  rdt_names[l].list, row->key);
		}
	}
}

Test(names, find_and_parse_are_inverse)
{
	for (size_t l = 0; l < RDT_NAMES_COUNT; l++) {
		const enum rdt_names_id id = (enum rdt_names_id)l;

		for (size_t i = 0; i < rdt_names[l].count; i++) {
			const struct rdt_name *row = &rdt_names[l].rows[i];

			cr_expect(rdt_name_find(id, row->value) == row, "%s %s", rdt_names[l].list,
				  row->key);
			cr_expect(rdt_name_parse(id, row->key, strlen(row->key)) == row, "%s %s",
				  rdt_names[l].list, row->key);
			cr_expect(!strcmp(rdt_name_key(id, row->value, NULL), row->key));
		}
	}
}

Test(names, values_between_the_rows_have_no_name)
{
	for (size_t l = 0; l < RDT_NAMES_COUNT; l++) {
		const enum rdt_names_id id = (enum rdt_names_id)l;
		size_t at = 0;

		for (uint64_t value = 0; value < 70000; value++) {
			const int named =
				at < rdt_names[l].count && rdt_names[l].rows[at].value == value;

			at += (size_t)named;
			cr_assert(!rdt_name_find(id, value) == !named, "%s %llu", rdt_names[l].list,
				  (unsigned long long)value);
		}
		/* A value with a named lower half is not that name. */
		cr_expect(!rdt_name_find(id, 1ull << 32 | 1));
		cr_expect(!rdt_name_find(id, UINT64_MAX));
	}
	cr_expect(!rdt_name_find(RDT_NAMES_none, 0));
	cr_expect(rdt_name_key(RDT_NAMES_rej_reason, 34, NULL) == NULL);
	cr_expect(!strcmp(rdt_name_key(RDT_NAMES_rej_reason, 34, "?"), "?"));
}

Test(names, keys_are_read_in_any_case_and_with_either_separator)
{
	static const char *const same[] = { "invalid-service-id", "Invalid_Service-ID",
					    "INVALID_SERVICE_ID" };
	static const char *const wrong[] = { "", "invalid-service-i", "invalid-service-id ",
					     "invalid service id" };

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		cr_expect(rdt_name_parse(RDT_NAMES_rej_reason, same[i], strlen(same[i])) ==
				  rdt_name_find(RDT_NAMES_rej_reason, 8),
			  "%s", same[i]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect(!rdt_name_parse(RDT_NAMES_rej_reason, wrong[i], strlen(wrong[i])), "'%s'",
			  wrong[i]);
}

Test(names, symbols_are_the_values)
{
	cr_expect(RDT_REJ_INVALID_SERVICE_ID == 8);
	cr_expect(RDT_REJ_CONSUMER == 28);
	cr_expect(RDT_CM_ATTR_DREP == 0x16);
	cr_expect(RDT_PS_TCP == 0x106);
	cr_expect(RDT_SA_ATTR_PATH == 0x35);
	cr_expect(RDT_NVME_INVALID_ORD == 8);
	cr_expect(RDT_RDMAP_TERMINATE == 7);
	cr_expect(RDT_TERM_ERR_DDP_NO_BUFFER == 0x1202);
	cr_expect(RDT_TERM_ERR_MPA_RTR == 0x2007);
	cr_expect(!strcmp(rdt_name_find(RDT_NAMES_bth_opcode, 0x64)->text, "UD SEND Only"));
}

/* layer and type of each error are a type of the other list, and no type is without an error. */
Test(names, terminate_errors_belong_to_their_types)
{
	const struct rdt_names *errors = &rdt_names[RDT_NAMES_term_error];
	const struct rdt_names *types = &rdt_names[RDT_NAMES_term_etype];

	for (size_t i = 0; i < errors->count; i++) {
		cr_expect(rdt_name_find(RDT_NAMES_term_etype, errors->rows[i].value >> 8), "%s",
			  errors->rows[i].key);
		cr_expect(rdt_name_find(RDT_NAMES_term_layer, errors->rows[i].value >> 12), "%s",
			  errors->rows[i].key);
	}
	for (size_t t = 0; t < types->count; t++) {
		size_t n = 0;

		for (size_t i = 0; i < errors->count; i++)
			n += errors->rows[i].value >> 8 == types->rows[t].value;
		cr_expect(n, "%s", types->rows[t].key);
	}
}
