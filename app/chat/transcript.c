// app/chat/transcript.c — a log of tokens that grows with a conversation, though templates may
// change their mind.
//
// Most templates only append: the ids of a message are what the rendering of all messages has after
// the log. But a template may render an earlier turn differently once another follows. It drops the
// thoughts of an answer, for example:
//
//   log               S  U1  <think> T </think>  A1  .
//   rendered with U2  S  U1                      A1  .  U2  ?
//                           └ the first difference, at 40
//
//   ids of U2: MESSAGE_CUT + 40 · A1 . U2 ?      the log keeps 40 ids and continues with these
//
// What was cut is kept in the entry of U2, so removing U2 (undo, fork, regenerate) restores the log
// that A1 was sampled with. MESSAGE_CUT lies above all token ids, so a cut is stored with the ids
// and needs no column of its own.
//
// Loading. Messages that this model has not read yet are rendered once, all together, and the
// rendering is divided among them (divide); rendering each with all before it would be quadratic.
// If the log already has a beginning, that may come from another rendering, so the next question is
// encoded by itself and compared with its share: only if both end alike do the shares fit the log
// (`joined`). Else, and where a rendering cannot be divided, each message is rendered by itself.
#include "app/chat/transcript.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/base/figures.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/trace.h"
#include "prompts/preamble.h"

_Static_assert((int)TOKENIZER_MAX_VOCABULARY <= (int)MESSAGE_CUT,
               "MESSAGE_CUT must not be a token id");

// The time the conversation began: a template that writes the date must write the same one
// tomorrow.
static struct tm began(const struct message *first) {
    const int64_t stored = first ? first->created_ms : 0;
    const time_t seconds = (time_t)((stored ? stored : calendar_ms()) / 1000);
    struct tm when = {0};
    localtime_r(&seconds, &when);
    return when;
}

// Removes the ids that the log already has from `base` on, and adds a cut if the log continues
// differently. Leaves at least one id to compute.
static enum status cut_to_difference(const struct transcript *transcript, size_t base,
                                     const struct token_ids *rendered, struct token_ids *ids) {
    const struct token_ids *log = &transcript->log;
    size_t same = 0;
    while (same + 1 < rendered->count && base + same < log->count &&
           rendered->ids[same] == log->ids[base + same])
        same++;
    if (base + same > INT32_MAX - MESSAGE_CUT) return STATUS_TOO_LONG;
    if (base + same < log->count) TRY(token_ids_push(ids, MESSAGE_CUT + (int32_t)(base + same)));
    return token_ids_append(ids, rendered->ids + same, rendered->count - same);
}

static enum status encode(const struct transcript *transcript, const struct prompt *prompt,
                          enum prompt_keeps keeps, struct token_ids *ids) {
    const struct tokenizer *tokenizer = transcript->tokenizer;
    struct token_ids rendered = {0};
    if (keeps == PROMPT_KEEPS_ALL)
        return tokenizer_encode(tokenizer, prompt->pieces, prompt->count, ids);
    const size_t last =
        transcript->count ? transcript->entries[transcript->count - 1].log_begin : 0;
    const size_t base = keeps == PROMPT_KEEPS_ANSWER     ? transcript->log.count - 1
                        : keeps == PROMPT_KEEPS_QUESTION ? last
                                                         : 0;
    enum status status = tokenizer_encode(tokenizer, prompt->pieces, prompt->count, &rendered);
    if (status == STATUS_OK) status = cut_to_difference(transcript, base, &rendered, ids);
    token_ids_deinit(&rendered);
    return status;
}

// Encodes the part of messages[0..count) that is not in the log; the last message is the user's.
static enum status encode_user(const struct transcript *transcript,
                               const struct chat_message *messages, size_t count,
                               struct token_ids *ids, struct error *err) {
    const struct tokenizer *tokenizer = transcript->tokenizer;
    const struct token_ids *log = &transcript->log;
    const struct tm now = began(transcript->count ? &transcript->entries[0].message : NULL);
    const struct render what = {
        .messages = messages, .count = count, .ask = true, .think = transcript->think, .now = &now};
    struct text ended_by = {0};
    struct prompt prompt = {0};
    enum prompt_keeps keeps = PROMPT_KEEPS_NOTHING;
    enum status status = STATUS_OK;
    const struct trace_span rendering = trace_begin("render");
    if (log->count && tokenizer_ends_turn(tokenizer, log->ids[log->count - 1]))
        status = tokenizer_decode(tokenizer, log->ids[log->count - 1], true, &ended_by);
    if (status == STATUS_OK && log->count)
        status = chat_template_continue(transcript->chat_template, &what, text_string(&ended_by),
                                        &prompt, &keeps, err);
    else if (status == STATUS_OK)
        status = chat_template_render(transcript->chat_template, &what, &prompt, err);
    trace_end(&rendering);
    if (status == STATUS_OK) {
        struct trace_span span = trace_begin("tokenise");
        status = encode(transcript, &prompt, keeps, ids);
        span.tokens = (int64_t)ids->count;
        trace_end(&span);
        if (status != STATUS_OK) error_set(err, status, "the message is too long to tokenize");
    }
    prompt_deinit(&prompt);
    text_deinit(&ended_by);
    return status;
}

// Of an answer whose thoughts quire has marked, what no mark is in: no model knows them.
static enum status plain_answer(const struct message *message, struct text *plain) {
    return thinking_split(message->text, message->length, NULL, plain);
}

// The ids of a message that this model has not read yet. It follows all entries.
static enum status encode_message(const struct transcript *transcript,
                                  const struct message *message, struct token_ids *ids,
                                  struct error *err) {
    if (message->role == MESSAGE_SYSTEM) return STATUS_OK;
    if (message->role == MESSAGE_USER)
        return transcript_render(transcript, "", message->text, message->length, ids, err);
    // Another model's answer: only its text; the next message closes it.
    struct text plain = {0};
    const bool marked = thinking_has_marks(message->text, message->length);
    enum status status = marked ? plain_answer(message, &plain) : STATUS_OK;
    const struct piece piece = {PIECE_TEXT, marked ? text_string(&plain) : message->text,
                                marked ? plain.length : message->length};
    if (status == STATUS_OK) status = tokenizer_encode(transcript->tokenizer, &piece, 1, ids);
    text_deinit(&plain);
    return status;
}

struct transcript transcript_like(const struct transcript *like) {
    return (struct transcript){.tokenizer = like->tokenizer,
                               .chat_template = like->chat_template,
                               .model = like->model,
                               .progress = like->progress,
                               .progress_user = like->progress_user};
}

void transcript_deinit(struct transcript *transcript) {
    transcript_cut(transcript, 0);
    free(transcript->entries);
    transcript->entries = NULL;
    transcript->capacity = 0;
    token_ids_deinit(&transcript->log);
}

// The messages to render. `plain` owns each text that is rendered differently than it is stored.
struct expanded {
    struct chat_message *messages;
    struct text *plain; // [plain_count]
    size_t count, plain_count;
};

static enum status expanded_alloc(struct expanded *expanded, size_t most) {
    expanded->messages = malloc(most * sizeof *expanded->messages);
    expanded->plain = calloc(most, sizeof *expanded->plain);
    return expanded->messages && expanded->plain ? STATUS_OK : STATUS_NO_MEMORY;
}

static void expanded_deinit(struct expanded *expanded) {
    for (size_t i = 0; i < expanded->plain_count; i++)
        text_deinit(&expanded->plain[i]);
    free(expanded->plain);
    free(expanded->messages);
}

// Appends a message to those to render. A system message is a preamble, which may contain turns.
static enum status expand(const struct message *message, struct expanded *expanded) {
    struct chat_message *next = expanded->messages + expanded->count;
    if (message->role == MESSAGE_SYSTEM) {
        expanded->count += preamble_messages(message->text, message->length, next);
        return STATUS_OK;
    }
    const bool asks = message->role == MESSAGE_USER;
    *next =
        (struct chat_message){asks ? ROLE_USER : ROLE_ASSISTANT, message->text, message->length};
    expanded->count++;
    if (asks || !thinking_has_marks(message->text, message->length)) return STATUS_OK;
    struct text *plain = &expanded->plain[expanded->plain_count++];
    TRY(plain_answer(message, plain));
    next->text = text_string(plain);
    next->length = plain->length;
    return STATUS_OK;
}

enum status transcript_render(const struct transcript *transcript, const char *system,
                              const char *text, size_t length, struct token_ids *ids,
                              struct error *err) {
    struct expanded expanded = {0};
    enum status status = expanded_alloc(&expanded, transcript->count + 1 + PREAMBLE_MAX_PARTS);
    if (status == STATUS_OK && transcript->count == 0 && system[0])
        expanded.count = preamble_messages(system, strlen(system), expanded.messages);
    for (size_t i = 0; i < transcript->count && status == STATUS_OK; i++)
        status = expand(&transcript->entries[i].message, &expanded);
    if (status == STATUS_OK) {
        expanded.messages[expanded.count++] = (struct chat_message){ROLE_USER, text, length};
        status = encode_user(transcript, expanded.messages, expanded.count, ids, err);
    }
    expanded_deinit(&expanded);
    return status;
}

static bool is_cut(const struct token_ids *ids) {
    return ids->count > 0 && ids->ids[0] >= MESSAGE_CUT;
}

size_t transcript_kept(const struct transcript *transcript, const struct token_ids *ids) {
    return is_cut(ids) ? (size_t)(ids->ids[0] - MESSAGE_CUT) : transcript->log.count;
}

size_t transcript_added(const struct token_ids *ids) { return ids->count - is_cut(ids); }

enum status transcript_push(struct transcript *transcript, struct message *message,
                            const int32_t *ids, size_t count) {
    struct token_ids *log = &transcript->log;
    const size_t before = log->count;
    size_t kept = before;
    ASSERT(transcript->count <= transcript->capacity);
    struct token_ids cut = {0};
    if (count > 0 && ids[0] >= MESSAGE_CUT) {
        kept = (size_t)(ids[0] - MESSAGE_CUT);
        ids++;
        count--;
    }
    if (kept > before) return STATUS_BAD_FILE;
    if (!array_reserve(&transcript->entries, transcript->count, &transcript->capacity,
                       sizeof transcript->entries[0]))
        return STATUS_NO_MEMORY;
    if (kept < before) TRY(token_ids_append(&cut, log->ids + kept, before - kept));
    log->count = kept;
    const enum status status = token_ids_append(log, ids, count);
    if (status != STATUS_OK) {
        log->count = before;
        token_ids_deinit(&cut);
        return status;
    }
    transcript->entries[transcript->count++] =
        (struct transcript_entry){*message, kept, log->count, cut};
    return STATUS_OK;
}

void transcript_cut(struct transcript *transcript, size_t count) {
    struct token_ids *log = &transcript->log;
    while (transcript->count > count) {
        struct transcript_entry *last = &transcript->entries[--transcript->count];
        ASSERT(last->log_begin <= log->count);
        log->count = last->log_begin;
        if (last->cut.count) { // the log had space for it before
            memcpy(log->ids + log->count, last->cut.ids, last->cut.count * sizeof *log->ids);
            log->count += last->cut.count;
        }
        token_ids_deinit(&last->cut);
        message_deinit(&last->message);
    }
}

enum status transcript_log_of(const struct transcript *transcript, size_t count,
                              struct token_ids *log) {
    ASSERT(count <= transcript->count && log->count == 0);
    TRY(token_ids_append(log, transcript->log.ids, transcript->log.count));
    for (size_t i = transcript->count; i-- > count;) {
        const struct transcript_entry *entry = &transcript->entries[i];
        log->count = entry->log_begin;
        TRY(token_ids_append(log, entry->cut.ids, entry->cut.count));
    }
    return STATUS_OK;
}

int64_t transcript_tip(const struct transcript *transcript) {
    if (transcript->count == 0) return MESSAGE_NONE;
    return transcript->entries[transcript->count - 1].message.id;
}

int64_t transcript_turns(const struct transcript *transcript) {
    int64_t turns = 0;
    for (size_t i = 0; i < transcript->count; i++)
        turns += transcript->entries[i].message.role == MESSAGE_USER;
    return turns;
}

enum status transcript_find_turn(const struct transcript *transcript, int64_t turn, size_t *index,
                                 struct error *err) {
    const int64_t turns = transcript_turns(transcript);
    if (turn < 1 || turn > turns)
        return error_set(err, STATUS_BAD_INPUT,
                         "no turn %" PRId64 "; this conversation has %" PRId64, turn, turns);
    int64_t seen = 0;
    for (size_t at = 0;; at++) {
        seen += transcript->entries[at].message.role == MESSAGE_USER;
        if (seen < turn) continue;
        *index = at;
        return STATUS_OK;
    }
}

size_t transcript_standing(const struct transcript *transcript, size_t count) {
    ASSERT(count <= transcript->count);
    size_t end = count ? transcript->entries[count - 1].log_end : 0;
    for (size_t i = count; i < transcript->count; i++)
        if (transcript->entries[i].log_begin < end) end = transcript->entries[i].log_begin;
    return end;
}

size_t transcript_log_end(const struct transcript *transcript, size_t count) {
    ASSERT(count <= transcript->count);
    const size_t end = count ? transcript->entries[count - 1].log_end : 0;
    ASSERT(count == transcript->count || transcript->entries[count].log_begin >= end);
    return end;
}

void transcript_check(const struct transcript *transcript) {
    size_t end = 0;
    int64_t parent = MESSAGE_NONE;
    for (size_t i = 0; i < transcript->count; i++) {
        const struct transcript_entry *entry = &transcript->entries[i];
        ASSERT(entry->log_begin + entry->cut.count == end && entry->log_begin <= entry->log_end);
        ASSERT(entry->message.parent == parent);
        end = entry->log_end;
        parent = entry->message.id;
    }
    ASSERT(transcript->log.count == end);
}

// ---- loading

enum { STORED_AT_ONCE = 256 }; // messages

// The messages to load, and the rendering of all of them, if it can be divided.
struct reading {
    struct message *path; // messages already moved to the transcript are {0}
    size_t count;
    struct prompt prompt;
    size_t *ends;   // [divided], in the prompt's pieces
    size_t divided; // messages of the path; 0: each is rendered separately
    bool joined;    // the log ends where a message's share of the rendering begins
};

static void reading_deinit(struct reading *reading) {
    message_path_free(reading->path, reading->count);
    prompt_deinit(&reading->prompt);
    free(reading->ends);
}

// Moves the first messages, those with stored ids, to the transcript.
static enum status load_read(struct transcript *transcript, struct db *db, struct reading *reading,
                             struct error *err) {
    enum status status = STATUS_OK;
    while (status == STATUS_OK && transcript->count < reading->count) {
        struct message *message = &reading->path[transcript->count];
        int32_t *ids = NULL;
        size_t count = 0;
        status = message_tokens(db, message->id, transcript->model, &ids, &count, NULL);
        if (status == STATUS_NOT_FOUND) return STATUS_OK;
        if (status != STATUS_OK)
            return error_set(err, status, "cannot read the tokens of message %lld: %s",
                             (long long)message->id, status_text(status));
        status = transcript_push(transcript, message, ids, count);
        free(ids);
        if (status == STATUS_BAD_FILE)
            error_set(err, status, "the tokens of message %lld do not match those before it",
                      (long long)message->id);
        if (status == STATUS_OK) *message = (struct message){0};
    }
    return status;
}

static enum status encode_share(const struct transcript *transcript, const struct reading *reading,
                                size_t index, struct token_ids *ids) {
    const size_t begin = index ? reading->ends[index - 1] : 0;
    ASSERT(index < reading->divided && begin <= reading->ends[index]);
    return tokenizer_encode(transcript->tokenizer, reading->prompt.pieces + begin,
                            reading->ends[index] - begin, ids);
}

// After a log that another rendering began: do both end alike?
static bool continues_alike(const struct transcript *transcript, const struct reading *reading,
                            size_t index, const struct token_ids *continued) {
    struct token_ids share = {0};
    bool alike = encode_share(transcript, reading, index, &share) == STATUS_OK;
    const size_t least = share.count < continued->count ? share.count : continued->count;
    alike = alike && least > 0 &&
            memcmp(share.ids + share.count - least, continued->ids + continued->count - least,
                   least * sizeof *share.ids) == 0;
    token_ids_deinit(&share);
    return alike;
}

// Renders the path up to its last question, and divides that among its messages.
static enum status divide(const struct transcript *transcript, struct reading *reading,
                          struct error *err) {
    const size_t first = transcript->count;
    size_t count = reading->count;
    while (count > first && reading->path[count - 1].role != MESSAGE_USER)
        count--;
    if (count < first + 2) return STATUS_OK; // one or none to render
    const size_t most = count + PREAMBLE_MAX_PARTS;
    struct expanded expanded = {0};
    size_t *ends = malloc(most * sizeof *ends);
    const struct message *opening = first ? &transcript->entries[0].message : &reading->path[0];
    const struct tm now = began(opening);
    enum status status = expanded_alloc(&expanded, most);
    if (!ends) status = STATUS_NO_MEMORY;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = expand(i < first ? &transcript->entries[i].message : &reading->path[i], &expanded);
    const struct render what = {.messages = expanded.messages,
                                .count = expanded.count,
                                .ask = true,
                                .think = transcript->think,
                                .now = &now};
    if (status == STATUS_OK)
        status = chat_template_render(transcript->chat_template, &what, &reading->prompt, err);
    if (status == STATUS_OK &&
        chat_template_divide(transcript->chat_template, &what, &reading->prompt, ends)) {
        // The first message of the path may be a preamble of several.
        memmove(ends + 1, ends + 1 + expanded.count - count, (count - 1) * sizeof *ends);
        if (opening->role == MESSAGE_SYSTEM) ends[0] = 0;
        reading->ends = ends;
        reading->divided = count;
        ends = NULL;
    }
    expanded_deinit(&expanded);
    free(ends);
    return status;
}

// Encodes the path's next message.
static enum status encode_next(const struct transcript *transcript, struct reading *reading,
                               struct token_ids *ids, struct error *err) {
    const size_t index = transcript->count;
    const struct message *message = &reading->path[index];
    const bool divided = index < reading->divided;
    if (divided && (reading->joined || message->role != MESSAGE_USER))
        return encode_share(transcript, reading, index, ids);
    TRY(encode_message(transcript, message, ids, err));
    if (!divided) return STATUS_OK;
    reading->joined = continues_alike(transcript, reading, index, ids);
    if (!reading->joined) reading->divided = 0;
    return STATUS_OK;
}

static enum status store(struct db *db, const struct transcript *transcript, size_t first,
                         const struct token_ids *ids, size_t count, struct error *err) {
    TRY(db_begin(db, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = message_set_tokens(db, transcript->entries[first + i].message.id,
                                    transcript->model, ids[i].ids, ids[i].count, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

static bool goes_on(const struct transcript *transcript, size_t done, size_t total) {
    return !transcript->progress || transcript->progress(transcript->progress_user, done, total);
}

// Encodes the next few messages, then stores their ids, so that no writer waits for the encoding.
static enum status read_some(struct transcript *transcript, struct db *db, struct reading *reading,
                             struct error *err) {
    struct token_ids ids[STORED_AT_ONCE] = {0};
    const size_t first = transcript->count;
    size_t count = 0;
    enum status status = STATUS_OK;
    bool wanted = true;
    while (status == STATUS_OK && wanted && count < STORED_AT_ONCE &&
           transcript->count < reading->count) {
        struct message *message = &reading->path[transcript->count];
        status = encode_next(transcript, reading, &ids[count], err);
        if (status == STATUS_OK)
            status = transcript_push(transcript, message, ids[count].ids, ids[count].count);
        if (status != STATUS_OK) break;
        *message = (struct message){0};
        count++;
        wanted = goes_on(transcript, transcript->count, reading->count);
    }
    if (status == STATUS_OK) status = store(db, transcript, first, ids, count, err);
    for (size_t i = 0; i < STORED_AT_ONCE; i++)
        token_ids_deinit(&ids[i]);
    if (status == STATUS_OK && !wanted && transcript->count < reading->count)
        status = error_set(err, STATUS_CANCELLED, "stopped after reading %zu of %zu messages",
                           transcript->count, reading->count);
    return status;
}

enum status transcript_load(struct transcript *transcript, struct db *db, int64_t tip,
                            struct error *err) {
    struct reading reading = {0};
    ASSERT(transcript->count == 0);
    TRY(message_path(db, tip, &reading.path, &reading.count, err));
    enum status status = load_read(transcript, db, &reading, err);
    const bool unread = transcript->count < reading.count;
    reading.joined = transcript->log.count == 0;
    if (status == STATUS_OK && unread) status = divide(transcript, &reading, err);
    while (status == STATUS_OK && transcript->count < reading.count)
        status = read_some(transcript, db, &reading, err);
    if (unread && status != STATUS_OK) goes_on(transcript, reading.count, reading.count);
    reading_deinit(&reading);
    if (status != STATUS_OK) transcript_deinit(transcript);
    return status;
}
