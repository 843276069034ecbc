// SPDX-License-Identifier: BSD-2-Clause
#include "replay/gid.h"

#include <stdlib.h>
#include <string.h>

#define SYSFS "/sys/class/infiniband"

/* A file of a port; index < 0: the file itself, else that one in the folder. */
static char *read_text(const char *device, int port, const char *what, int index)
{
	char *path =
		index < 0 ? g_strdup_printf(SYSFS "/%s/ports/%d/%s", device, port, what)
			  : g_strdup_printf(SYSFS "/%s/ports/%d/%s/%d", device, port, what, index);
	char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		text = NULL;
	g_free(path);
	return text ? g_strstrip(text) : NULL;
}

/* One port: the index of the address, RoCEv2 before others; -1 when it is not there. */
static int find_index(const char *device, int port, const struct rdt_addr *local)
{
	int found = -1;

	for (int i = 0; i < 256; i++) {
		char *text = read_text(device, port, "gids", i), *type;
		struct rdt_addr gid;

		if (!text)
			break;
		if (rdt_addr_parse(text, strlen(text), &gid) == RDT_OK &&
		    !memcmp(gid.bytes, local->bytes, 16)) {
			type = read_text(device, port, "gid_attrs/types", i);
			if (found < 0 || (type && strstr(type, "v2")))
				found = i;
			g_free(type);
		}
		g_free(text);
	}
	return found;
}

bool rp_gid_find(const struct rdt_addr *local, const char *device, struct rp_gid *ret,
		 struct rp_problem *problem)
{
	GDir *dir = g_dir_open(SYSFS, 0, NULL);
	GString *seen = g_string_new(NULL);
	char text[RDT_ADDR_TEXT], *netdev;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_string_append_printf(seen, "%s%s", seen->len ? ", " : "", name);
		if (device && strcmp(name, device) != 0)
			continue;
		for (int port = 1; port <= 4; port++) {
			const int index = find_index(name, port, local);

			if (index < 0)
				continue;
			g_strlcpy(ret->device, name, sizeof(ret->device));
			ret->port = port;
			ret->index = index;
			netdev = read_text(name, port, "gid_attrs/ndevs", index);
			g_strlcpy(ret->netdev, netdev ? netdev : "", sizeof(ret->netdev));
			g_free(netdev);
			g_dir_close(dir);
			g_string_free(seen, TRUE);
			return true;
		}
	}
	rdt_addr_text(local, text, sizeof(text));
	if (!seen->len)
		problem->text = g_strdup("this host has no RDMA device; one in software is made by "
					 "rdma link add rxe0 type rxe netdev NETDEV");
	else
		problem->text =
			g_strdup_printf("no GID of %s is %s (devices here: %s); see the GIDs "
					"with rdma-core's ibv_devinfo -v",
					device ? device : "any RDMA device", text, seen->str);
	problem->environment = true;
	if (dir)
		g_dir_close(dir);
	g_string_free(seen, TRUE);
	return false;
}

const char *rp_gid_state(const struct rp_gid *gid, char *buf)
{
	char *text = read_text(gid->device, gid->port, "state", -1);

	g_strlcpy(buf, text ? text : "", 64);
	g_free(text);
	return buf;
}

bool rp_module_loaded(const char *name)
{
	char *path = g_strdup_printf("/sys/module/%s", name);
	const bool there = g_file_test(path, G_FILE_TEST_IS_DIR);

	g_free(path);
	return there;
}
