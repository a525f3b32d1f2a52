/* SPDX-License-Identifier: MIT */
#include "test_json.h"

#include <string.h>

PsimDocument *
parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    PsimDocument *document = psim_document_parse(text, strlen(text), "x.json", &error);

    ck_assert_msg(document != NULL, "%s", error != NULL ? error->message : "no error");
    return document;
}

PSIM_TEST_SUITES(document_suite, locate_suite, reader_suite, writer_suite);
