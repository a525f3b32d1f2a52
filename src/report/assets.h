/* SPDX-License-Identifier: MIT */
/* assets.h: files of assets/, compiled in by tools/embed_text */
#pragma once

extern const char psim_assets_css[];
extern const char psim_assets_js[];
