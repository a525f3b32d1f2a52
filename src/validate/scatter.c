/* SPDX-License-Identifier: MIT */
/* Predicted against measured step time, both axes logarithmic over the same decades, so that the
 * diagonal is a perfect prediction and a factor is the same distance everywhere.
 *
 *      predicted |      . /
 *                |    ./ .
 *                |  ./
 *                +---------- measured
 */
#include "validate/tally.h"

#include <math.h>
#include <string.h>

#define SIDE   640.0 /* of the plot        [px] */
#define LEFT   70.0
#define TOP    40.0
#define LEGEND 230.0

static const char *const colors[] = {"#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f",
                                     "#b07aa1", "#9c755f", "#1f3a5f", "#8cb400", "#d37295"};

typedef struct {
    double low;  /* decade */
    double high; /* decade */
} Range;

static void
widen(Range *range, double value)
{
    range->low = fmin(range->low, floor(log10(value)));
    range->high = fmax(range->high, ceil(log10(value)));
}

static Range
find_range(const PsimValidation *self)
{
    Range range = {.low = (double)INFINITY, .high = -(double)INFINITY};

    for (guint i = 0; i < self->rows->len; i++) {
        const PsimRow *row = g_ptr_array_index(self->rows, i);
        const PsimPrediction *prediction = g_ptr_array_index(self->predictions, i);

        if (!isfinite(psim_tally_step_error(row, prediction)))
            continue;
        widen(&range, row->step_s);
        widen(&range, prediction->step_s);
    }
    if (!isfinite(range.low))
        range = (Range){.low = 0, .high = 0};
    range.high = fmax(range.high, range.low + 1);
    return range;
}

/* Distance from the low end of an axis, in pixels. */
static double
place(const Range *range, double value)
{
    return (log10(value) - range->low) / (range->high - range->low) * SIDE;
}

static void
append_axes(GString *svg, const Range *range)
{
    for (int decade = (int)range->low; decade <= (int)range->high; decade++) {
        const double at = place(range, pow(10, decade));

        g_string_append_printf(svg,
                               "<path d=\"M%.1f %.1fv%.1fM%.1f %.1fh%.1f\" class=\"grid\"/>\n"
                               "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g s</text>\n"
                               "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g s</text>\n",
                               LEFT + at, TOP, SIDE, LEFT, TOP + SIDE - at, SIDE, LEFT + at,
                               TOP + SIDE + 18, pow(10, decade), LEFT - 6, TOP + SIDE - at + 4,
                               pow(10, decade));
    }
    g_string_append_printf(svg, "<path d=\"M%.1f %.1fl%.1f %.1f\" class=\"equal\"/>\n", LEFT,
                           TOP + SIDE, SIDE, -SIDE);
    g_string_append_printf(svg,
                           "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">measured"
                           "</text>\n<text x=\"%.1f\" y=\"%.1f\">predicted</text>\n",
                           LEFT + SIDE / 2, TOP + SIDE + 38, 8.0, TOP - 14);
}

static void
append_source(GString *svg, const PsimValidation *self, guint source, const Range *range)
{
    const char *name = g_ptr_array_index(self->names, source);
    const PsimTally *tally = g_ptr_array_index(self->tallies, source);
    g_autofree char *label = g_markup_escape_text(name, -1);
    const char *color = colors[source % G_N_ELEMENTS(colors)];

    g_string_append_printf(svg, "<g fill=\"%s\">\n", color);
    for (guint i = 0; i < self->rows->len; i++) {
        const PsimRow *row = g_ptr_array_index(self->rows, i);
        const PsimPrediction *prediction = g_ptr_array_index(self->predictions, i);

        if (strcmp(row->source_file, name) != 0 ||
            !isfinite(psim_tally_step_error(row, prediction)))
            continue;
        g_string_append_printf(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n",
                               LEFT + place(range, row->step_s),
                               TOP + SIDE - place(range, prediction->step_s));
    }
    g_string_append_printf(svg, "<text x=\"%.1f\" y=\"%.1f\">%s (%zu)</text>\n</g>\n",
                           LEFT + SIDE + 16, TOP + 12 + 16 * source, label, tally->step.n);
}

char *
psim_validation_svg(const PsimValidation *self)
{
    GString *svg = g_string_new(NULL);
    const Range range = find_range(self);

    g_string_append_printf(svg,
                           "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" "
                           "font-family=\"sans-serif\" font-size=\"12\">\n"
                           "<style>.grid{stroke:#ddd}.equal{stroke:#333;fill:none}"
                           "circle{fill-opacity:.55}</style>\n"
                           "<title>Step time, predicted against measured</title>\n",
                           LEFT + SIDE + LEGEND, TOP + SIDE + 50);
    append_axes(svg, &range);
    for (guint i = 0; i < self->names->len; i++)
        append_source(svg, self, i, &range);
    g_string_append(svg, "</svg>\n");
    return g_string_free(svg, FALSE);
}
