/* SPDX-License-Identifier: MIT */
#include "report/phrase.h"

#include "base/text.h"
#include "base/time.h"

#include <math.h>
#include <string.h>

/* Hands the text out, or a dash for what is not modelled. */
static char *
finish(GString *text)
{
    return g_string_free(text, /* free_segment= */ FALSE);
}

static char *
tell_unknown(void)
{
    return g_strdup("-");
}

char *
psim_phrase_fixed(double value, unsigned decimals)
{
    if (!isfinite(value))
        return tell_unknown();
    GString *text = g_string_new(NULL);

    psim_text_fixed(text, value, decimals);
    return finish(text);
}

char *
psim_phrase_significant(double value, unsigned digits)
{
    if (!isfinite(value))
        return tell_unknown();
    GString *text = g_string_new(NULL);

    psim_text_significant(text, value, digits);
    return finish(text);
}

char *
psim_phrase_percent(double fraction)
{
    if (!isfinite(fraction))
        return tell_unknown();
    GString *text = g_string_new(NULL);

    psim_text_fixed(text, 100.0 * fraction, 1);
    g_string_append_c(text, '%');
    return finish(text);
}

char *
psim_phrase_bytes(double bytes)
{
    if (!isfinite(bytes))
        return tell_unknown();
    GString *text = g_string_new(NULL);

    psim_text_human_bytes(text, bytes);
    return finish(text);
}

char *
psim_phrase_seconds(double seconds_s)
{
    if (!isfinite(seconds_s))
        return tell_unknown();
    GString *text = g_string_new(NULL);

    psim_text_human_time(text, seconds_s);
    return finish(text);
}

char *
psim_phrase_time(PsimTime time)
{
    return psim_phrase_seconds(psim_time_to_s(time));
}

char *
psim_phrase_count(double count)
{
    if (!isfinite(count))
        return tell_unknown();
    GString *text = g_string_new(NULL);

    psim_text_human_count(text, count);
    return finish(text);
}

char *
psim_phrase_plural(uint64_t n, const char *noun)
{
    const char *plural = g_str_has_suffix(noun, "ch") ? "es" : "s";

    return g_strdup_printf("%" G_GUINT64_FORMAT " %s%s", n, noun, n == 1 ? "" : plural);
}

char *
psim_phrase_label(const PsimResult *result, uint32_t task)
{
    const PsimTaskClass *class = psim_graph_class(result->graph, task);
    const uint32_t microbatch = result->graph->microbatch[task];

    if (class->kind == PSIM_TASK_OPTIMIZER)
        return g_strdup("opt");
    if (microbatch == PSIM_TASK_NONE)
        return g_strdup(class->op);
    if (result->n_chunks > 1)
        return g_strdup_printf("%u%s%u", class->stage, class->op, microbatch);
    return g_strdup_printf("%s%u", class->op, microbatch);
}

const char *
psim_phrase_name(const PsimResult *result)
{
    if (result->kind == PSIM_RESULT_SCHEDULE)
        return result->schedule != NULL ? result->schedule : "schedule";
    if (result->plan_name != NULL)
        return result->plan_name;
    return result->model_name != NULL ? result->model_name : "plan";
}

/* The column after the text so far. */
static glong
find_column(const GString *out)
{
    const char *line = strrchr(out->str, '\n');

    return g_utf8_strlen(line != NULL ? line + 1 : out->str, -1);
}

void
psim_phrase_wrap(GString *out, unsigned indent, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    glong column = find_column(out);
    bool first = true;

    for (char **word = words; *word != NULL; word++) {
        const glong width = g_utf8_strlen(*word, -1);

        if (!first && column + 1 + width > (glong)PSIM_PHRASE_COLUMNS) {
            g_string_append_printf(out, "\n%*s", (int)indent, "");
            column = (glong)indent;
        } else if (!first) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, *word);
        column += width;
        first = false;
    }
    g_string_append_c(out, '\n');
}

void
psim_phrase_item(GString *out, const char *text)
{
    g_string_append(out, "  - ");
    psim_phrase_wrap(out, 4, text);
}

bool
psim_phrase_is_timed(const PsimResult *result)
{
    return result->step_ps > 0;
}
