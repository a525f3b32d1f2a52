/* SPDX-License-Identifier: MIT */
#include "calibrate/module.h"

#include "calibrate/cpu/cpu.h"
#include "plansim.h"

#include <gmodule.h>

#define VARIABLE  "PSIM_MODULE_DIR"
#define INSTALLED PSIM_LIBDIR G_DIR_SEPARATOR_S "plansim"
#define BUILT     "calibrate/cuda"

const char *const *
psim_module_names(void)
{
    static const char *const names[] = {"cpu", "cuda", NULL};

    return names;
}

/* Returns: an opened module, or NULL; what a missing file and an unreadable one say is kept apart,
 * for only the latter is worth telling. */
static GModule *
open_from(const char *directory, const char *name, char **ret_reason)
{
    g_autofree char *file = g_strdup_printf("plansim-%s." G_MODULE_SUFFIX, name);
    g_autofree char *path = g_build_filename(directory, file, NULL);
    GModule *module = NULL;

    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return NULL;
    module = g_module_open(path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
    if (module == NULL && *ret_reason == NULL)
        *ret_reason = g_strdup(g_module_error());
    return module;
}

/* A directory beside that of the program, wherever that was moved to; NULL: who knows. */
static char *
find_beside_program(const char *relative)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", /* error= */ NULL);
    g_autofree char *directory = program != NULL ? g_path_get_dirname(program) : NULL;

    return directory != NULL ? g_build_filename(directory, "..", relative, NULL) : NULL;
}

static GModule *
open_anywhere(const char *name, char **ret_reason)
{
    g_autofree char *installed = find_beside_program(INSTALLED);
    g_autofree char *built = find_beside_program(BUILT);
    const char *const directories[] = {g_getenv(VARIABLE), installed, built};

    for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
        GModule *module =
            directories[i] != NULL ? open_from(directories[i], name, ret_reason) : NULL;

        if (module != NULL)
            return module;
    }
    return NULL;
}

static const PsimBackend *
refuse(const char *name, const char *reason, GError **error)
{
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED, "backend %s: %s", name, reason);
    return NULL;
}

static const PsimBackend *
load(const char *name, GError **error)
{
    g_autofree char *reason = NULL;
    GModule *module = open_anywhere(name, &reason);
    void *symbol = NULL;

    if (module == NULL && reason == NULL)
        return refuse(name,
                      "its module is not installed; build plansim where nvcc is, or calibrate this "
                      "machine with --backend cpu",
                      error);
    if (module == NULL)
        return refuse(name, reason, error);
    g_module_make_resident(module);
    if (!g_module_symbol(module, PSIM_BACKEND_SYMBOL, &symbol) || symbol == NULL)
        return refuse(name, "its module exports no " PSIM_BACKEND_SYMBOL "; build it again", error);
    PsimBackendFunc function = NULL;

    *(void **)&function = symbol;
    const PsimBackend *backend = function();

    if (backend->abi != PSIM_BACKEND_ABI)
        return refuse(name, "its module was built for another version of plansim; build it again",
                      error);
    return backend;
}

const PsimBackend *
psim_module_find(const char *name, GError **error)
{
    return g_str_equal(name, "cpu") ? psim_cpu_backend() : load(name, error);
}
