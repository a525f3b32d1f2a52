/* SPDX-License-Identifier: MIT */
/* The factor itself is the simulation's: it is what `run --measured-step` finds to close the gap.
 */
#include "calibrate/log.h"

#include "calibrate/layout.h"

#include <math.h>
#include <string.h>

/* How trainers announce a step, most telling first, and what the number behind it counts. */
static const struct {
    const char *label;
    const char *unit; /* "": the number's own, or seconds */
} labels[] = {
    {"elapsed time per iteration (ms):", "ms"},
    {"elapsed time per iteration (s):", "s"},
    {"iteration time (ms):", "ms"},
    {"iteration_time_ms:", "ms"},
    {"step_time_ms:", "ms"},
    {"elapsed_time_per_iteration_in_seconds:", "s"},
    {"iteration_time:", ""},
    {"iteration time:", ""},
    {"train_step_timing in s:", "s"},
    {"step_time:", ""},
    {"step time:", ""},
    {"step_time=", ""},
};

#define IT_SUFFIX "s/it"

static char *
format_step(double number, const char *unit)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    return g_strdup_printf("%s %s", g_ascii_formatd(text, sizeof text, "%.9g", number), unit);
}

/* A unit right behind a number, where a label leaves it open. */
static const char *
find_unit(const char *end)
{
    end += strspn(end, " ");
    if (g_str_has_prefix(end, "ms"))
        return "ms";
    return g_str_has_prefix(end, "min") ? "min" : "s";
}

static char *
find_labelled(const char *line)
{
    for (size_t i = 0; i < G_N_ELEMENTS(labels); i++) {
        const char *place = strstr(line, labels[i].label);
        char *end = NULL;

        if (place == NULL)
            continue;
        place += strlen(labels[i].label);
        const double number = g_ascii_strtod(place, &end);

        if (end != place && number > 0.0 && isfinite(number))
            return format_step(number, labels[i].unit[0] != '\0' ? labels[i].unit : find_unit(end));
    }
    return NULL;
}

/* "15.10s/it" of progress bars: the number stands before. */
static char *
find_before_suffix(const char *line)
{
    const char *suffix = strstr(line, IT_SUFFIX);
    const char *begin = suffix;

    while (begin != NULL && begin > line && (g_ascii_isdigit(begin[-1]) || begin[-1] == '.'))
        begin--;
    if (begin == suffix)
        return NULL;
    const double number = g_ascii_strtod(begin, /* endptr= */ NULL);

    return number > 0.0 ? format_step(number, "s") : NULL;
}

char *
psim_log_step(const char *line, GError **error)
{
    char *step = find_labelled(line);

    if (step == NULL)
        step = find_before_suffix(line);
    if (step == NULL)
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE,
                    "no step time is found in the line; it needs one of \"%s 15100.0\", "
                    "\"step_time: 15.1 s\", \"15.1s/it\"",
                    labels[0].label);
    return step;
}

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

static double
number_at(const cJSON *json, const char *key)
{
    /* NAN where there is no number. */
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, key));
}

static void
scale(cJSON *object, const char *key, double factor)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (item != NULL && cJSON_IsNumber(item))
        (void)cJSON_SetNumberValue(item, item->valuedouble * factor);
}

static void
replace_text(cJSON *object, const char *key, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    (void)cJSON_AddStringToObject(object, key, text);
}

/* Products, fused attention and unfused attention alike, as the gap's factor has them. Measured
 * rows would stand against the factor, so they go. */
static char *
write_hardware(const cJSON *result, const PsimLogFit *fit)
{
    const cJSON *input = cJSON_GetObjectItemCaseSensitive(result, "input");
    const cJSON *resolved = cJSON_GetObjectItemCaseSensitive(input, "resolved");
    cJSON *hardware =
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(resolved, "hardware"), cJSON_True);
    cJSON *device = cJSON_GetObjectItemCaseSensitive(hardware, "device");
    cJSON *gemm = cJSON_GetObjectItemCaseSensitive(device, "gemm");
    cJSON *row = NULL;
    g_autofree char *source =
        g_strdup_printf("one step of %.6g s in a training log, a factor of %.4g on %.4g",
                        fit->measured_s, fit->factor, fit->efficiency);

    scale(gemm, "efficiency", fit->factor);
    scale(gemm, "efficiency_fp8", fit->factor);
    cJSON_DeleteItemFromObjectCaseSensitive(gemm, "table");
    cJSON_DeleteItemFromObjectCaseSensitive(gemm, "error");
    replace_text(gemm, "provenance", "transferred");
    replace_text(gemm, "source", source);
    scale(device, "attention_unfused_fraction", fit->factor);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(device, "attention"))
    {
        scale(cJSON_GetObjectItemCaseSensitive(row, "forward"), "efficiency", fit->factor);
        scale(cJSON_GetObjectItemCaseSensitive(row, "backward"), "efficiency", fit->factor);
    }
    char *text = psim_json_layout(hardware);

    cJSON_Delete(hardware);
    return text;
}

bool
psim_log_explains(const PsimLogFit *self)
{
    return isfinite(self->factor) && self->efficiency * self->factor <= 1.0;
}

/* The factor reaches constants that have ranges of their own; a file that nothing reads helps
 * nobody. */
static bool
check_hardware(const PsimPlan *plan, const char *hardware, GError **error)
{
    const PsimOverride override = {.pointer = "/hardware", .value = hardware};
    g_autofree char *text = psim_plan_write(plan);
    g_autoptr(GError) reason = NULL;
    g_autoptr(PsimPlan) again =
        psim_plan_parse(text, strlen(text), "the hardware found", &override, 1, &reason);

    if (again == NULL)
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_INFEASIBLE,
                    "the factor is more than a hardware file can say: %s", reason->message);
    return again != NULL;
}

bool
psim_log_fit(
    PsimPlan *plan, const char *line, PsimLogFit *ret_fit, char **ret_hardware, GError **error)
{
    PsimOptions options = PSIM_OPTIONS_INIT;
    g_autofree char *step = psim_log_step(line, error);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *hardware = NULL;

    if (step == NULL)
        return false;
    options.measured_step = step;
    g_autoptr(PsimResult) result = psim_simulate(plan, &options, error);

    if (result == NULL || !psim_result_write(result, "json", append, text, error))
        return false;
    cJSON *json = cJSON_Parse(text->str);
    const cJSON *measured = cJSON_GetObjectItemCaseSensitive(json, "measured");

    *ret_fit = (PsimLogFit){
        .measured_s = number_at(measured, "step_s"),
        .predicted_s = number_at(measured, "step_s") / number_at(measured, "ratio"),
        .efficiency = number_at(measured, "gemm_efficiency"),
        .factor = number_at(measured, "efficiency_factor"),
    };
    if (psim_log_explains(ret_fit))
        hardware = write_hardware(json, ret_fit);
    cJSON_Delete(json);
    if (hardware != NULL && !check_hardware(plan, hardware, error))
        return false;
    *ret_hardware = g_steal_pointer(&hardware);
    return true;
}

/* As many decimals as make three digits. */
static int
count_decimals(double number)
{
    return number < 10.0 ? 2 : number < 100.0 ? 1 : 0;
}

char *
psim_log_text(const PsimLogFit *self)
{
    const double would = self->efficiency * self->factor;
    GString *out = g_string_new(NULL);

    g_string_printf(out, "measured %.4g s, predicted %.4g s: ", self->measured_s,
                    self->predicted_s);
    if (psim_log_explains(self))
        g_string_append_printf(out, "efficiency %.4g x %.4g = %.4g", self->efficiency, self->factor,
                               would);
    else
        g_string_append(out, "no efficiency of the matrix products alone explains it");
    if (would > 1.0)
        g_string_append_printf(out, ": it would take %.*f of the peak", count_decimals(would),
                               would);
    g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}
