#include "engine/remote/byte_tokenizer.h"

#include "engine/tokenizer/internal.h"
#include "engine/tokenizer/tokenizer_json.h"

// Byte-level vocabularies name a byte by the character of its number, or, where that cannot be
// seen, by the next one from U+0100 on (Radford et al., GPT-2, 2019).
static enum status append_bytes(struct text *json) {
    uint32_t unseen = 256;
    for (uint32_t byte = 0; byte < BYTE_TOKEN_SYSTEM; byte++) {
        const bool seen = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
        TRY(text_format(json, "%s\"\\u%04x\":%u", byte ? "," : "", seen ? byte : unseen++, byte));
    }
    return STATUS_OK;
}

static enum status append_marks(struct text *json) {
    static const char *const names[] = {"system", "user", "assistant", "end"};
    for (int i = 0; i < BYTE_TOKEN_COUNT - BYTE_TOKEN_SYSTEM; i++)
        TRY(text_format(json,
                        "%s{\"id\":%d,\"content\":\"<|message_%s|>\",\"special\":true,"
                        "\"lstrip\":false,\"rstrip\":false,\"single_word\":false,"
                        "\"normalized\":false}",
                        i ? "," : "", BYTE_TOKEN_SYSTEM + i, names[i]));
    return STATUS_OK;
}

static enum status write_json(struct text *json) {
    TRY(text_append_string(json, "{\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{"));
    TRY(append_bytes(json));
    TRY(text_append_string(json,
                           "}},\"normalizer\":null,\"post_processor\":null,"
                           "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
                           "\"trim_offsets\":false,\"use_regex\":false},"
                           "\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
                           "\"trim_offsets\":false,\"use_regex\":false},\"added_tokens\":["));
    TRY(append_marks(json));
    return text_append_string(json, "]}");
}

enum status byte_tokenizer_open(struct tokenizer **tokenizer, struct error *err) {
    static const char CONFIG[] = "{\"eos_token\":\"<|message_end|>\"}";
    struct text json = {0};
    enum status status = write_json(&json);
    if (status == STATUS_OK) {
        const struct tokenizer_json files = {
            .name = "bytes",
            .tokenizer = {text_string(&json), json.length},
            .config = {CONFIG, sizeof CONFIG - 1},
        };
        status = tokenizer_open_json(&files, tokenizer, err);
        if (status == STATUS_OK) (*tokenizer)->writes_marks = true;
    }
    text_deinit(&json);
    return status;
}
