/* SPDX-License-Identifier: MIT */
/* Read from the base plan's canonical text, which is public; handles are opaque. */
#include "search/site.h"

#include "search/quantity.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

static const cJSON *
member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double
number(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);

    if (cJSON_IsNumber(item))
        return item->valuedouble;
    return cJSON_IsString(item) ? g_ascii_strtod(item->valuestring, NULL) : 0.0;
}

static uint32_t
count(const cJSON *object, const char *name)
{
    return (uint32_t)number(object, name);
}

static char *
text(const cJSON *object, const char *name)
{
    const cJSON *item = member(object, name);

    return cJSON_IsString(item) ? g_strdup(item->valuestring) : NULL;
}

static void
read_model(PsimSite *self, const cJSON *model)
{
    const cJSON *transformer = member(model, "transformer");
    const cJSON *list = member(model, "layer_list");
    const cJSON *layer = NULL;

    if (transformer != NULL) {
        self->n_layers = count(transformer, "layers");
        self->sequence = count(transformer, "sequence");
        return;
    }
    self->sequence = count(list, "sample_tokens");
    cJSON_ArrayForEach(layer, member(list, "layers"))
    {
        self->n_layers += member(layer, "repeat") != NULL ? count(layer, "repeat") : 1;
    }
}

static void
read_hardware(PsimSite *self, const cJSON *hardware)
{
    const cJSON *device = member(hardware, "device");
    g_autofree char *tdp = text(device, "tdp");
    g_autofree char *usable = text(member(device, "memory"), "usable");

    self->name = text(hardware, "name");
    self->gpus_per_node = count(hardware, "gpus_per_node");
    self->scale_up_size = count(member(hardware, "scale_up"), "size");
    (void)psim_quantity_watts(tdp != NULL ? tdp : "", &self->tdp_w);
    (void)psim_quantity_bytes(usable != NULL ? usable : "", &self->capacity_bytes);
}

/* The device's price has a date; one that was given in its place has none that we know. */
static void
read_price(PsimSite *self, const cJSON *plan)
{
    const cJSON *own = member(member(member(plan, "hardware"), "device"), "price");

    self->usd_per_gpu_hour = number(member(plan, "run"), "usd_per_gpu_hour");
    if (!(fabs(number(own, "usd_per_gpu_hour") - self->usd_per_gpu_hour) > 0.0))
        self->price_date = text(own, "date");
}

static char *
make_subject(const char *hardware, const cJSON *model)
{
    g_autofree char *name = text(model, "name");

    return g_strdup_printf("--model %s --hardware %s", name, hardware);
}

PsimSite *
psim_site_new(PsimPlan *base, GError **error)
{
    PsimSite *self = g_new0(PsimSite, 1);

    self->base = psim_plan_ref(base);
    self->digest_text = psim_plan_write(base);
    cJSON *plan = cJSON_Parse(self->digest_text);
    const cJSON *parallel = member(plan, "parallel");
    const cJSON *bytes = member(member(plan, "runtime"), "bytes_per_parameter");

    g_autofree char *split = text(plan, "layers_per_stage");

    read_model(self, member(plan, "model"));
    read_hardware(self, member(plan, "hardware"));
    self->subject = make_subject(self->name, member(plan, "model"));
    self->runtime = text(member(plan, "runtime"), "name");
    self->precision = text(plan, "precision");
    self->state_bytes = number(bytes, "weights") + number(bytes, "optimizer");
    read_price(self, plan);
    self->is_sequence_parallel = cJSON_IsTrue(member(parallel, "sequence_parallel"));
    self->is_split = g_strcmp0(split, "even") != 0;
    self->tokens = number(member(plan, "run"), "tokens");
    self->tp = count(parallel, "tensor");
    self->cp = member(parallel, "context") != NULL ? count(parallel, "context") : 1;
    self->pp = count(parallel, "pipeline");
    self->dp = count(parallel, "data");
    self->global_batch = count(member(plan, "batch"), "global");
    cJSON_Delete(plan);
    if (self->n_layers > 0 && self->name != NULL)
        return self;
    psim_site_free(self);
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_INTERNAL,
                        "the canonical text of a plan has no layers or no hardware");
    return NULL;
}

void
psim_site_free(PsimSite *self)
{
    if (self == NULL)
        return;
    psim_plan_unref(self->base);
    g_free(self->name);
    g_free(self->subject);
    g_free(self->runtime);
    g_free(self->precision);
    g_free(self->digest_text);
    g_free(self->price_date);
    g_free(self);
}
