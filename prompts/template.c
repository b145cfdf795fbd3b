// prompts/template.c — runs chat templates, tries out what they do, and continues a token log.
//
// How a conversation continues (chat_template_continue). The log has the tokens of Q, the rendering
// of everything up to the question with the prompt for an answer, and then what the model wrote. P
// is the rendering of the whole conversation now. If P begins with Q, in bytes and in kinds of
// pieces, the template still renders the past as it did, and only what comes after it must be
// looked at:
//
//   Q  <user>Hi<end><assistant>
//   P  <user>Hi<end><assistant>Hello!<end>\n<user>More<end><assistant>
//      └────── past ──────────┘└─ 1 ─┘└ 2 ┘└────────── pieces ───────┘
//
//   1  is the answer, apart from white space around it? No (the template has dropped its thinking):
//      the log is valid up to the question (KEEPS_QUESTION), and the pieces begin with 1.
//   2  is the mark with which the answer ended in the log, or did it end with none? Yes: KEEPS_ALL,
//      and the pieces begin behind it. No: KEEPS_ANSWER, the log loses its last token and the
//      pieces begin with 2.
//
// If P does not begin with Q (the system prompt has moved to the last message, say), nothing is
// kept: the pieces are all of P.
//
// A template may open the thinking itself. Then Q ends with "<think>\n", and the answer as it is
// stored begins with the same text:
//
//   Q  …<assistant><think>\n
//   P  …<assistant><think>\nHm.</think>Hello!<end>…        the answer begins where Q's opening does
//
// In P this text comes from a message, so it is text where Q has control, and the two differ early.
// shared_end() finds how much of Q's end the answer repeats, and the answer is looked for from
// there, too.
//
// White space around an answer is ignored because templates trim it: compared exactly, each such
// answer would be computed again in the next turn.
//
// What a template does otherwise is found out by rendering conversations of made-up words
// ("zanswerz") and looking for them in the result (probe_template): reading the program would have
// to understand every way of writing it.
#include "prompts/template.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "prompts/jinja/jinja.h"

const char chat_template_chatml[] =
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content"
    " + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

static const char LLAMA3[] =
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
    "{{ m.content|trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}";

static const char GEMMA[] =
    "{{ bos_token }}{% for m in messages %}"
    "{% if m.role == 'system' %}{{ raise_exception('it has no system role') }}{% endif %}"
    "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n"
    "{{ m.content|trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}";

static const char MISTRAL[] =
    "{{ bos_token }}{% for m in messages %}"
    "{% if m.role == 'system' %}{{ raise_exception('it has no system role') }}{% endif %}"
    "{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
    "{% else %} {{ m.content|trim }}{{ eos_token }}{% endif %}{% endfor %}";

static const char PHI3[] =
    "{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}";

// For a server that takes messages; its marks are the tokens of engine/remote/byte_tokenizer.h.
static const char MESSAGES[] =
    "{% for m in messages %}<|message_{{ m.role }}|>{{ m.content }}<|message_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|message_assistant|>{% endif %}";

const char *chat_template_find(const char *name) {
    static const char *const known[][2] = {{"chatml", chat_template_chatml},
                                           {"llama3", LLAMA3},
                                           {"gemma", GEMMA},
                                           {"mistral", MISTRAL},
                                           {"phi3", PHI3},
                                           {"messages", MESSAGES}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(known[i][0], name)) return known[i][1];
    return NULL;
}

enum { STOP_BYTES = 64 };
static const char WAY_OUT[] = "; use another with --chat-template FILE|NAME";

// Marks where the final part of an answer in channels begins; everything before it is thinking.
static const char CHANNEL[] = "<|channel|>", FINAL_CHANNEL[] = "<|channel|>final<|message|>";

// An answer may be empty, stopped before its first word, and some templates refuse a conversation
// with one: it is replaced by a form that they accept.
enum empty_answer { EMPTY_AS_IT_IS, EMPTY_AS_SPACE, EMPTY_LEFT_OUT };

struct chat_template {
    struct jinja *jinja;
    struct text bos, eos;
    bool begins_with_bos, guessed, folds_system, drops_thinking;
    bool wants_final; // it refuses answers with channels, so it gets the final one's text only
    enum empty_answer empty_answer;
    char end[STOP_BYTES]; // the text that ends an answer, or ""
    const char *stops[3]; // `end`, and another one that some models write instead
};

static const char *const role_names[ROLE_COUNT] = {"system", "user", "assistant"};

bool role_find(const char *name, enum role *role) {
    for (int i = 0; i < ROLE_COUNT; i++) {
        if (strcmp(name, role_names[i]) != 0) continue;
        *role = (enum role)i;
        return true;
    }
    return false;
}

void prompt_deinit(struct prompt *prompt) {
    free(prompt->pieces);
    free(prompt->bytes);
    *prompt = (struct prompt){0};
}

static size_t prompt_length(const struct prompt *prompt) {
    size_t length = 0;
    for (size_t i = 0; i < prompt->count; i++)
        length += prompt->pieces[i].length;
    return length;
}

// Removes the first bytes, and pieces that become empty.
static void prompt_drop(struct prompt *prompt, size_t bytes) {
    size_t kept = 0;
    for (size_t i = 0; i < prompt->count; i++) {
        struct piece piece = prompt->pieces[i];
        const size_t cut = bytes < piece.length ? bytes : piece.length;
        bytes -= cut;
        piece.bytes += cut;
        piece.length -= cut;
        if (piece.length > 0) prompt->pieces[kept++] = piece;
    }
    prompt->count = kept;
}

// Copies a rendering into the prompt, preceded by BOS if one is expected and missing.
static enum status set_pieces(const struct chat_template *chat_template,
                              const struct jinja_run *run, struct prompt *prompt) {
    ASSERT(run->pieces || run->piece_count == 0);
    const struct text *bos = &chat_template->bos;
    const struct piece *first = run->piece_count ? &run->pieces[0] : NULL;
    const bool begins = first && first->length >= bos->length && bos->length > 0 &&
                        memcmp(first->bytes, bos->bytes, bos->length) == 0;
    const size_t added = chat_template->begins_with_bos && !begins ? bos->length : 0;
    size_t length = added;
    for (size_t i = 0; i < run->piece_count; i++)
        length += run->pieces[i].length;
    struct prompt taken = {.pieces = malloc((run->piece_count + 1) * sizeof *taken.pieces),
                           .bytes = malloc(length + 1)};
    if (!taken.pieces || !taken.bytes) {
        prompt_deinit(&taken);
        return STATUS_NO_MEMORY;
    }
    char *at = taken.bytes;
    if (added) {
        memcpy(at, bos->bytes, added);
        taken.pieces[taken.count++] = (struct piece){PIECE_CONTROL, at, added};
        at += added;
    }
    for (size_t i = 0; i < run->piece_count; i++) {
        const struct piece *piece = &run->pieces[i];
        struct piece *last = taken.count ? &taken.pieces[taken.count - 1] : NULL;
        memcpy(at, piece->bytes, piece->length);
        if (last && last->kind == piece->kind)
            last->length += piece->length;
        else
            taken.pieces[taken.count++] = (struct piece){piece->kind, at, piece->length};
        at += piece->length;
    }
    *prompt = taken;
    return STATUS_OK;
}

static enum status push_message(struct arena *arena, enum role role, const struct chars *content,
                                struct list *list) {
    struct value message, key, name;
    const char *role_text = role_names[role];
    TRY(value_dict(arena, &message));
    TRY(value_text(arena, "role", 4, ORIGIN_CONTROL, &key));
    TRY(value_text(arena, role_text, strlen(role_text), ORIGIN_CONTROL, &name));
    TRY(dict_set(arena, message.as.dict, key, name));
    TRY(value_text(arena, "content", 7, ORIGIN_CONTROL, &key));
    TRY(dict_set(arena, message.as.dict, key, value_string(content)));
    return list_push(arena, list, message);
}

// Folds the system prompt into the first user message, with an empty line between.
static enum status fold_system(struct arena *arena, const struct chat_message *system,
                               const struct chat_message *user, const struct chars **content) {
    struct builder folded = {.arena = arena};
    builder_push(&folded, system->text, system->length, ORIGIN_TEXT);
    builder_push_string(&folded, "\n\n");
    builder_push(&folded, user->text, user->length, ORIGIN_TEXT);
    return builder_finish(&folded, content);
}

// The final text of an answer in channels, where the template wants no other.
static struct chars final_of(const struct chat_template *chat_template,
                             const struct chat_message *message) {
    const struct chars whole = chars_of(message->text, message->length, ORIGIN_TEXT);
    const struct chars mark = chars_of(FINAL_CHANNEL, sizeof FINAL_CHANNEL - 1, ORIGIN_TEXT);
    size_t at;
    if (!chat_template->wants_final || message->role != ROLE_ASSISTANT) return whole;
    if (chars_find_last(&whole, &mark, 0, whole.length, &at))
        return chars_slice(&whole, at + mark.length, whole.length);
    // The answer was interrupted while thinking: it has no final part.
    const struct chars channel = chars_of(CHANNEL, sizeof CHANNEL - 1, ORIGIN_TEXT);
    if (chars_find(&whole, &channel, 0, whole.length, &at)) return chars_slice(&whole, 0, 0);
    return whole;
}

// The text of a message in the form that the template accepts.
static struct chars content_of(const struct chat_template *chat_template,
                               const struct chat_message *message) {
    const struct chars content = final_of(chat_template, message);
    const bool space = content.length == 0 && message->role == ROLE_ASSISTANT &&
                       chat_template->empty_answer == EMPTY_AS_SPACE;
    return space ? chars_of(" ", 1, ORIGIN_TEXT) : content;
}

static enum status make_messages(const struct chat_template *chat_template,
                                 const struct render *what, struct arena *arena,
                                 struct value *messages) {
    struct list *list;
    const struct chat_message *system = NULL;
    TRY(value_list(arena, VALUE_LIST, &list, messages));
    for (size_t i = 0; i < what->count; i++) {
        const struct chat_message *message = &what->messages[i];
        const struct chars *content;
        if (i == 0 && message->role == ROLE_SYSTEM && chat_template->folds_system) {
            system = message;
            continue;
        }
        if (system && message->role == ROLE_USER) {
            TRY(fold_system(arena, system, message, &content));
            system = NULL;
        } else {
            content = chars_keep(arena, content_of(chat_template, message));
            if (!content) return STATUS_FULL;
            if (content->length == 0 && message->role == ROLE_ASSISTANT &&
                chat_template->empty_answer == EMPTY_LEFT_OUT)
                continue;
        }
        TRY(push_message(arena, message->role, content, list));
    }
    return STATUS_OK;
}

enum { VARIABLES = 6, MOST_VARIABLES = VARIABLES + 2 };

static enum status make_variables(const struct chat_template *chat_template,
                                  const struct render *what, struct arena *arena,
                                  struct jinja_variable variables[MOST_VARIABLES]) {
    const struct text *bos = &chat_template->bos, *eos = &chat_template->eos;
    variables[0].name = "messages";
    TRY(make_messages(chat_template, what, arena, &variables[0].value));
    variables[1].name = "bos_token";
    TRY(value_text(arena, text_string(bos), bos->length, ORIGIN_CONTROL, &variables[1].value));
    variables[2].name = "eos_token";
    TRY(value_text(arena, text_string(eos), eos->length, ORIGIN_CONTROL, &variables[2].value));
    variables[3] = (struct jinja_variable){"add_generation_prompt", value_boolean(what->ask)};
    variables[4] = (struct jinja_variable){"tools", value_none()};
    variables[5] = (struct jinja_variable){"documents", value_none()};
    const struct value thinks = value_boolean(what->think == THINK_ON);
    variables[6] = (struct jinja_variable){"enable_thinking", thinks};
    variables[7] = (struct jinja_variable){"thinking", thinks};
    return STATUS_OK;
}

// A run's limits are for the template. What it copies of a long conversation comes on top, so that
// such a conversation is rendered and then found too long for the context, not for the template.
static void allow_copies(const struct render *what, struct jinja_run *run) {
    enum {
        COPIES_BYTES = 32
    }; // of a byte: published templates copy a message up to ten times, and
       // each of its characters has an origin
    size_t bytes = 0;
    for (size_t i = 0; i < what->count; i++)
        bytes += what->messages[i].length;
    if (bytes > (SIZE_MAX - run->arena.limit_bytes) / COPIES_BYTES) return;
    run->arena.limit_bytes += bytes * COPIES_BYTES;
    run->steps += bytes;
}

enum status chat_template_render(const struct chat_template *chat_template,
                                 const struct render *what, struct prompt *prompt,
                                 struct error *err) {
    struct jinja_variable variables[MOST_VARIABLES];
    struct jinja_run run;
    struct error inner = {0};
    jinja_run_init(&run);
    allow_copies(what, &run);
    enum status status = make_variables(chat_template, what, &run.arena, variables);
    if (status == STATUS_FULL) {
        status =
            error_set(&inner, STATUS_BAD_INPUT, "the conversation is too large for the template");
    } else if (status == STATUS_OK) {
        run.variables = variables;
        run.variable_count = what->think == THINK_AS_IT_DOES ? VARIABLES : MOST_VARIABLES;
        run.now = what->now;
        status = jinja_run(chat_template->jinja, &run, &inner);
    }
    if (status == STATUS_OK)
        status = set_pieces(chat_template, &run, prompt);
    else if (status == STATUS_CANCELLED)
        error_set(err, status, "stopped while running the chat template");
    else if (inner.text[0])
        error_set(err, status,
                  run.refusal ? "the chat template rejected the conversation: %s%s"
                              : "chat template: %s%s",
                  inner.text, WAY_OUT);
    jinja_run_deinit(&run);
    return status;
}

// ---- finding out by trial what a template does

static const char PROBE_ANSWER[] = "zanswerz";

static bool renders(const struct chat_template *chat_template, const struct chat_message *messages,
                    size_t count, struct prompt *prompt, struct error *err) {
    const struct render what = {
        .messages = messages, .count = count, .ask = messages[count - 1].role == ROLE_USER};
    return chat_template_render(chat_template, &what, prompt, err) == STATUS_OK;
}

static bool prompt_contains(const struct prompt *prompt, const char *needle) {
    ASSERT(prompt->bytes);
    return memmem(prompt->bytes, prompt_length(prompt), needle, strlen(needle)) != NULL;
}

static bool is_blank_byte(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The marker that follows the answer: up to white space; of several "<…>" the first.
static void find_end(struct chat_template *chat_template, const struct prompt *prompt) {
    const char *end = prompt->bytes + prompt_length(prompt);
    const char *answer =
        memmem(prompt->bytes, (size_t)(end - prompt->bytes), PROBE_ANSWER, sizeof PROBE_ANSWER - 1);
    if (!answer) return;
    const char *at = answer + sizeof PROBE_ANSWER - 1;
    while (at < end && is_blank_byte(*at))
        at++;
    const char close = at < end && *at == '<' ? '>' : ']';
    if (at == end || (*at != '<' && *at != '[')) return;
    const char *stop = memchr(at, close, (size_t)(end - at));
    if (!stop || stop + 1 - at >= STOP_BYTES) return;
    memcpy(chat_template->end, at, (size_t)(stop + 1 - at));
    chat_template->stops[0] = chat_template->end;
}

// Models that see the marks of a question as plain text continue with the next question by
// themselves.
static void find_second_stop(struct chat_template *chat_template, const struct prompt *prompt) {
    static const struct {
        const char *sign, *stop; // if `sign` is rendered, `stop` is not a token of its own
    } questions[] = {{" [/INST]", "[INST]"}, {"<|user|>", "<|user|>"}};
    if (strcmp(chat_template->end, "</s>") != 0) return;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (prompt_contains(prompt, questions[i].sign)) chat_template->stops[1] = questions[i].stop;
}

static void find_empty_answer(struct chat_template *chat_template) {
    const struct chat_message user = {ROLE_USER, "zuserz", 6}, empty = {ROLE_ASSISTANT, "", 0};
    const struct chat_message after_empty[] = {user, empty, user};
    struct prompt prompt = {0};
    bool renders_it = false;
    for (int how = EMPTY_AS_IT_IS; how <= EMPTY_LEFT_OUT && !renders_it; how++) {
        chat_template->empty_answer = (enum empty_answer)how;
        renders_it = renders(chat_template, after_empty, 3, &prompt, NULL);
        prompt_deinit(&prompt);
    }
}

static enum status probe_template(struct chat_template *chat_template, struct error *err) {
    static const char thought[] = "<think>\nzthoughtz\n</think>\n\nzanswerz";
    static const char channels[] =
        "<|channel|>analysis<|message|>zthoughtz<|end|><|start|>assistant"
        "<|channel|>final<|message|>zanswerz";
    const struct chat_message system = {ROLE_SYSTEM, "zsystemz", 8},
                              user = {ROLE_USER, "zuserz", 6};
    const struct chat_message answer = {ROLE_ASSISTANT, PROBE_ANSWER, sizeof PROBE_ANSWER - 1};
    const struct chat_message thinking = {ROLE_ASSISTANT, thought, sizeof thought - 1};
    const struct chat_message with_system[] = {system, user}, closed[] = {user, answer};
    const struct chat_message in_channels = {ROLE_ASSISTANT, channels, sizeof channels - 1};
    const struct chat_message after_thought[] = {user, thinking, user};
    const struct chat_message after_channels[] = {user, in_channels, user};
    struct prompt prompt = {0};
    struct error inner = {0};
    const bool plain = renders(chat_template, &user, 1, &prompt, &inner) && prompt.count > 0;
    prompt_deinit(&prompt);
    if (!plain)
        return error_set(err, STATUS_UNSUPPORTED, "cannot use the chat template: %s%s",
                         inner.text[0] ? inner.text : "it produces no text",
                         inner.text[0] ? "" : WAY_OUT);
    chat_template->folds_system = !renders(chat_template, with_system, 2, &prompt, NULL);
    prompt_deinit(&prompt);
    if (renders(chat_template, closed, 2, &prompt, NULL)) find_end(chat_template, &prompt);
    find_second_stop(chat_template, &prompt);
    prompt_deinit(&prompt);
    if (renders(chat_template, after_thought, 3, &prompt, NULL))
        chat_template->drops_thinking = !prompt_contains(&prompt, "zthoughtz");
    prompt_deinit(&prompt);
    chat_template->wants_final = !renders(chat_template, after_channels, 3, &prompt, NULL);
    chat_template->drops_thinking |= chat_template->wants_final;
    prompt_deinit(&prompt);
    find_empty_answer(chat_template);
    return STATUS_OK;
}

enum status chat_template_create(const struct chat_template_options *options,
                                 struct chat_template **result, struct error *err) {
    struct error inner = {0};
    const bool guessed = !options->source || options->length == 0;
    const char *source = guessed ? chat_template_chatml : options->source;
    struct chat_template *made = calloc(1, sizeof *made);
    if (!made) return STATUS_NO_MEMORY;
    made->begins_with_bos = options->begins_with_bos;
    made->guessed = guessed;
    enum status status = text_append_string(&made->bos, options->bos);
    if (status == STATUS_OK) status = text_append_string(&made->eos, options->eos);
    if (status == STATUS_OK) {
        status =
            jinja_create(source, guessed ? strlen(source) : options->length, &made->jinja, &inner);
        if (status == STATUS_BAD_INPUT)
            status = error_set(err, STATUS_UNSUPPORTED, "cannot use the chat template: %s%s",
                               inner.text, WAY_OUT);
    }
    if (status == STATUS_OK) status = probe_template(made, err);
    if (status != STATUS_OK) {
        chat_template_destroy(made);
        return status;
    }
    *result = made;
    return STATUS_OK;
}

void chat_template_destroy(struct chat_template *chat_template) {
    if (!chat_template) return;
    jinja_destroy(chat_template->jinja);
    text_deinit(&chat_template->bos);
    text_deinit(&chat_template->eos);
    free(chat_template);
}

bool chat_template_guessed(const struct chat_template *chat_template) {
    return chat_template->guessed;
}

bool chat_template_drops_thinking(const struct chat_template *chat_template) {
    return chat_template->drops_thinking;
}

bool chat_template_folds_system(const struct chat_template *chat_template) {
    return chat_template->folds_system;
}

const char *chat_template_name(const struct chat_template *chat_template) {
    static const char *const families[][2] = {
        {"<|im_end|>", "chatml"},   {"<|eot_id|>", "llama3"},       {"</s>", "mistral"},
        {"<end_of_turn>", "gemma"}, {"<turn|>", "gemma4"},          {"<|end|>", "phi3"},
        {"<|return|>", "harmony"},  {"<|end_of_text|>", "granite"},
    };
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(chat_template->end, families[i][0]) == 0) return families[i][1];
    return "its own";
}

const char *const *chat_template_stops(const struct chat_template *chat_template) {
    return chat_template->stops;
}

// ---- continuing

// The length of the common start, in bytes and in kinds of pieces.
static size_t common_bytes(const struct prompt *a, const struct prompt *b) {
    size_t common = 0, i = 0, j = 0, from_a = 0, from_b = 0;
    while (i < a->count && j < b->count && a->pieces[i].kind == b->pieces[j].kind) {
        const size_t left_a = a->pieces[i].length - from_a, left_b = b->pieces[j].length - from_b;
        const size_t both = left_a < left_b ? left_a : left_b;
        const char *at_a = a->pieces[i].bytes + from_a, *at_b = b->pieces[j].bytes + from_b;
        if (memcmp(at_a, at_b, both) != 0) {
            while (*at_a == *at_b)
                at_a++, at_b++, common++;
            return common;
        }
        common += both;
        from_a += both;
        from_b += both;
        if (from_a == a->pieces[i].length) i++, from_a = 0;
        if (from_b == b->pieces[j].length) j++, from_b = 0;
    }
    return common;
}

static size_t skip_blanks(const char *at, const char *end) {
    const char *begin = at;
    while (at < end && is_blank_byte(*at))
        at++;
    return (size_t)(at - begin);
}

// Is the answer rendered at `at` the one in the log, apart from surrounding white space? If so,
// *used is where its text ends.
static bool says_the_same(const char *at, const char *end, const struct chat_message *answer,
                          size_t *used) {
    const char *text = answer->text, *text_end = text + answer->length;
    text += skip_blanks(text, text_end);
    while (text_end > text && is_blank_byte(text_end[-1]))
        text_end--;
    const char *said = at + skip_blanks(at, end);
    const size_t length = (size_t)(text_end - text);
    if ((size_t)(end - said) < length || (length && memcmp(said, text, length) != 0)) return false;
    *used = (size_t)(said - at) + length;
    return true;
}

// Moves *offset over white space to the end of its text piece. False if there is anything else.
static bool skip_to_control(const struct prompt *prompt, size_t *offset) {
    const struct piece *piece = prompt->pieces;
    size_t begin = 0;
    for (; piece < prompt->pieces + prompt->count && begin + piece->length <= *offset; piece++)
        begin += piece->length;
    if (piece == prompt->pieces + prompt->count || piece->kind != PIECE_TEXT) return true;
    const char *at = piece->bytes + (*offset - begin), *end = piece->bytes + piece->length;
    const size_t blanks = skip_blanks(at, end);
    *offset += blanks;
    return at + blanks == end;
}

// The length of the marker that ended the answer in the log, with the white space before it, if the
// template writes it there too; otherwise 0.
static size_t skip_end(const char *at, const char *end, const char *ended_by) {
    const size_t blanks = skip_blanks(at, end), length = strlen(ended_by);
    const bool there =
        (size_t)(end - at) - blanks >= length && memcmp(at + blanks, ended_by, length) == 0;
    return there ? blanks + length : 0;
}

// The length of what ends the prompt and also begins the answer's text: a thinking marker that the
// template opened for the model.
static size_t shared_end(const struct prompt *asked, const struct chat_message *answer) {
    enum { MARK_MOST_BYTES = 64 };
    const size_t past = prompt_length(asked);
    size_t shared = answer->length < MARK_MOST_BYTES ? answer->length : MARK_MOST_BYTES;
    if (shared > past) shared = past;
    while (shared > 0 && memcmp(asked->bytes + past - shared, answer->text, shared) != 0)
        shared--;
    return shared;
}

// Is the answer rendered from byte `from` on as it was written? If so, *used is where the part that
// is not in the log begins.
static bool goes_on(const struct prompt *prompt, const struct chat_message *answer,
                    const char *ended_by, size_t from, size_t *used, enum prompt_keeps *keeps) {
    const char *end = prompt->bytes + prompt_length(prompt);
    size_t at = 0;
    if (!says_the_same(prompt->bytes + from, end, answer, &at)) return false;
    at += from;
    if (!skip_to_control(prompt, &at)) return false;
    const size_t mark = ended_by[0] ? skip_end(prompt->bytes + at, end, ended_by) : 0;
    *keeps = ended_by[0] && mark == 0 ? PROMPT_KEEPS_ANSWER : PROMPT_KEEPS_ALL;
    *used = at + mark;
    return true;
}

enum status chat_template_continue(const struct chat_template *chat_template,
                                   const struct render *what, const char *ended_by,
                                   struct prompt *prompt, enum prompt_keeps *keeps,
                                   struct error *err) {
    ASSERT(what->count >= 2);
    const struct chat_message *answer = &what->messages[what->count - 2];
    struct render before = *what;
    struct prompt asked = {0};
    before.count -= 2;
    before.ask = true;
    *keeps = PROMPT_KEEPS_NOTHING;
    TRY(chat_template_render(chat_template, what, prompt, err));
    if (answer->role != ROLE_ASSISTANT || before.count == 0) return STATUS_OK;
    // If the template refuses this past now, it cannot have rendered it.
    if (chat_template_render(chat_template, &before, &asked, NULL) != STATUS_OK) return STATUS_OK;
    const size_t past = prompt_length(&asked), common = common_bytes(&asked, prompt);
    const size_t opened = past - shared_end(&asked, answer);
    prompt_deinit(&asked);
    size_t used = past;
    const bool same = (common >= past && goes_on(prompt, answer, ended_by, past, &used, keeps)) ||
                      (opened < past && common >= opened &&
                       goes_on(prompt, answer, ended_by, opened, &used, keeps));
    if (!same && common >= past) *keeps = PROMPT_KEEPS_QUESTION;
    if (*keeps != PROMPT_KEEPS_NOTHING) prompt_drop(prompt, used);
    return STATUS_OK;
}

// ---- dividing

struct span {
    const char *bytes;
    size_t length;
};

static struct span trim_span(const char *bytes, size_t length) {
    const size_t blanks = skip_blanks(bytes, bytes + length);
    bytes += blanks;
    length -= blanks;
    while (length > 0 && is_blank_byte(bytes[length - 1]))
        length--;
    return (struct span){bytes, length};
}

static bool ends_with(struct span whole, struct span end) {
    return end.length > 0 && whole.length >= end.length &&
           memcmp(whole.bytes + whole.length - end.length, end.bytes, end.length) == 0;
}

// An answer may lack its thinking, and a question may follow the system prompt.
static bool is_text_of(const struct piece *piece, const struct chat_message *message,
                       bool folds_system) {
    const struct span rendered = trim_span(piece->bytes, piece->length);
    const struct span text = trim_span(message->text, message->length);
    if (piece->kind != PIECE_TEXT) return false;
    if (message->role == ROLE_ASSISTANT) return ends_with(text, rendered);
    return ends_with(rendered, text) && (rendered.length == text.length || folds_system);
}

bool chat_template_divide(const struct chat_template *chat_template, const struct render *what,
                          const struct prompt *prompt, size_t *ends) {
    const bool folds = chat_template->folds_system;
    size_t at = 0;
    ASSERT(what->count > 0 && what->ask);
    for (size_t i = 0; i < what->count; i++) {
        const struct chat_message *message = &what->messages[i];
        ends[i] = at;
        if (i == 0 && message->role == ROLE_SYSTEM && folds) continue;
        while (at < prompt->count && !is_text_of(&prompt->pieces[at], message, folds))
            at++;
        if (at == prompt->count) return false;
        if (i > 0 && message->role == ROLE_ASSISTANT) ends[i - 1] = at;
        ends[i] = ++at;
    }
    ends[what->count - 1] = prompt->count;
    return true;
}
