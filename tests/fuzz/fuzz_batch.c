// tests/fuzz/fuzz_batch.c — any bytes as a line of a batch: refused with a reason, or a request
// that can be rendered.
#include <stdint.h>
#include <string.h>

#include "app/cli/batch_line.h"
#include "kernels/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_line(const struct batch_line *line) {
    ASSERT(sampler_options_check(&line->options.sampler, NULL) == STATUS_OK);
    ASSERT(line->count > 0 && line->messages[line->count - 1].role == ROLE_USER);
    for (size_t i = 0; i < line->count; i++)
        ASSERT(strlen(line->messages[i].text) == line->messages[i].length);
    for (size_t i = 0; line->stops[i]; i++)
        ASSERT(i < BATCH_LINE_STOPS && line->stops[i][0]);
    const struct chat_template_options options = {.bos = "", .eos = ""};
    const struct render what = {.messages = line->messages, .count = line->count, .ask = true};
    static struct chat_template *chatml;
    struct prompt prompt = {0};
    struct error err = {0};
    if (!chatml) ASSERT(chat_template_create(&options, &chatml, &err) == STATUS_OK);
    if (chat_template_render(chatml, &what, &prompt, &err) != STATUS_OK) ASSERT(err.text[0]);
    prompt_deinit(&prompt);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static const char *const stops[] = {"STOP", NULL};
    const struct batch_defaults defaults = {
        .options = {.sampler = sampler_options_default()}, .system = "Be brief.", .stops = stops};
    struct batch_line line;
    struct error err = {0};
    const enum status status = batch_line_read((const char *)bytes, length, &defaults, &line, &err);
    if (status == STATUS_OK)
        check_line(&line);
    else
        ASSERT(err.status == status && err.text[0]);
    batch_line_deinit(&line);
    return 0;
}
