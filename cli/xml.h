/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RDMA_TRACE_XML_H
#define RDMA_TRACE_XML_H

/* text for an element or an attribute; what XML cannot hold is left out. g_free() it. */
char *xml_escape(const char *text);

#endif
