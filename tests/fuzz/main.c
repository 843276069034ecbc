// SPDX-License-Identifier: BSD-2-Clause
/* Runs a fuzz target over files and folders of files: its corpus as an ordinary test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(1 << 20);
	size_t size;

	if (!f || !data) {
		perror(path);
		exit(2);
	}
	size = fread(data, 1, 1 << 20, f);
	fclose(f);
	data = realloc(data, size ? size : 1); /* exact, so that ASan sees one byte too many */
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static int run_path(const char *path)
{
	struct stat st;
	struct dirent *e;
	int count = 0;
	DIR *dir;

	if (stat(path, &st)) {
		perror(path);
		exit(2);
	}
	if (!S_ISDIR(st.st_mode))
		return run_file(path);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		char inner[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
		count += run_file(inner);
	}
	if (dir)
		closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += run_path(argv[i]);
	printf("%d inputs\n", count);
	return count ? 0 : 2; /* an empty corpus tests nothing */
}
