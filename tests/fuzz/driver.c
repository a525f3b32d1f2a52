/* SPDX-License-Identifier: MIT */
/* Replays files, and the files of directories, through a fuzz target, without libFuzzer. */
#include "fuzz.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool
replay_file(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    gsize n_bytes = 0;

    if (!g_file_get_contents(path, &text, &n_bytes, &error)) {
        (void)fprintf(stderr, "%s\n", error->message);
        return false;
    }

    /* A copy of the exact size, so that sanitizers and valgrind see a read beyond the end. */
    g_autofree uint8_t *copy = g_memdup2(text, n_bytes);

    (void)printf("%s\n", path);
    LLVMFuzzerTestOneInput(copy, n_bytes);
    return true;
}

/* Returns: how many files were replayed; -1 if one could not be read. */
static int
replay_directory(const char *path)
{
    GDir *directory = g_dir_open(path, /* flags= */ 0, NULL);
    int n_files = 0;

    for (const char *name = NULL; directory != NULL && (name = g_dir_read_name(directory));) {
        g_autofree char *file = g_build_filename(path, name, NULL);

        if (!replay_file(file)) {
            n_files = -1;
            break;
        }
        n_files++;
    }
    g_clear_pointer(&directory, g_dir_close);
    return n_files;
}

int
main(int n_arguments, char **arguments)
{
    int n_files = 0;

    for (int i = 1; i < n_arguments; i++) {
        const bool is_directory = g_file_test(arguments[i], G_FILE_TEST_IS_DIR);
        const int n_more =
            is_directory ? replay_directory(arguments[i]) : (replay_file(arguments[i]) ? 1 : -1);

        if (n_more < 0)
            return EXIT_FAILURE;
        n_files += n_more;
    }
    (void)printf("%d files\n", n_files);
    return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
