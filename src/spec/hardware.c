/* SPDX-License-Identifier: MIT */
#include "spec/hardware.h"

#include "base/limits.h"
#include "spec/calibration.h"
#include "spec/device.h"
#include "spec/digest.h"
#include "spec/member.h"
#include "spec/override.h"
#include "spec/preset.h"

#include <string.h>

#define SCHEMA   "plansim.hardware/1"
#define MAX_RATE PSIM_MEMBER_MAX_RATE
#define MAX_TIME PSIM_MEMBER_MAX_TIME_S

static const char *const collective_words[] = {"all-reduce", "all-gather", "reduce-scatter",
                                               "all-to-all", "send",       NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(collective_words) == PSIM_N_COLLECTIVES + 1);

const char *const *
psim_collective_words(void)
{
    return collective_words;
}

static void
free_members(PsimHardware *self)
{
    for (uint32_t i = 0; i < self->n_collectives; i++)
        g_free(self->collectives[i].origin.source);
    g_free(self->collectives);
    psim_device_clear(&self->device);
    g_free(self->name);
    g_free(self->about);
    g_free(self->source);
    g_free(self->scale_up_name);
    g_free(self->scale_up_origin.source);
    g_free(self->fabric_name);
    g_free(self->fabric_origin.source);
    g_free(self->calibration);
    g_free(self->digest);
    g_ptr_array_unref(self->defaults);
    g_free(self);
}

PsimHardware *
psim_hardware_ref(PsimHardware *self)
{
    g_return_val_if_fail(self != NULL, NULL);
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void
psim_hardware_unref(PsimHardware *self)
{
    if (self != NULL && g_atomic_int_dec_and_test(&self->ref_count))
        free_members(self);
}

/* Fills the device from the file or preset it is named by. */
static bool
read_named_device(PsimHardware *self, PsimReader *reader, const PsimHardwareContext *context)
{
    static const char *const no_parts[] = {NULL};
    const char *name = psim_reader_string(reader, "device");
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_DEVICE, name, context->directory, &error);

    if (document == NULL ||
        !psim_override_apply(&context->device_overrides, no_parts, document, &error)) {
        psim_reader_complain(reader, "device", (PsimError)error->code, "%s", error->message);
        return false;
    }

    g_autoptr(PsimReader) inner = psim_reader_new(document, context->complaints);
    g_autofree char *stem = psim_member_stem(psim_document_name(document));

    psim_device_read_members(&self->device, inner, context->complaints, stem);
    psim_reader_end(inner);
    psim_member_copy_defaults(self->defaults, psim_reader_defaults(inner), 0, "/hardware/device");
    return true;
}

/* What stands for a device where complaints leave none. */
static void
stand_in_device(PsimDevice *device)
{
    *device = (PsimDevice){
        .name = g_strdup("none"),
        .memory_label = g_strdup("none"),
        .memory_bytes = 1,
        .memory_usable_bytes = 1,
        .memory_bytes_per_s = 1,
        .peak_flop_per_s[PSIM_PRECISION_FP32] = 1,
        .gemm.origin.source = g_strdup(""),
        .memory_bound.origin.source = g_strdup(""),
    };
}

static void
read_device(PsimHardware *self, PsimReader *reader, const PsimHardwareContext *context)
{
    if (psim_reader_is_object(reader, "device")) {
        psim_reader_enter(reader, "device");
        psim_device_read_members(&self->device, reader, context->complaints, "device");
        psim_reader_leave(reader);
        return;
    }
    if (psim_reader_is_string(reader, "device") && read_named_device(self, reader, context))
        return;
    stand_in_device(&self->device);
    if (psim_reader_is_string(reader, "device"))
        return;
    psim_reader_complain(reader, "device", PSIM_ERROR_SCHEMA,
                         psim_reader_has(reader, "device")
                             ? "must be the name of a preset, a path, or an object"
                             : "missing; expected the name of a preset, a path, or an object");
}

static void
read_collectives(PsimHardware *self, PsimReader *reader)
{
    self->n_collectives = psim_member_items(reader, "collectives");
    self->collectives = g_new0(PsimCollectiveConstants, MAX(self->n_collectives, 1));
    for (uint32_t i = 0; i < self->n_collectives; i++) {
        PsimCollectiveConstants *row = &self->collectives[i];

        psim_reader_enter_item(reader, "collectives", i);
        row->what = (PsimCollective)psim_reader_choice(reader, "what", collective_words);
        row->n_ranks = (uint32_t)psim_reader_count(reader, "ranks", 2, PSIM_LIMIT_GPUS);
        row->a_s = psim_reader_quantity(reader, "a", PSIM_DIMENSION_TIME, 0, MAX_TIME);
        row->step_s = psim_reader_quantity(reader, "step", PSIM_DIMENSION_TIME, 0, MAX_TIME);
        row->low_bytes_per_s =
            psim_reader_quantity(reader, "low", PSIM_DIMENSION_BYTES_PER_S, 1, MAX_RATE);
        row->high_bytes_per_s =
            psim_reader_quantity(reader, "high", PSIM_DIMENSION_BYTES_PER_S, 1, MAX_RATE);
        psim_member_origin(reader, &row->origin);
        psim_reader_leave(reader);
    }
}

/* A node of one GPU has no links inside; legal figures stand in, which nothing uses. */
static void
stand_in_scale_up(PsimHardware *self)
{
    self->scale_up_size = 1;
    self->scale_up_bytes_per_s =
        self->device.pcie_bytes_per_s > 0 ? self->device.pcie_bytes_per_s : 1e9;
    self->scale_up_fraction = 1;
    self->pair_bytes_per_s = self->scale_up_bytes_per_s;
}

static void
read_scale_up(PsimHardware *self, PsimReader *reader)
{
    if (!psim_reader_has(reader, "scale_up") && self->gpus_per_node == 1) {
        stand_in_scale_up(self);
        return;
    }
    psim_reader_enter(reader, "scale_up");
    self->scale_up_name = psim_member_text(reader, "name");
    if (self->scale_up_name == NULL)
        self->scale_up_name = g_strdup("scale-up");
    self->scale_up_size = (uint32_t)psim_member_count(reader, "size", 1, PSIM_LIMIT_GPUS,
                                                      self->gpus_per_node, "a node");
    self->scale_up_bytes_per_s =
        psim_reader_quantity(reader, "bandwidth", PSIM_DIMENSION_BYTES_PER_S, 1, MAX_RATE);
    self->scale_up_fraction = psim_reader_number_or(reader, "fraction", 0.001, 1, 0.78);
    self->pair_bytes_per_s =
        psim_reader_quantity_or(reader, "pair_bandwidth", PSIM_DIMENSION_BYTES_PER_S, 1, MAX_RATE,
                                self->scale_up_bytes_per_s);
    self->in_switch_reduction = psim_reader_flag_or(reader, "in_switch_reduction", false);
    self->scale_up_latency_s =
        psim_reader_quantity_or(reader, "latency", PSIM_DIMENSION_TIME, 0, MAX_TIME, 7e-6);
    self->scale_up_step_s =
        psim_reader_quantity_or(reader, "ring_step", PSIM_DIMENSION_TIME, 0, MAX_TIME, 1.9e-6);
    read_collectives(self, reader);
    psim_member_own_origin(reader, &self->scale_up_origin);
    psim_reader_leave(reader);
}

static void
read_fabric(PsimHardware *self, PsimReader *reader)
{
    if (!psim_reader_has(reader, "fabric")) {
        self->oversubscription = 1;
        return;
    }
    psim_reader_enter(reader, "fabric");
    self->fabric_name = psim_member_text(reader, "name");
    if (self->fabric_name == NULL)
        self->fabric_name = g_strdup("fabric");
    self->nics_per_node = (uint32_t)psim_member_count(reader, "nics", 1, PSIM_LIMIT_WIDTH,
                                                      self->gpus_per_node, "one a GPU");
    self->nic_bytes_per_s =
        psim_reader_quantity(reader, "nic_bandwidth", PSIM_DIMENSION_BYTES_PER_S, 1, MAX_RATE);
    self->nic_fraction = psim_reader_number_or(reader, "nic_fraction", 0.001, 1, 0.9);
    self->ring_step_s =
        psim_reader_quantity_or(reader, "ring_step", PSIM_DIMENSION_TIME, 0, MAX_TIME, 6e-6);
    self->fabric_latency_s =
        psim_reader_quantity_or(reader, "latency", PSIM_DIMENSION_TIME, 0, MAX_TIME, 17e-6);
    self->oversubscription = psim_reader_number_or(reader, "oversubscription", 1, 1e3, 1);
    psim_member_origin(reader, &self->fabric_origin);
    psim_reader_leave(reader);
}

static void
read_max_nodes(PsimHardware *self, PsimReader *reader)
{
    const bool alone = !psim_reader_has(reader, "fabric");

    self->max_nodes =
        (uint32_t)psim_member_count(reader, "max_nodes", 0, PSIM_LIMIT_GPUS, alone ? 1 : 0,
                                    alone ? "there is no fabric" : "no limit");
    if (alone && self->max_nodes != 1) {
        psim_reader_complain(reader, "max_nodes", PSIM_ERROR_MISMATCH,
                             "is %u; without a \"fabric\" there is 1 node", self->max_nodes);
        self->max_nodes = 1;
    }
}

static void
check_domain(const PsimHardware *self, PsimReader *reader)
{
    if (self->scale_up_size % self->gpus_per_node != 0)
        psim_reader_complain(reader, "scale_up", PSIM_ERROR_MISMATCH,
                             "has size %u; must be a multiple of the %u GPUs of a node",
                             self->scale_up_size, self->gpus_per_node);
}

PsimHardware *
psim_hardware_read_members(PsimReader *reader, const PsimHardwareContext *context)
{
    const guint n_before = psim_reader_defaults(reader)->len;
    const size_t n_complaints = psim_complaints_n(context->complaints);
    PsimHardware *self = g_new0(PsimHardware, 1);
    const PsimTitles titles = psim_member_titles(reader, SCHEMA, context->fallback);

    self->ref_count = 1;
    self->name = titles.name;
    self->about = titles.about;
    self->source = titles.source;
    self->defaults = psim_member_defaults_new();
    read_device(self, reader, context);
    self->gpus_per_node = (uint32_t)psim_reader_count(reader, "gpus_per_node", 1, PSIM_LIMIT_GPUS);
    read_max_nodes(self, reader);
    read_scale_up(self, reader);
    read_fabric(self, reader);
    self->calibration = psim_calibration_read(reader);
    if (psim_complaints_n(context->complaints) == n_complaints)
        check_domain(self, reader);
    psim_member_copy_defaults(self->defaults, psim_reader_defaults(reader), n_before,
                              context->prefix);

    /* How constants came about is no part of what they are: a plan's copy has the same digest. */
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_hardware_write_members(self, writer, NULL);

    g_autofree char *text = psim_writer_finish(writer);

    self->digest = psim_digest_text(text);
    return self;
}

static PsimHardware *
read_document(PsimDocument *document, PsimComplaints *complaints, PsimOverrides device_overrides)
{
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);
    g_autofree char *stem = psim_member_stem(psim_document_name(document));
    g_autofree char *directory = g_path_get_dirname(psim_document_name(document));
    const PsimHardwareContext context = {
        .complaints = complaints,
        .fallback = stem,
        .prefix = "/hardware",
        .directory = directory,
        .device_overrides = device_overrides,
    };
    PsimHardware *self = psim_hardware_read_members(reader, &context);

    psim_reader_end(reader);
    return self;
}

PsimHardware *
psim_hardware_read(PsimDocument *document, PsimComplaints *complaints)
{
    return read_document(document, complaints, (PsimOverrides){.prefix = "/device"});
}

PsimHardware *
psim_hardware_read_with(PsimDocument *document,
                        PsimComplaints *complaints,
                        const PsimOverrides *overrides,
                        GError **error)
{
    static const char *const parts[] = {"/device", NULL};
    g_autofree char *prefix = g_strconcat(overrides->prefix, "/device", NULL);
    PsimOverrides below = *overrides;

    below.prefix = prefix;
    if (!psim_override_apply(overrides, parts, document, error))
        return NULL;
    return read_document(document, complaints, below);
}

PsimHardware *
psim_hardware_load(const char *name,
                   const PsimOverride *overrides,
                   size_t n_overrides,
                   GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);

    const PsimOverrides all = {.items = overrides, .n = n_overrides, .prefix = ""};
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_HARDWARE, name, /* directory= */ NULL, error);

    if (document == NULL)
        return NULL;

    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimHardware) self = psim_hardware_read_with(document, complaints, &all, error);

    if (self == NULL || !psim_complaints_finish(complaints, error))
        return NULL;
    return g_steal_pointer(&self);
}

static void
write_collectives(const PsimHardware *self, PsimWriter *writer)
{
    const PsimDimension rate = PSIM_DIMENSION_BYTES_PER_S;

    psim_writer_begin_array(writer, "collectives");
    for (uint32_t i = 0; i < self->n_collectives; i++) {
        const PsimCollectiveConstants *row = &self->collectives[i];

        psim_writer_begin_row(writer, NULL);
        psim_writer_string(writer, "what", collective_words[row->what]);
        psim_writer_count(writer, "ranks", row->n_ranks);
        psim_member_write_quantity(writer, "a", row->a_s, PSIM_DIMENSION_TIME);
        psim_member_write_quantity(writer, "step", row->step_s, PSIM_DIMENSION_TIME);
        psim_member_write_quantity(writer, "low", row->low_bytes_per_s, rate);
        psim_member_write_quantity(writer, "high", row->high_bytes_per_s, rate);
        psim_member_write_origin(writer, &row->origin);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
}

static void
write_scale_up(const PsimHardware *self, PsimWriter *writer)
{
    const PsimDimension rate = PSIM_DIMENSION_BYTES_PER_S;

    if (self->scale_up_name == NULL)
        return;
    psim_writer_begin_object(writer, "scale_up");
    psim_writer_string(writer, "name", self->scale_up_name);
    psim_writer_count(writer, "size", self->scale_up_size);
    psim_member_write_quantity(writer, "bandwidth", self->scale_up_bytes_per_s, rate);
    psim_writer_number(writer, "fraction", self->scale_up_fraction);
    psim_member_write_quantity(writer, "pair_bandwidth", self->pair_bytes_per_s, rate);
    psim_writer_flag(writer, "in_switch_reduction", self->in_switch_reduction);
    psim_member_write_quantity(writer, "latency", self->scale_up_latency_s, PSIM_DIMENSION_TIME);
    psim_member_write_quantity(writer, "ring_step", self->scale_up_step_s, PSIM_DIMENSION_TIME);
    write_collectives(self, writer);
    psim_member_write_own_origin(writer, &self->scale_up_origin);
    psim_writer_end_object(writer);
}

static void
write_fabric(const PsimHardware *self, PsimWriter *writer)
{
    if (self->fabric_name == NULL)
        return;
    psim_writer_begin_object(writer, "fabric");
    psim_writer_string(writer, "name", self->fabric_name);
    psim_writer_count(writer, "nics", self->nics_per_node);
    psim_member_write_quantity(writer, "nic_bandwidth", self->nic_bytes_per_s,
                               PSIM_DIMENSION_BYTES_PER_S);
    psim_writer_number(writer, "nic_fraction", self->nic_fraction);
    psim_member_write_quantity(writer, "ring_step", self->ring_step_s, PSIM_DIMENSION_TIME);
    psim_member_write_quantity(writer, "latency", self->fabric_latency_s, PSIM_DIMENSION_TIME);
    psim_writer_number(writer, "oversubscription", self->oversubscription);
    psim_member_write_origin(writer, &self->fabric_origin);
    psim_writer_end_object(writer);
}

static void
write_body(const PsimHardware *self, PsimWriter *writer)
{
    const PsimTitles titles = {self->name, self->about, self->source};

    psim_member_write_titles(writer, SCHEMA, &titles);
    psim_device_write_members(&self->device, writer, "device");
    psim_writer_count(writer, "gpus_per_node", self->gpus_per_node);
    psim_writer_count(writer, "max_nodes", self->max_nodes);
    write_scale_up(self, writer);
    write_fabric(self, writer);
}

void
psim_hardware_write_members(const PsimHardware *self, PsimWriter *writer, const char *key)
{
    psim_writer_begin_object(writer, key);
    write_body(self, writer);
    psim_writer_end_object(writer);
}

char *
psim_hardware_write(const PsimHardware *self)
{
    g_return_val_if_fail(self != NULL, NULL);

    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_begin_object(writer, NULL);
    write_body(self, writer);
    if (self->calibration != NULL)
        psim_writer_raw(writer, "calibration", self->calibration);
    psim_writer_end_object(writer);
    return psim_writer_finish(writer);
}
