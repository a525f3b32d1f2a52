/* SPDX-License-Identifier: MIT */
/* test_json.h: what the tests of json/ share */
#pragma once

#include "main.h"
#include "json/document.h"

/** parse: a text that is known to be JSON, as "x.json". */
PsimDocument *parse(const char *text);

Suite *document_suite(void);
Suite *locate_suite(void);
Suite *reader_suite(void);
Suite *writer_suite(void);
