/* SPDX-License-Identifier: MIT */
/* The SVG's bytes drawn by librsvg. It and the thirty libraries behind it are opened at the first
 * picture: linked, they would more than double the start of every command, and of every embedder.
 */
#include "report/raster.h"

#include "base/error.h"

#include <gmodule.h>
#include <librsvg/rsvg.h>

#define LIBRARY  "librsvg-2.so.2"
#define MAX_SIDE 32000.0 /* cairo draws up to 32767 pixels */

/* What is called; cairo's are found through librsvg, which needs it. */
typedef struct {
    __typeof__(&rsvg_handle_new_from_data) rsvg_handle_new_from_data;
    __typeof__(&rsvg_handle_get_intrinsic_size_in_pixels) rsvg_handle_get_intrinsic_size_in_pixels;
    __typeof__(&rsvg_handle_render_document) rsvg_handle_render_document;
    __typeof__(&g_object_unref) g_object_unref;
    __typeof__(&cairo_image_surface_create) cairo_image_surface_create;
    __typeof__(&cairo_surface_status) cairo_surface_status;
    __typeof__(&cairo_surface_write_to_png_stream) cairo_surface_write_to_png_stream;
    __typeof__(&cairo_surface_destroy) cairo_surface_destroy;
    __typeof__(&cairo_create) cairo_create;
    __typeof__(&cairo_destroy) cairo_destroy;
    __typeof__(&cairo_status_to_string) cairo_status_to_string;
} Library;

#define FUNCTION(name) #name, G_STRUCT_OFFSET(Library, name)

static const struct {
    const char *name;
    glong offset;
} functions[] = {
    {FUNCTION(rsvg_handle_new_from_data)},
    {FUNCTION(rsvg_handle_get_intrinsic_size_in_pixels)},
    {FUNCTION(rsvg_handle_render_document)},
    {FUNCTION(g_object_unref)},
    {FUNCTION(cairo_image_surface_create)},
    {FUNCTION(cairo_surface_status)},
    {FUNCTION(cairo_surface_write_to_png_stream)},
    {FUNCTION(cairo_surface_destroy)},
    {FUNCTION(cairo_create)},
    {FUNCTION(cairo_destroy)},
    {FUNCTION(cairo_status_to_string)},
};

/* -- The library -- */

static bool
find_functions(GModule *module, Library *library)
{
    for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
        if (!g_module_symbol(module, functions[i].name,
                             G_STRUCT_MEMBER_P(library, functions[i].offset)))
            return false;
    }
    return true;
}

/* Its types stay registered with GObject, so it is never closed. */
static bool
load_library(Library *library, GError **error)
{
    GModule *module = g_module_open(LIBRARY, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

    if (module != NULL && find_functions(module, library)) {
        g_module_make_resident(module);
        return true;
    }
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                "PNG needs librsvg, which cannot be opened: %s", g_module_error());
    return false;
}

/* Returns: NULL if it is missing, which may have changed when next asked. */
static const Library *
open_library(GError **error)
{
    static GMutex mutex;
    static Library library;
    static bool is_open;

    g_mutex_lock(&mutex);
    is_open = is_open || load_library(&library, error);
    const Library *found = is_open ? &library : NULL;

    g_mutex_unlock(&mutex);
    return found;
}

/* -- Drawing -- */

static bool
fail(const char *reason, GError **error)
{
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_INTERNAL, "the picture cannot be drawn: %s", reason);
    return false;
}

static bool
draw(const Library *library,
     RsvgHandle *handle,
     const RsvgRectangle *page,
     cairo_surface_t *surface,
     GError **error)
{
    g_autoptr(GError) reason = NULL;
    cairo_t *context = library->cairo_create(surface);
    const bool drawn = library->rsvg_handle_render_document(handle, context, page, &reason) != 0;

    library->cairo_destroy(context);
    return drawn || fail(reason != NULL ? reason->message : "no reason given", error);
}

/* A cairo_write_func_t. */
static cairo_status_t
write_pixels(void *user, const unsigned char *bytes, unsigned n_bytes)
{
    PsimSink *sink = user;

    g_string_append_len(sink->buffer, (const char *)bytes, (gssize)n_bytes);
    psim_report_flush(sink, /* all= */ false);
    return sink->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static bool
render_page(
    const Library *library, RsvgHandle *handle, double scale, PsimSink *sink, GError **error)
{
    RsvgRectangle page = {0};

    (void)library->rsvg_handle_get_intrinsic_size_in_pixels(handle, &page.width, &page.height);
    scale = MIN(scale, MAX_SIDE / MAX(page.width, page.height));
    page.width = (double)(int)(page.width * scale);
    page.height = (double)(int)(page.height * scale);
    /* The ground is white, so nothing shines through. */
    cairo_surface_t *surface =
        library->cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)page.width, (int)page.height);
    cairo_status_t status = library->cairo_surface_status(surface);
    const bool drawn =
        status == CAIRO_STATUS_SUCCESS && draw(library, handle, &page, surface, error);

    if (drawn)
        status = library->cairo_surface_write_to_png_stream(surface, write_pixels, sink);
    library->cairo_surface_destroy(surface);
    /* What the receiver refused is told by who called. */
    if (status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR)
        return drawn;
    return fail(library->cairo_status_to_string(status), error);
}

void
psim_raster_render(const GString *svg, PsimSink *sink)
{
    const Library *library = open_library(&sink->error);
    g_autoptr(GError) reason = NULL;

    if (library == NULL)
        return;
    RsvgHandle *handle =
        library->rsvg_handle_new_from_data((const guint8 *)svg->str, svg->len, &reason);

    if (handle == NULL) {
        (void)fail(reason != NULL ? reason->message : "no reason given", &sink->error);
        return;
    }
    (void)render_page(library, handle, PSIM_RASTER_SCALE, sink, &sink->error);
    library->g_object_unref(handle);
}
