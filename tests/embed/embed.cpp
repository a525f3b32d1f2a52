/* SPDX-License-Identifier: MIT */
/* The header is plain C that C++ takes too. */
#include <plansim.h>

#include <cstdio>
#include <memory>
#include <string>

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    static_cast<std::string *>(user)->append(bytes, n_bytes);
    return true;
}

int
main()
{
    PsimScheduleOptions options = {};
    options.size = sizeof options;
    options.name = "1f1b";
    options.n_ranks = 4;
    options.n_microbatches = 8;
    options.forward = options.backward_input = options.backward_weight = 1;

    GError *error = nullptr;
    std::unique_ptr<PsimResult, decltype(&psim_result_unref)> result(
        psim_schedule_simulate(&options, &error), psim_result_unref);

    if (!result) {
        std::fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return 1;
    }
    std::string json;

    if (!psim_result_write(result.get(), "json", append, &json, nullptr))
        return 1;
    return json.find("\"makespan\": 33") == std::string::npos ? 1 : 0;
}
