/* SPDX-License-Identifier: MIT */
/* Measured products and the record of a calibration in a hardware file: what is kept, and what is
 * refused with its place.
 */
#include "test_spec.h"

#include "spec/gemm_rows.h"
#include "json/document.h"

#include <string.h>

#define DEVICE(gemm)                                                                               \
    "{\"device\": {\"peak\": {\"fp32\": \"1 TFLOP/s\"}, \"memory\": {\"total\": \"1 GB\", "        \
    "\"bandwidth\": \"1 GB/s\"},\n\"gemm\": {" gemm "}},\n\"gpus_per_node\": 1"
#define ROW(layout, m, n, k)                                                                       \
    "{\"precision\": \"fp32\", \"layout\": \"" layout "\", \"m\": " m ", \"n\": " n ", \"k\": " k  \
    ", \"output_bytes\": 4, \"time\": \"5 us\"}"
#define CALIBRATION(flag, samples)                                                                 \
    ",\n\"calibration\": {\"schema\": \"plansim.calibration/1\", \"backend\": \"cpu\", "           \
    "\"complete\": true,\n\"unit\": {\"name\": \"x\", \"identifier\": \"\", \"driver\": \"\", "    \
    "\"libraries\": \"\", \"architecture\": \"\", \"units\": 1, \"sms\": 0, \"memory_bytes\": 1, " \
    "\"memory_usable_bytes\": 1, \"cache_bytes\": 1},\n\"method\": {\"statistic\": \"minimum\", "  \
    "\"warm_up\": 1, \"batches\": 1, \"batch_s\": 1, \"budget_s\": 1, \"seed\": 1, \"suites\": "   \
    "[\"launch\"]},\n\"rows\": [{\"kind\": \"launch\", \"number\": \"fp32\", \"launches\": 1, "    \
    "\"graphed\": false, \"role\": \"fit\", \"verdict\": \"right\", \"cold\": false, "             \
    "\"repeats\": 1,\n\"flags\": [" flag "],\n\"samples_us\": [" samples "]}]}"

static PsimHardware *
read_text(const char *text, char **ret_message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimDocument) document = psim_document_parse(text, strlen(text), "h.json", &error);

    ck_assert_msg(document != NULL, "%s", error != NULL ? error->message : "");
    PsimHardware *hardware = psim_hardware_read(document, complaints);

    *ret_message = NULL;
    if (!psim_complaints_finish(complaints, &error))
        *ret_message = g_strdup(error->message);
    return hardware;
}

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    {DEVICE("\"table\": [" ROW("TN", "8", "8", "8") ", " ROW("TN", "8", "8", "8") "]") "}",
     "h.json:2:19: /device/gemm/table: has TN 8 x 8 x 8 twice; a shape has one time"},
    {DEVICE("\"table\": [\n" ROW("TT", "8", "8", "8") "]") "}",
     "h.json:3:33: /device/gemm/table/0/layout: is \"TT\"; must be one of TN, NN, NT; did "
     "you mean \"TN\"?"},
    {DEVICE("\"table\": [\n" ROW("TN", "0", "8", "8") "]") "}",
     "h.json:3:44: /device/gemm/table/0/m: is 0; must be from 1 to 16777216"},
    {DEVICE("") CALIBRATION("\"slow\"", "1") "}",
     "h.json:8:10: /calibration/rows/0/flags: has \"slow\"; must be of scattered, clock-moved, "
     "throttled, short"},
    {DEVICE("") CALIBRATION("", "") "}",
     "h.json:9:15: /calibration/rows/0/samples_us: is empty; what was measured has a sample"},
    {DEVICE("") CALIBRATION("", "0") "}",
     "h.json:9:16: /calibration/rows/0/samples_us/0: is 0; must be from 1e-9 to 1000000000000"},
    {DEVICE("") ",\n\"calibration\": 3}", "h.json:4:16: /calibration: must be an object"},
};

START_TEST(what_was_not_measured_so_is_refused)
{
    g_autofree char *message = NULL;
    g_autoptr(PsimHardware) hardware = read_text(refused[_i].text, &message);

    ck_assert_ptr_nonnull(hardware);
    ck_assert_pstr_eq(message, refused[_i].message);
}
END_TEST

START_TEST(rows_are_sorted_and_read_back)
{
    g_autofree char *message = NULL;
    g_autoptr(PsimHardware) hardware =
        read_text(DEVICE("\"table\": [" ROW("NT", "8", "16", "64") ", " ROW(
                      "TN", "32", "8", "8") ", " ROW("TN", "16", "8", "8") "]") "}",
                  &message);
    const PsimGemmConstants *gemm = &hardware->device.gemm;

    ck_assert_pstr_eq(message, NULL);
    ck_assert_uint_eq(gemm->n_rows, 3);
    ck_assert_uint_eq(gemm->rows[0].m, 16);
    ck_assert_uint_eq(gemm->rows[1].m, 32);
    ck_assert_int_eq(gemm->rows[2].layout, PSIM_PRODUCT_NT);
    ck_assert_double_eq(psim_gemm_row_tokens(&gemm->rows[2]), 64);
    g_autofree char *text = psim_hardware_write(hardware);
    g_autofree char *message_again = NULL;
    g_autoptr(PsimHardware) again = read_text(text, &message_again);
    g_autofree char *text_again = psim_hardware_write(again);

    ck_assert_pstr_eq(message_again, NULL);
    ck_assert_str_eq(text_again, text);
}
END_TEST

/* It is kept, but is no part of what the hardware is. */
START_TEST(a_calibration_is_kept_and_moves_no_digest)
{
    g_autofree char *message = NULL;
    g_autofree char *message_plain = NULL;
    g_autoptr(PsimHardware) hardware =
        read_text(DEVICE("") CALIBRATION("\"short\"", "1.5, 2") "}", &message);
    g_autoptr(PsimHardware) plain = read_text(DEVICE("") "}", &message_plain);

    ck_assert_pstr_eq(message, NULL);
    ck_assert_str_eq(hardware->digest, plain->digest);
    g_autofree char *text = psim_hardware_write(hardware);
    g_autofree char *text_plain = psim_hardware_write(plain);

    ck_assert_ptr_nonnull(strstr(text, "\"backend\": \"cpu\""));
    ck_assert_ptr_null(strstr(text_plain, "calibration"));
}
END_TEST

Suite *
calibration_suite(void)
{
    Suite *suite = suite_create("calibration");
    TCase *tcase = tcase_create("calibration");

    tcase_add_loop_test(tcase, what_was_not_measured_so_is_refused, 0, G_N_ELEMENTS(refused));
    tcase_add_test(tcase, rows_are_sorted_and_read_back);
    tcase_add_test(tcase, a_calibration_is_kept_and_moves_no_digest);
    suite_add_tcase(suite, tcase);
    return suite;
}
