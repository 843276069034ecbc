// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/status.h"

const char *rdt_status_text(enum rdt_status status)
{
	switch (status) {
#define X(name, value, text) \
	case RDT_##name:     \
		return text;
		RDT_STATUS_LIST(X)
#undef X
	}
	return "unknown status";
}
