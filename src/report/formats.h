/* SPDX-License-Identifier: MIT */
/* formats.h: the formats that report.c lists, each in the file of its name */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

extern const PsimReportType psim_text_report;
extern const PsimReportType psim_json_report;
extern const PsimReportType psim_markdown_report;
extern const PsimReportType psim_chrome_report;
extern const PsimReportType psim_ascii_report;
extern const PsimReportType psim_csv_report;
extern const PsimReportType psim_svg_report;
extern const PsimReportType psim_html_report;
extern const PsimReportType psim_png_report;

G_END_DECLS
