#include "prompts/template.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/assert.h"
#include "engine/base/size.h"
#include "engine/base/text.h"

enum { MARK_COUNT = 3, STOP_COUNT = 2 };

struct frame {
    const char *open, *close;
};

// An answer is written as ask, lead, text, end, rest. The model itself writes the lead, the text
// and the end's token, so none of these is rendered for an answer that is in the log; the lead
// is a space that a SentencePiece model puts before its first word.
struct chat_template {
    const char *name;
    const char *marks[MARK_COUNT]; // all occur in a template string of this kind
    struct frame system, user;
    const char *ask, *lead, *end, *rest;
    const char *default_system; // stands where a conversation has no system message; or NULL
    bool folds_system;          // the system's frame stands inside the first user message
    bool alternates;            // user and assistant take turns, beginning with the user
    bool trims;                 // white space around each message goes
    bool bos_each_exchange;     // a BOS also before the second and later user messages
    const char *stops[STOP_COUNT + 1];
};

#define CHATML                                                                                    \
    .system = {"<|im_start|>system\n", "<|im_end|>\n"},                                           \
    .user = {"<|im_start|>user\n", "<|im_end|>\n"}, .ask = "<|im_start|>assistant\n", .lead = "", \
    .end = "<|im_end|>", .rest = "\n", .stops = {"<|im_end|>"}

#define LLAMA3                                                                                   \
    .user = {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},                      \
    .ask = "<|start_header_id|>assistant<|end_header_id|>\n\n", .lead = "", .end = "<|eot_id|>", \
    .rest = "", .trims = true, .stops = {"<|eot_id|>"}

// A row stands before those whose marks its own templates contain as well.
static const struct chat_template rows[] = {
    {.name = "phi4",
     .marks = {"<|im_start|>", "<|im_sep|>"},
     .system = {"<|im_start|>system<|im_sep|>", "<|im_end|>"},
     .user = {"<|im_start|>user<|im_sep|>", "<|im_end|>"},
     .ask = "<|im_start|>assistant<|im_sep|>",
     .lead = "",
     .end = "<|im_end|>",
     .rest = "",
     .stops = {"<|im_end|>"}},
    {.name = "qwen2.5",
     .marks = {"<|im_start|>",
               "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>"},
     .default_system = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
     CHATML},
    {.name = "qwen2",
     .marks = {"<|im_start|>", "You are a helpful assistant.<|im_end|>"},
     .default_system = "You are a helpful assistant.",
     CHATML},
    {.name = "smollm2",
     .marks = {"<|im_start|>",
               "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>"},
     .default_system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
     CHATML},
    {.name = "chatml", .marks = {"<|im_start|>", "<|im_end|>"}, CHATML},
    {.name = "llama3.1",
     .marks = {"<|start_header_id|>", "<|eot_id|>", "Cutting Knowledge Date: December 2023"},
     .system = {"<|start_header_id|>system<|end_header_id|>\n\n"
                "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n",
                "<|eot_id|>"},
     .default_system = "",
     LLAMA3},
    {.name = "llama3",
     .marks = {"<|start_header_id|>", "<|eot_id|>"},
     .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
     LLAMA3},
    {.name = "llama2",
     .marks = {"[INST]", "<<SYS>>"},
     .system = {"<<SYS>>\n", "\n<</SYS>>\n\n"},
     .user = {"[INST] ", " [/INST]"},
     .ask = "",
     .lead = " ",
     .end = " </s>",
     .rest = "",
     .folds_system = true,
     .alternates = true,
     .trims = true,
     .bos_each_exchange = true,
     .stops = {"</s>", "[INST]"}},
    {.name = "mistral-v7",
     .marks = {"[INST]", "[SYSTEM_PROMPT]"},
     .system = {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
     .user = {"[INST]", "[/INST]"},
     .ask = "",
     .lead = "",
     .end = "</s>",
     .rest = "",
     .alternates = true,
     .stops = {"</s>"}},
    {.name = "mistral-v1", // [INST] is ordinary text here, and a control token from v2 on
     .marks = {"[INST]", " [/INST]"},
     .system = {"", "\n\n"},
     .user = {"[INST] ", " [/INST]"},
     .ask = "",
     .lead = " ",
     .end = "</s>",
     .rest = "",
     .folds_system = true,
     .alternates = true,
     .stops = {"</s>", "[INST]"}},
    {.name = "mistral-v3", // SentencePiece's own space makes the "[INST] x[/INST] y" of that kind
     .marks = {"[INST]", "[/INST]"},
     .system = {"", "\n\n"},
     .user = {"[INST]", "[/INST]"},
     .ask = "",
     .lead = "",
     .end = "</s>",
     .rest = "",
     .folds_system = true,
     .alternates = true,
     .stops = {"</s>"}},
    {.name = "gemma",
     .marks = {"<start_of_turn>", "<end_of_turn>"},
     .system = {"", "\n\n"},
     .user = {"<start_of_turn>user\n", "<end_of_turn>\n"},
     .ask = "<start_of_turn>model\n",
     .lead = "",
     .end = "<end_of_turn>",
     .rest = "\n",
     .folds_system = true,
     .alternates = true,
     .trims = true,
     .stops = {"<end_of_turn>"}},
    {.name = "phi3",
     .marks = {"<|user|>", "<|end|>"},
     .system = {"<|system|>\n", "<|end|>\n"},
     .user = {"<|user|>\n", "<|end|>\n"},
     .ask = "<|assistant|>\n",
     .lead = "",
     .end = "<|end|>",
     .rest = "\n",
     .stops = {"<|end|>"}},
    {.name = "zephyr",
     .marks = {"<|user|>", "<|assistant|>", "eos_token"},
     .system = {"<|system|>\n", "</s>\n"},
     .user = {"<|user|>\n", "</s>\n"},
     .ask = "<|assistant|>\n",
     .lead = "",
     .end = "</s>",
     .rest = "\n",
     .stops = {"</s>", "<|user|>"}},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static const char *const role_names[ROLE_COUNT] = {"system", "user", "assistant"};

static bool has_marks(const struct chat_template *row, const char *source, size_t length) {
    for (int i = 0; i < MARK_COUNT && row->marks[i]; i++)
        if (!memmem(source, length, row->marks[i], strlen(row->marks[i]))) return false;
    return true;
}

static enum status refuse(struct error *err) {
    struct text names = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < ROW_COUNT && status == STATUS_OK; i++)
        status = text_format(&names, "%s%s", i ? ", " : "", rows[i].name);
    if (status == STATUS_OK)
        status =
            error_set(err, STATUS_UNSUPPORTED,
                      "the model's chat template is none of those known: %s", text_string(&names));
    text_deinit(&names);
    return status;
}

static bool has_system(const struct render *what) {
    return what->count > 0 && what->messages[0].role == ROLE_SYSTEM;
}

static enum status check_order(const struct chat_template *row, const struct render *what,
                               struct error *err) {
    const size_t start = has_system(what);
    for (size_t i = start; i < what->count; i++) {
        const enum role role = what->messages[i].role;
        if (role == ROLE_SYSTEM)
            return error_set(err, STATUS_BAD_INPUT, "a system message can only be the first");
        if (row->alternates && (role == ROLE_USER) != ((i - start) % 2 == 0))
            return error_set(err, STATUS_BAD_INPUT,
                             "the %s template wants user and assistant by turns, the user first: "
                             "message %zu is out of turn",
                             row->name, i + 1);
    }
    if (row->alternates && what->ask && (what->count - start) % 2 == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "the %s template asks for an answer only after a user's message",
                         row->name);
    return STATUS_OK;
}

// White space as the templates' trim (Python's str.strip) has it.
static bool is_space(uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

static struct piece trim(struct piece piece) {
    size_t begin = piece.length, end = 0, used;
    for (size_t at = 0; at < piece.length; at += used) {
        if (is_space(utf8_decode(piece.bytes + at, piece.length - at, &used))) continue;
        if (begin > at) begin = at;
        end = at + used;
    }
    if (begin > end) return (struct piece){piece.kind, piece.bytes, 0};
    return (struct piece){piece.kind, piece.bytes + begin, end - begin};
}

static void push(struct prompt *prompt, struct piece piece) {
    if (piece.length > 0) prompt->pieces[prompt->count++] = piece;
}

static void push_control(struct prompt *prompt, const char *text) {
    push(prompt, (struct piece){PIECE_CONTROL, text, strlen(text)});
}

static void push_text(struct prompt *prompt, const struct chat_template *row,
                      const struct chat_message *message) {
    const struct piece piece = {PIECE_TEXT, message->text, message->length};
    push(prompt, row->trims ? trim(piece) : piece);
}

static void push_system(struct prompt *prompt, const struct chat_template *row,
                        const struct chat_message *message) {
    push_control(prompt, row->system.open);
    push_text(prompt, row, message);
    push_control(prompt, row->system.close);
}

static void push_start(struct prompt *prompt, const struct chat_template *row,
                       const struct render *what) {
    if (what->begins_with_bos) push_control(prompt, what->bos);
    if (!row->default_system || has_system(what)) return;
    push_control(prompt, row->system.open);
    push_control(prompt, row->default_system);
    push_control(prompt, row->system.close);
}

static void push_answer_end(struct prompt *prompt, const struct chat_template *row, bool ended) {
    if (!ended) push_control(prompt, row->end);
    push_control(prompt, row->rest);
}

static void push_user(struct prompt *prompt, const struct chat_template *row,
                      const struct render *what, size_t index) {
    const bool follows_system = index == 1 && has_system(what);
    const bool opens = index == 0 || follows_system;
    if (row->bos_each_exchange && !opens) push_control(prompt, what->bos);
    push_control(prompt, row->user.open);
    if (row->folds_system && follows_system) push_system(prompt, row, &what->messages[0]);
    push_text(prompt, row, &what->messages[index]);
    push_control(prompt, row->user.close);
}

static void push_message(struct prompt *prompt, const struct chat_template *row,
                         const struct render *what, size_t index) {
    const struct chat_message *message = &what->messages[index];
    switch (message->role) {
    case ROLE_SYSTEM:
        if (!row->folds_system) push_system(prompt, row, message);
        break;
    case ROLE_USER:
        push_user(prompt, row, what, index);
        break;
    case ROLE_ASSISTANT:
        push_control(prompt, row->ask);
        push_control(prompt, row->lead);
        push_text(prompt, row, message);
        push_answer_end(prompt, row, false);
        break;
    }
}

const char *role_name(enum role role) { return role_names[role]; }

bool role_find(const char *name, enum role *role) {
    for (int i = 0; i < ROLE_COUNT; i++) {
        if (strcmp(name, role_names[i]) != 0) continue;
        *role = (enum role)i;
        return true;
    }
    return false;
}

enum status chat_template_recognise(const char *source, size_t length,
                                    const struct chat_template **row, bool *guessed,
                                    struct error *err) {
    if (!source || length == 0) {
        *row = chat_template_find("chatml");
        *guessed = true;
        return STATUS_OK;
    }
    for (int i = 0; i < ROW_COUNT; i++) {
        if (!has_marks(&rows[i], source, length)) continue;
        *row = &rows[i];
        *guessed = false;
        return STATUS_OK;
    }
    return refuse(err);
}

const struct chat_template *chat_template_find(const char *name) {
    for (int i = 0; i < ROW_COUNT; i++)
        if (strcmp(name, rows[i].name) == 0) return &rows[i];
    return NULL;
}

const char *chat_template_name(const struct chat_template *row) { return row->name; }

void prompt_deinit(struct prompt *prompt) {
    free(prompt->pieces);
    *prompt = (struct prompt){0};
}

enum status chat_template_render(const struct chat_template *row, const struct render *what,
                                 struct prompt *prompt, struct error *err) {
    enum { PIECES_PER_MESSAGE = 8 }; // enough for the start and for the end as well
    size_t pieces, bytes;
    ASSERT(what->first <= what->count);
    TRY(check_order(row, what, err));
    if (!size_mul(what->count - what->first + 2, PIECES_PER_MESSAGE, &pieces) ||
        !size_mul(pieces, sizeof(struct piece), &bytes))
        return STATUS_NO_MEMORY;
    struct prompt filled = {.pieces = malloc(bytes)};
    if (!filled.pieces) return STATUS_NO_MEMORY;
    if (what->first == 0)
        push_start(&filled, row, what);
    else if (what->messages[what->first - 1].role == ROLE_ASSISTANT)
        push_answer_end(&filled, row, what->answer_ended);
    for (size_t i = what->first; i < what->count; i++)
        push_message(&filled, row, what, i);
    if (what->ask) push_control(&filled, row->ask);
    *prompt = filled;
    return STATUS_OK;
}

const char *const *chat_template_stops(const struct chat_template *row) { return row->stops; }
