/* SPDX-License-Identifier: BSD-2-Clause */
#include "pcapng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET 6u
#define OPT_COMMENT 1u
#define OPT_SECTION_APPLICATION 4u
#define OPT_INTERFACE_DESCRIPTION 3u
#define OPT_INTERFACE_RESOLUTION 9u

struct iface {
	uint32_t link;
	uint8_t input;
};

struct pcapng {
	FILE *file;
	const char *path;
	uint8_t *block; /* the block in the making */
	size_t len, room;
	struct iface *ifaces;
	uint32_t iface_count;
};

/* ---- blocks ------------------------------------------------------------------------------- */

static void put(struct pcapng *p, const void *bytes, size_t len)
{
	const size_t padded = (len + 3) / 4 * 4;

	if (p->len + padded + 8 > p->room) {
		p->room = (p->len + padded + 8) * 2;
		p->block = realloc(p->block, p->room);
		if (!p->block)
			cli_no_memory();
	}
	memcpy(p->block + p->len, bytes, len);
	memset(p->block + p->len + len, 0, padded - len);
	p->len += padded;
}

static void put32(struct pcapng *p, uint32_t value)
{
	put(p, &value, sizeof(value));
}

static void put_option(struct pcapng *p, uint16_t code, const void *bytes, size_t len)
{
	const uint16_t head[2] = { code, (uint16_t)(len > 0xffff ? 0xffff : len) };

	put(p, head, sizeof(head));
	put(p, bytes, head[1]);
}

static void begin_block(struct pcapng *p, uint32_t type)
{
	p->len = 0;
	put32(p, type);
	put32(p, 0); /* its length, when it is known */
}

static void end_block(struct pcapng *p, bool options)
{
	uint32_t total;

	if (options)
		put32(p, 0);
	total = (uint32_t)p->len + 4;
	memcpy(p->block + 4, &total, sizeof(total));
	put32(p, total);
	fwrite(p->block, 1, p->len, p->file);
}

/* ---- the file ------------------------------------------------------------------------------ */

static void say_cannot(const char *path)
{
	cli_error("cannot write %s: %s; choose another -w FILE", path, strerror(errno));
}

bool pcapng_can_create(const char *path)
{
	struct stat st;
	int fd;

	/* A pipe is opened once: its reader would take the second time for another writer. */
	if (!strcmp(path, "-") ||
	    (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return true;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		unlink(path);
	} else {
		if (errno == EEXIST)
			fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0) {
			say_cannot(path);
			return false;
		}
	}
	close(fd);
	return true;
}

struct pcapng *pcapng_create(const char *path, const char *comment)
{
	static const char application[] = CLI_NAME " " RDT_VERSION;
	const uint16_t version[2] = { 1, 0 };
	struct pcapng *p = calloc(1, sizeof(*p));
	const uint32_t unknown = UINT32_MAX;

	if (!p)
		cli_no_memory();
	p->path = path;
	p->file = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!p->file) {
		say_cannot(path);
		free(p);
		return NULL;
	}
	begin_block(p, BLOCK_SECTION);
	put32(p, 0x1a2b3c4d);
	put(p, version, sizeof(version));
	put(p, &unknown, sizeof(unknown)); /* length of the section: 64 bits, not known */
	put(p, &unknown, sizeof(unknown));
	put_option(p, OPT_COMMENT, comment, strlen(comment));
	put_option(p, OPT_SECTION_APPLICATION, application, strlen(application));
	end_block(p, true);
	return p;
}

/* The number of the interface for this input and link type; makes it when it is new. */
static uint32_t iface_of(struct pcapng *p, const struct packet *packet, const char *name)
{
	const uint16_t link[2] = { (uint16_t)packet->link, 0 };
	const uint8_t nanoseconds = 9;

	for (uint32_t i = 0; i < p->iface_count; i++) {
		if (p->ifaces[i].link == packet->link && p->ifaces[i].input == packet->when.input)
			return i;
	}
	p->ifaces = realloc(p->ifaces, (p->iface_count + 1) * sizeof(*p->ifaces));
	if (!p->ifaces)
		cli_no_memory();
	p->ifaces[p->iface_count] = (struct iface){ packet->link, packet->when.input };
	begin_block(p, BLOCK_INTERFACE);
	put(p, link, sizeof(link));
	put32(p, 0); /* no snapshot length */
	put_option(p, OPT_INTERFACE_DESCRIPTION, name, strlen(name));
	put_option(p, OPT_INTERFACE_RESOLUTION, &nanoseconds, 1);
	end_block(p, true);
	return p->iface_count++;
}

void pcapng_add(struct pcapng *p, const struct packet *packet, const char *name,
		const char *comment)
{
	const uint32_t iface = iface_of(p, packet, name);
	const uint64_t ns = (uint64_t)packet->when.ns;

	begin_block(p, BLOCK_PACKET);
	put32(p, iface);
	put32(p, (uint32_t)(ns >> 32));
	put32(p, (uint32_t)ns);
	put32(p, packet->have);
	put32(p, packet->len);
	put(p, packet->bytes, packet->have);
	if (comment)
		put_option(p, OPT_COMMENT, comment, strlen(comment));
	end_block(p, comment != NULL);
}

int pcapng_close(struct pcapng *p, int code)
{
	if (!p)
		return code;
	errno = 0;
	if ((fflush(p->file) | ferror(p->file) | (p->file == stdout ? 0 : fclose(p->file))) != 0) {
		cli_error("cannot write %s: %s; it is not complete", p->path,
			  errno ? strerror(errno) : "an earlier write failed");
		code = CLI_ENV;
	}
	free(p->block);
	free(p->ifaces);
	free(p);
	return code;
}
