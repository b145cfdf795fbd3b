#include "engine/tokenizer/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/hash.h"

// Names with which families end a turn.
static const char *const turn_end_names[] = {
    "<|im_end|>",    "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>",
    "<end_of_turn>", "<|end|>",    "<|eom_id|>",      "</s>",
};

// Marks of chat formats that do not look like "<|…|>". "<s>" is not among them: it is HTML too.
static const char *const control_names[] = {"<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"};

static bool is_one_of(struct gguf_string text, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (gguf_string_is(text, names[i])) return true;
    return false;
}

static bool in_angles(struct gguf_string text) {
    return text.length >= 3 && text.bytes[0] == '<' && text.bytes[text.length - 1] == '>';
}

// "<|im_end|>", "<|tool_call>", "<tool_call|>", and the same with fullwidth bars. The bars
// alone are ordinary text (a pipeline operator, an arrow).
static bool looks_like_control(struct gguf_string text) {
    static const char wide_bar[] = "\xEF\xBD\x9C";
    if (!in_angles(text) || text.length == 3) return false;
    if (text.bytes[1] == '|' || text.bytes[text.length - 2] == '|') return true;
    if (text.length > 5 && memcmp(text.bytes + 1, wide_bar, 3) == 0) return true;
    return is_one_of(text, control_names, sizeof control_names / sizeof control_names[0]);
}

static bool is_plain(const struct vocabulary_token *token) {
    return (token->type == TOKEN_NORMAL || token->type == TOKEN_USER_DEFINED) &&
           token->text.length > 0;
}

static uint32_t hash_text(const char *bytes, size_t length) {
    return (uint32_t)hash_bytes(bytes, length, 0).low;
}

// Learned tokens keep the file's word for it: "</s>" is in many vocabularies as HTML.
static void classify(struct vocabulary *vocabulary) {
    for (int32_t id = 0; id < vocabulary->count; id++) {
        struct vocabulary_token *token = &vocabulary->tokens[id];
        const bool doubtful = token->type == TOKEN_USER_DEFINED ||
                              (!vocabulary->has_types && token->type == TOKEN_NORMAL);
        if (doubtful && looks_like_control(token->text)) token->type = TOKEN_CONTROL;
        if (token->type == TOKEN_CONTROL) token->match &= (unsigned char)~TOKEN_NORMALIZED;
        if (token->type == TOKEN_CONTROL &&
            is_one_of(token->text, turn_end_names, sizeof turn_end_names / sizeof *turn_end_names))
            token->ends_turn = true;
        if (is_plain(token) && token->text.length > vocabulary->longest_plain_bytes)
            vocabulary->longest_plain_bytes = token->text.length;
    }
}

// The slot that holds this text, or the empty one where it would go.
static struct vocabulary_slot *slot_of(const struct vocabulary *vocabulary, uint32_t hash,
                                       const char *bytes, size_t length) {
    for (size_t i = hash & vocabulary->slot_mask;; i = (i + 1) & vocabulary->slot_mask) {
        struct vocabulary_slot *slot = &vocabulary->slots[i];
        if (slot->id == TOKEN_NONE) return slot;
        if (slot->hash != hash) continue;
        const struct gguf_string text = vocabulary->tokens[slot->id].text;
        if (text.length == length && memcmp(text.bytes, bytes, length) == 0) return slot;
    }
}

static enum status index_plain(struct vocabulary *vocabulary) {
    size_t slots = 16;
    while (slots < 2 * (size_t)vocabulary->count)
        slots *= 2;
    vocabulary->slots = malloc(slots * sizeof vocabulary->slots[0]);
    if (!vocabulary->slots) return STATUS_NO_MEMORY;
    ASSERT(slots > (size_t)vocabulary->count); // so a search always meets an empty slot
    vocabulary->slot_mask = slots - 1;
    for (size_t i = 0; i < slots; i++)
        vocabulary->slots[i] = (struct vocabulary_slot){0, TOKEN_NONE};
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const struct vocabulary_token *token = &vocabulary->tokens[id];
        if (!is_plain(token)) continue;
        const uint32_t hash = hash_text(token->text.bytes, token->text.length);
        struct vocabulary_slot *slot =
            slot_of(vocabulary, hash, token->text.bytes, token->text.length);
        if (slot->id == TOKEN_NONE) *slot = (struct vocabulary_slot){hash, id};
    }
    return STATUS_OK;
}

static enum status index_type(const struct vocabulary *vocabulary, enum token_type type,
                              struct prefix_index *index) {
    size_t count = 0;
    for (int32_t id = 0; id < vocabulary->count; id++)
        count += vocabulary_type(vocabulary, id) == type;
    if (count == 0) return STATUS_OK;
    struct prefix_entry *entries = malloc(count * sizeof entries[0]);
    if (!entries) return STATUS_NO_MEMORY;
    count = 0;
    for (int32_t id = 0; id < vocabulary->count; id++) {
        const struct vocabulary_token *token = &vocabulary->tokens[id];
        if (token->type == type && token->text.length > 0 && !(token->match & TOKEN_NORMALIZED))
            entries[count++] = (struct prefix_entry){token->text.bytes, token->text.length, id};
    }
    prefix_index_build(index, entries, count);
    return STATUS_OK;
}

enum status vocabulary_init(struct vocabulary *vocabulary, size_t count) {
    ASSERT(count > 0 && count <= TOKENIZER_MAX_VOCABULARY);
    struct vocabulary made = {.bos = TOKEN_NONE, .eos = TOKEN_NONE, .unknown = TOKEN_NONE};
    made.tokens = calloc(count, sizeof made.tokens[0]);
    if (!made.tokens) return STATUS_NO_MEMORY;
    made.count = (int32_t)count;
    for (size_t i = 0; i < count; i++)
        made.tokens[i].type = TOKEN_UNUSED;
    *vocabulary = made;
    return STATUS_OK;
}

void vocabulary_name_end(struct vocabulary *vocabulary, int32_t id) {
    if (id == TOKEN_NONE) return;
    vocabulary_name_role(vocabulary, id);
    vocabulary->tokens[id].ends_turn = true;
}

void vocabulary_name_role(struct vocabulary *vocabulary, int32_t id) {
    if (id == TOKEN_NONE) return;
    ASSERT(id >= 0 && id < vocabulary->count);
    struct vocabulary_token *token = &vocabulary->tokens[id];
    if (is_plain(token) && in_angles(token->text)) token->type = TOKEN_CONTROL;
}

enum status vocabulary_index(struct vocabulary *vocabulary) {
    ASSERT(!vocabulary->slots && vocabulary->count > 0);
    classify(vocabulary);
    TRY(index_plain(vocabulary));
    TRY(index_type(vocabulary, TOKEN_CONTROL, &vocabulary->control));
    return index_type(vocabulary, TOKEN_USER_DEFINED, &vocabulary->user_defined);
}

enum status vocabulary_widen(struct vocabulary *vocabulary, size_t count) {
    const size_t before = (size_t)vocabulary->count;
    ASSERT(count >= before && count <= TOKENIZER_MAX_VOCABULARY);
    struct vocabulary_token *tokens = realloc(vocabulary->tokens, count * sizeof tokens[0]);
    if (!tokens) return STATUS_NO_MEMORY;
    for (size_t i = before; i < count; i++)
        tokens[i] = (struct vocabulary_token){.type = TOKEN_UNUSED};
    vocabulary->tokens = tokens;
    vocabulary->count = (int32_t)count;
    return STATUS_OK;
}

void vocabulary_close(struct vocabulary *vocabulary) {
    free(vocabulary->tokens);
    free(vocabulary->slots);
    free(vocabulary->texts);
    prefix_index_deinit(&vocabulary->control);
    prefix_index_deinit(&vocabulary->user_defined);
    *vocabulary = (struct vocabulary){0};
}

int32_t vocabulary_find(const struct vocabulary *vocabulary, const char *bytes, size_t length) {
    if (length == 0 || length > vocabulary->longest_plain_bytes) return TOKEN_NONE;
    return slot_of(vocabulary, hash_text(bytes, length), bytes, length)->id;
}
