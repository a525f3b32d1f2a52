/* SPDX-License-Identifier: MIT */
#include "bare.h"

#include <check.h>
#include <string.h>

static const char text[] =
    "{\"schema\": \"plansim.plan/1\", \"name\": \"bare\", \"runtime\": \"ideal\", \"gpus\": 2,"
    " \"parallel\": {\"pipeline\": 2}, \"batch\": {\"micro\": 1, \"global\": 4},"
    " \"precision\": \"fp16\", \"schedule\": {\"name\": \"1f1b\"},"
    " \"model\": {\"layer_list\": {\"layers\": [{\"name\": \"layer\", \"repeat\": 4,"
    "   \"forward_flop\": \"1 TFLOP\", \"backward_flop\": \"2 TFLOP\", \"params\": 1000000,"
    "   \"activation\": \"1 GB\", \"output\": \"0 B\", \"exchange\": \"0 B\","
    "   \"memory\": \"1 MB\"}]}},"
    " \"hardware\": {\"name\": \"box\", \"gpus_per_node\": 2, \"max_nodes\": 1,"
    "   \"scale_up\": {\"bandwidth\": \"100 GB/s\", \"latency\": \"0 us\"},"
    "   \"device\": {\"name\": \"chip\", \"source\": \"by hand\","
    "     \"peak\": {\"fp16\": \"100 TFLOP/s\", \"fp32\": \"25 TFLOP/s\"},"
    "     \"memory\": {\"total\": \"40 GB\", \"usable\": \"40 GB\", \"bandwidth\": \"1 TB/s\"},"
    "     \"gemm\": {\"form\": \"smooth\", \"efficiency\": 0.5, \"launch\": \"0 us\","
    "       \"provenance\": \"measured\", \"source\": \"a ruler\"},"
    "     \"memory_bound\": {\"launch\": \"0 us\"}, \"launch_floor\": \"0 us\"}}}";

PsimPlan *
bare_plan(const char *first, ...)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    PsimOverride overrides[8];
    size_t n_overrides = 0;
    va_list arguments;

    va_start(arguments, first);
    for (const char *word = first; word != NULL; word = va_arg(arguments, const char *)) {
        char *pointer = g_strdup(word);
        char *equals = strchr(pointer, '=');

        ck_assert(equals != NULL && n_overrides < G_N_ELEMENTS(overrides));
        *equals = '\0';
        g_ptr_array_add(texts, pointer);
        overrides[n_overrides++] = (PsimOverride){.pointer = pointer, .value = equals + 1};
    }
    va_end(arguments);

    PsimPlan *plan = psim_plan_parse(text, strlen(text), "bare", overrides, n_overrides, &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "no error");
    return plan;
}
