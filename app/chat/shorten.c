#include "app/chat/shorten.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/chat/chat_move.h"
#include "app/chat/chat_preamble.h"
#include "app/chat/chat_turn.h"
#include "app/chat/side_question.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/assert.h"
#include "store/preview.h"

enum {
    KEPT_EXCHANGES = 2,
    KEPT_PART = 4,       // of the context, for the exchanges kept
    ANSWER_PART = 8,     // of the context, for the next answer
    SUMMARY_PART = 8,    // of the context, for the summary
    SUMMARY_MOST = 1024, // tokens
    PAIR_TOKENS = 48,    // around a summary in the fork, a generous estimate
};

static const char ASKED_FOR_SUMMARY[] = "Summarise our conversation so far.";

static const char ASK[] =
    "Summarise our conversation so far, so that it can go on from the summary alone. Keep names, "
    "numbers, decisions, what I asked for and what is still open. Write only the summary.";

// ---- a shorter fork

// Adds to the tip a message with this text, which the database copies.
static enum status add(struct db *db, enum message_role role, enum message_stop stop,
                       const struct text *text, int64_t *tip, struct error *err) {
    struct message message = {.parent = *tip, .role = role, .stop = stop, .length = text->length};
    if (role == MESSAGE_USER) message.said = message.length; // no words of the user
    char nothing[] = "";
    message.text = text->bytes ? text->bytes : nothing;
    return message_add(db, &message, 0, NULL, 0, tip, err);
}

static enum status add_summary(struct db *db, const char *summary, int64_t *tip,
                               struct error *err) {
    struct text asked = {0}, said = {0};
    enum status status = text_append_string(&asked, ASKED_FOR_SUMMARY);
    if (status == STATUS_OK) status = text_append_string(&said, summary);
    if (status == STATUS_OK) status = add(db, MESSAGE_USER, STOP_NONE, &asked, tip, err);
    if (status == STATUS_OK) status = add(db, MESSAGE_ASSISTANT, STOP_END, &said, tip, err);
    text_deinit(&asked);
    text_deinit(&said);
    return status;
}

static enum status copy_message(struct db *db, const struct message *message, int64_t *tip,
                                struct error *err) {
    struct message copy = *message;
    copy.parent = *tip;
    copy.stats = (struct message_stats){0}; // the server's counts covered more turns
    return message_add(db, &copy, 0, NULL, 0, tip, err);
}

// The preamble, the summary and the messages kept, in a tree of their own.
static enum status add_messages(const struct chat *chat, const char *summary, size_t keep_from,
                                int64_t *tip, struct error *err) {
    const struct message *first = chat_message(chat, 0);
    if (first->role == MESSAGE_SYSTEM) TRY(copy_message(chat->session->db, first, tip, err));
    if (summary) TRY(add_summary(chat->session->db, summary, tip, err));
    for (size_t i = keep_from; i < chat->transcript.count; i++)
        TRY(copy_message(chat->session->db, chat_message(chat, i), tip, err));
    return STATUS_OK;
}

// The fork keeps the title from the user's first message, even if that is not in it.
static enum status copy_title(const struct chat *chat, struct conversation *fork,
                              struct error *err) {
    const struct conversation *from = &chat->conversation;
    const char *title = from->name[0] ? from->name : from->title;
    for (size_t i = 0; i < chat_message_count(chat) && !title[0]; i++) {
        const struct message *message = chat_message(chat, i);
        if (message->role != MESSAGE_USER) continue;
        preview_make(message->text + message->said, message->length - message->said, fork->title,
                     sizeof fork->title);
        title = fork->title;
    }
    if (title != fork->title) memcpy(fork->title, title, sizeof fork->title);
    return conversation_set_title(chat->session->db, fork->id, fork->title, err);
}

// Names the fork "TITLE (shortened)", with a number if that is taken: "TITLE (shortened 2)". A
// title that can be no name stays a title.
static enum status name_fork(struct db *db, const struct conversation *fork, struct error *err) {
    enum { NAMES_TRIED = 99 };
    static const char MARK[] = " (shortened";
    char name[CONVERSATION_NAME_BYTES], suffix[sizeof MARK + 16];
    const char *mark = strstr(fork->title, MARK);
    const size_t whole = mark ? (size_t)(mark - fork->title) : strlen(fork->title);
    struct conversation taken;
    struct error ignored;
    for (int number = 1; number <= NAMES_TRIED; number++) {
        if (number == 1)
            snprintf(suffix, sizeof suffix, "%s)", MARK);
        else
            snprintf(suffix, sizeof suffix, "%s %d)", MARK, number);
        const size_t room = sizeof name - 1 - strlen(suffix);
        const size_t length = whole > room ? room - utf8_incomplete_tail(fork->title, room) : whole;
        snprintf(name, sizeof name, "%.*s%s", (int)length, fork->title, suffix);
        if (conversation_check_name(name, &ignored) != STATUS_OK) return STATUS_OK;
        if (conversation_find(db, name, &taken, &ignored) == STATUS_NOT_FOUND)
            return conversation_rename(db, fork->id, name, err);
    }
    return STATUS_OK;
}

static enum status make_fork(const struct chat *chat, const char *summary, size_t keep_from,
                             struct conversation *fork, struct error *err) {
    int64_t tip = MESSAGE_NONE;
    enum status status = db_begin(chat->session->db, err);
    if (status != STATUS_OK) return status;
    status = conversation_fork(chat->session->db, &chat->conversation, MESSAGE_NONE, "", fork, err);
    if (status == STATUS_OK) status = copy_title(chat, fork, err);
    if (status == STATUS_OK) status = name_fork(chat->session->db, fork, err);
    if (status == STATUS_OK) status = add_messages(chat, summary, keep_from, &tip, err);
    if (status == STATUS_OK) status = conversation_move(chat->session->db, fork->id, tip, 0, err);
    if (status == STATUS_OK) status = db_commit(chat->session->db, err);
    if (status != STATUS_OK) db_rollback(chat->session->db);
    return status;
}

enum status chat_shorten(struct chat *chat, const char *summary, size_t keep_from,
                         struct error *err) {
    struct conversation fork;
    TRY(chat_check_writable(chat, err));
    if (chat_turn_count(chat) == 0) return error_set(err, STATUS_BAD_INPUT, "no turn to drop yet");
    ASSERT(keep_from == chat->transcript.count ||
           chat_message(chat, keep_from)->role == MESSAGE_USER);
    TRY(make_fork(chat, summary, keep_from, &fork, err));
    const enum status status = chat_resume(chat, fork.id, err);
    if (status != STATUS_OK) {
        struct error ignored; // the first failure says what is wrong
        const enum status deleted = conversation_delete(chat->session->db, fork.id, &ignored);
        (void)deleted;
    }
    return status;
}

// The tokens to leave free for an answer, if the context has that many.
static int32_t spare_tokens(const struct session *session) {
    const int32_t part = session->context / ANSWER_PART, reserve = chat_reserve(session);
    return part > reserve ? part : reserve;
}

// The first user message, other than the very first, from which on the log has at most `most`
// tokens; else the number of messages. Looks at each message once: calling transcript_standing()
// for each would be quadratic.
static size_t first_that_fits(const struct transcript *transcript, size_t most) {
    size_t first = transcript->count, first_user = 0, standing = transcript->log.count;
    while (first_user < transcript->count &&
           transcript->entries[first_user].message.role != MESSAGE_USER)
        first_user++;
    for (size_t i = transcript->count; i-- > first_user + 1;) {
        const struct transcript_entry *entry = &transcript->entries[i];
        const size_t end = entry[-1].log_end;
        standing = entry->log_begin < standing ? entry->log_begin : standing;
        if (entry->message.role != MESSAGE_USER) continue;
        if (transcript->log.count - (end < standing ? end : standing) <= most) first = i;
    }
    return first;
}

enum status chat_keep_from(struct chat *chat, int32_t more, int32_t spare, size_t *keep_from,
                           struct error *err) {
    const struct transcript *transcript = &chat->transcript;
    struct token_ids preamble = {0};
    const enum status status =
        chat_measure_preamble(chat, chat_preamble_text(chat), &preamble, err);
    const size_t always = preamble.count + (size_t)more + (size_t)spare + 1;
    const size_t context = (size_t)chat->session->context;
    token_ids_deinit(&preamble);
    TRY(status);
    if (always > context)
        return error_set(
            err, STATUS_TOO_LONG,
            "%zu tokens are needed even without earlier turns, but the context holds %zu", always,
            context);
    *keep_from = first_that_fits(transcript, context - always);
    return STATUS_OK;
}

// ---- room for a message

static int64_t turns_before(const struct chat *chat, size_t index) {
    int64_t turns = 0;
    for (size_t i = 0; i < index; i++)
        turns += chat_message(chat, i)->role == MESSAGE_USER;
    return turns;
}

enum status shorten_drop(struct chat *chat, int32_t message_tokens, int64_t *dropped,
                         struct error *err) {
    size_t keep_from;
    const int32_t wanted = spare_tokens(chat->session), least = chat_reserve(chat->session);
    enum status status = chat_keep_from(chat, message_tokens, wanted, &keep_from, err);
    if (status == STATUS_TOO_LONG)
        status = chat_keep_from(chat, message_tokens, least, &keep_from, err);
    TRY(status);
    const int64_t turns = turns_before(chat, keep_from);
    TRY(chat_shorten(chat, NULL, keep_from, err));
    *dropped = turns;
    return STATUS_OK;
}

// ---- a summary

static int32_t summary_tokens(const struct chat *chat) {
    const int32_t part = chat->session->context / SUMMARY_PART;
    return part < SUMMARY_MOST ? part : SUMMARY_MOST;
}

// Index of the first exchange that is short enough to be kept, or the number of messages. At least
// one exchange is not kept.
static size_t first_kept(const struct chat *chat) {
    const size_t count = chat_message_count(chat),
                 all = transcript_standing(&chat->transcript, count);
    const size_t most = (size_t)chat->session->context / KEPT_PART;
    const int64_t turns = chat_turn_count(chat);
    size_t first = count;
    int64_t seen = turns;
    for (size_t i = count; i-- > 0;) {
        if (chat_message(chat, i)->role != MESSAGE_USER) continue;
        seen--; // turns before this one
        if (seen == 0 || turns - seen > KEPT_EXCHANGES) break;
        if (all - transcript_standing(&chat->transcript, i) > most) break;
        first = i;
    }
    return first;
}

void compaction_measure(struct chat *chat, int32_t *replaced, int32_t *most) {
    struct token_ids preamble = {0};
    struct error ignored;
    *replaced = *most = 0;
    if (chat->session->remote[0]) return;
    if (chat_measure_preamble(chat, chat_preamble_text(chat), &preamble, &ignored) == STATUS_OK) {
        const size_t all = transcript_standing(&chat->transcript, first_kept(chat));
        *replaced = all > preamble.count ? (int32_t)(all - preamble.count) : 0;
        *most = summary_tokens(chat) + PAIR_TOKENS;
    }
    token_ids_deinit(&preamble);
}

// Chooses the first message to keep. Two things must fit: the older messages with the request and
// the summary, and, in the fork, the summary, the kept messages, the new message and an answer.
static enum status plan(struct chat *chat, int32_t ask_tokens, int32_t message_tokens,
                        size_t *keep_from, struct error *err) {
    const int32_t summary = summary_tokens(chat);
    const size_t needed = (size_t)ask_tokens + (size_t)summary + 1;
    const size_t context = (size_t)chat->session->context, count = chat_message_count(chat);
    size_t least;
    TRY(chat_keep_from(chat, message_tokens + summary + PAIR_TOKENS, spare_tokens(chat->session),
                       &least, err));
    size_t at = first_kept(chat);
    if (at < least) at = least;
    for (;; at--) {
        const bool begins = at == count || chat_message(chat, at)->role == MESSAGE_USER;
        if (begins && transcript_standing(&chat->transcript, at) + needed <= context) break;
        if (at == least)
            return error_set(err, STATUS_TOO_LONG,
                             "the turns are too long to summarize in a context of %zu tokens; /new "
                             "starts over, /fork N goes back",
                             context);
    }
    *keep_from = at;
    return STATUS_OK;
}

static enum status ask_for_summary(struct compaction *compaction, const char *focus,
                                   struct error *err) {
    struct session *session = compaction->chat->session;
    struct text question = {0};
    enum status status = text_append_string(&question, ASK);
    if (status == STATUS_OK && focus[0])
        status = text_format(&question, " What matters most: %s", focus);
    if (status == STATUS_OK)
        status = side_question_begin(compaction->chat, compaction->keep_from,
                                     text_string(&question), &compaction->sequence, err);
    text_deinit(&question);
    TRY(status);
    struct request_options request = session_request(session);
    request.max_tokens = compaction->max_tokens;
    request.route = chat_route(compaction->chat);
    turn_begin(&compaction->turn,
               &(struct turn){.engine = session->engine,
                              .stops = &session->stops,
                              .answers = &compaction->answer,
                              .answer_count = 1},
               &request);
    TRY(turn_start(&compaction->turn, compaction->sequence, err));
    session_run(session, &compaction->turn, TURN_FOLLOWED);
    return STATUS_OK;
}

enum status compaction_begin(struct chat *chat, const char *focus, int32_t message_tokens,
                             struct compaction *compaction, struct error *err) {
    int32_t ask_tokens, free_tokens;
    *compaction = (struct compaction){.chat = chat, .max_tokens = summary_tokens(chat)};
    if (chat_turn_count(chat) == 0)
        return error_set(err, STATUS_BAD_INPUT, "nothing to summarize yet");
    TRY(chat_measure(chat, ASK, sizeof ASK - 1, &ask_tokens, &free_tokens, err));
    ask_tokens += (int32_t)strlen(focus); // at most one token per byte
    TRY(plan(chat, ask_tokens, message_tokens, &compaction->keep_from, err));
    const enum status status = ask_for_summary(compaction, focus, err);
    if (status != STATUS_OK) compaction_deinit(compaction);
    return status;
}

bool compaction_is_cut(const struct compaction *compaction) {
    const enum message_stop stop = turn_first(&compaction->turn).stop;
    return stop == STOP_LENGTH || stop == STOP_CONTEXT;
}

enum status compaction_finish(struct compaction *compaction, struct error *err) {
    const struct turn_report report = turn_first(&compaction->turn);
    struct text summary = {0};
    if (!report.any || report.stop == STOP_INTERRUPTED)
        return error_set(err, STATUS_CANCELLED, "the summary was stopped; nothing has changed");
    enum status status = thinking_split(report.text, report.length, NULL, &summary);
    const char *text = text_string(&summary) + strspn(text_string(&summary), " \t\n");
    if (status == STATUS_OK)
        status =
            text[0] ? chat_shorten(compaction->chat, text, compaction->keep_from, err)
                    : error_set(err, STATUS_BAD_INPUT, "the summary is empty; nothing has changed");
    text_deinit(&summary);
    return status;
}

void compaction_deinit(struct compaction *compaction) {
    struct session *session = compaction->chat->session;
    session_finish(session, &compaction->turn);
    side_question_end(session, &compaction->sequence);
    answer_deinit(&compaction->answer);
    *compaction = (struct compaction){0};
}
