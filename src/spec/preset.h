/* SPDX-License-Identifier: MIT */
/* preset.h: the data files of models/, hardware/ and plans/, compiled in
 *
 * So that `--model llama-3-70b` works wherever the program runs. Looked up by file stem.
 */
#pragma once

#include "plansim.h"
#include "json/document.h"

G_BEGIN_DECLS

/**
 * psim_preset_resolve:
 * The document a name stands for: a path if it has a slash or ends in .json (relative to
 * @directory, if that is not NULL and the name not absolute), else the preset.
 *
 * Errors: IO, SYNTAX ...; VALUE "no model "llama-3-80b"; did you mean "llama-3-70b"?".
 */
PsimDocument *
psim_preset_resolve(PsimPresetKind kind, const char *name, const char *directory, GError **error);

/** psim_preset_kind_name: Returns: "model", "hardware", "device", "runtime", "plan"; static. */
const char *psim_preset_kind_name(PsimPresetKind kind);

G_END_DECLS
