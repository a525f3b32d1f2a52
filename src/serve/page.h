/* SPDX-License-Identifier: MIT */
/* page.h: files of assets/, compiled in by tools/embed_text */
#pragma once

extern const char psim_page_html[];
extern const char psim_page_css[];
extern const char psim_page_js[];
