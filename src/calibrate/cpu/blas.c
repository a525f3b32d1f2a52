/* SPDX-License-Identifier: MIT */
#include "calibrate/cpu/blas.h"

#include "plansim.h"

#include <cblas.h>
#include <gmodule.h>
#include <string.h>

#define LIBRARY "libopenblas.so.0"
#define PACKAGE "libopenblas0"

typedef struct {
    __typeof__(&cblas_sgemm) cblas_sgemm;
    __typeof__(&openblas_set_num_threads) openblas_set_num_threads;
    __typeof__(&openblas_get_config) openblas_get_config;
    __typeof__(&openblas_get_corename) openblas_get_corename;
} Library;

#define FUNCTION(name) #name, G_STRUCT_OFFSET(Library, name)

static const struct {
    const char *name;
    glong offset;
} functions[] = {
    {FUNCTION(cblas_sgemm)},
    {FUNCTION(openblas_set_num_threads)},
    {FUNCTION(openblas_get_config)},
    {FUNCTION(openblas_get_corename)},
};

static Library library;
static char *description;

static bool
find_functions(GModule *module, Library *into)
{
    for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
        if (!g_module_symbol(module, functions[i].name,
                             G_STRUCT_MEMBER_P(into, functions[i].offset)))
            return false;
    }
    return true;
}

/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ... Haswell MAX_THREADS=64": the version stands second,
 * the core is asked for apart. */
static char *
describe(const Library *of)
{
    g_auto(GStrv) words = g_strsplit(of->openblas_get_config(), " ", -1);
    const bool versioned = g_strv_length(words) > 1 && g_str_equal(words[0], "OpenBLAS");

    return g_strdup_printf("OpenBLAS %s, core %s", versioned ? words[1] : "of unknown version",
                           of->openblas_get_corename());
}

bool
psim_blas_open(GError **error)
{
    if (description != NULL)
        return true;
    /* Threads that the library starts when it is opened would stand in the way of a measurement. */
    (void)g_setenv("OPENBLAS_NUM_THREADS", "1", /* overwrite= */ TRUE);
    GModule *module = g_module_open(LIBRARY, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

    if (module == NULL || !find_functions(module, &library)) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO,
                    "the CPU is calibrated with OpenBLAS, which cannot be opened: %s; "
                    "install %s",
                    g_module_error(), PACKAGE);
        return false;
    }
    g_module_make_resident(module);
    library.openblas_set_num_threads(1);
    description = describe(&library);
    return true;
}

void
psim_blas_sgemm(const PsimBlasProduct *product)
{
    const int lda = product->transpose_a ? product->m : product->k;
    const int ldb = product->transpose_b ? product->k : product->n;

    library.cblas_sgemm(CblasRowMajor, product->transpose_a ? CblasTrans : CblasNoTrans,
                        product->transpose_b ? CblasTrans : CblasNoTrans, product->m, product->n,
                        product->k, 1.0f, product->a, lda, product->b, ldb, product->beta,
                        product->c, product->n);
}

const char *
psim_blas_describe(void)
{
    return description;
}

const char *
psim_blas_forced_core(void)
{
    const char *core = g_getenv("OPENBLAS_CORETYPE");

    return core != NULL && core[0] != '\0' ? core : NULL;
}
