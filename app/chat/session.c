#include "app/chat/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "app/chat/model_template.h"
#include "kernels/base/assert.h"

enum {
    CLOSING_WAIT_MS = 1000,
    EVENTS_AT_ONCE = 1024, // so that callers can check keys and signals in between
};

static enum status open_model(struct session *session, const struct session_options *options,
                              struct error *err) {
    session->tokenizer = engine_tokenizer(session->engine);
    if (!session->tokenizer)
        return error_set(err, STATUS_UNSUPPORTED, "this model has no tokenizer, so it cannot chat");
    struct engine_info info;
    engine_info(session->engine, &info);
    session->context = info.context;
    memcpy(session->remote, info.remote, sizeof session->remote);
    session->structure.tokenizer = session->tokenizer;
    session->structure.remote = info.remote[0] != '\0';
    session->structure.takes_grammars = info.takes_grammars;
    const char *own = strcmp(info.remote, "messages") == 0 ? info.remote : options->chat_template;
    TRY(model_template_create(engine_gguf(session->engine), session->tokenizer, own,
                              &session->chat_template, err));
    return db_model(session->db, options->digest, info.model_name, &session->model, err);
}

static enum status enter_source(struct session *session, const struct model_source *source,
                                struct error *err) {
    struct model_source entered = *source; // borrows its texts
    entered.model = session->model;
    session->identity = source->identity;
    return model_source_enter(session->db, &entered, &session->source, err);
}

enum status session_open(const struct session_options *options, struct session **result,
                         struct error *err) {
    struct session *session = calloc(1, sizeof *session);
    if (!session) return STATUS_NO_MEMORY;
    session->engine = options->engine;
    session->event_fd = engine_event_fd(options->engine);
    session->settings = options->settings;
    session->one_shot = options->one_shot;
    enum status status = options->db ? STATUS_OK : db_open(":memory:", &session->own_db, err);
    session->db = options->db ? options->db : session->own_db;
    if (status == STATUS_OK) status = open_model(session, options, err);
    session->past = (struct past){session->engine, options->db, session->model, INT64_MAX};
    if (status == STATUS_OK && options->source)
        status = enter_source(session, options->source, err);
    if (status == STATUS_OK && options->preamble)
        status = text_append_string(&session->preamble, options->preamble);
    if (status != STATUS_OK) {
        session_close(session);
        return status;
    }
    session->stops = (struct stops){{options->stops, chat_template_stops(session->chat_template)}};
    *result = session;
    return STATUS_OK;
}

enum status session_hold(const struct session *session, struct conversation *conversation,
                         struct error *err) {
    if (!session->source || conversation->source == session->source) return STATUS_OK;
    TRY(conversation_set_source(session->db, conversation->id, session->source, err));
    conversation->source = session->source;
    return STATUS_OK;
}

enum status session_differs(const struct session *session, const struct conversation *conversation,
                            bool *differs, struct error *err) {
    struct hash128 identity;
    *differs = false;
    if (!session->source || !conversation->source || conversation->source == session->source)
        return STATUS_OK;
    TRY(model_source_identity(session->db, conversation->source, &identity, err));
    *differs = !hash_equal(identity, session->identity);
    return STATUS_OK;
}

void session_close(struct session *session) {
    if (!session) return;
    session_end_unfollowed(session);
    ASSERT(!session->turns && !session->unsaved);
    chat_template_destroy(session->chat_template);
    db_close(session->own_db);
    text_deinit(&session->preamble);
    text_deinit(&session->notes);
    structure_deinit(&session->structure);
    stop_words_deinit(&session->stop_words);
    free(session);
}

enum status session_set_stops(struct session *session, const char *typed, struct error *err) {
    TRY(stop_words_read(&session->stop_words, typed, err));
    session->stops.lists[0] = session->stop_words.list;
    return STATUS_OK;
}

struct session_changes session_take_changes(struct session *session) {
    const struct session_changes changes = {
        .settings = session->settings,
        .kind = session->structure.kind,
        .structure = session->structure.source,
        .stop_words = session->stop_words,
        .has_stop_words = session->stops.lists[0] == session->stop_words.list,
    };
    session->structure.source = (struct text){0};
    session->stop_words = (struct stop_words){0};
    return changes;
}

enum status session_make_changes(struct session *session, struct session_changes *changes,
                                 struct error *err) {
    struct sampler_options sampler = session->settings.sampler; // the model's own sampling
    sampler_options_merge(&sampler, &changes->settings.sampler);
    sampler.seed = changes->settings.sampler.seed;
    session->settings = changes->settings;
    session->settings.sampler = sampler;
    if (changes->has_stop_words) {
        stop_words_deinit(&session->stop_words);
        session->stop_words = changes->stop_words;
        session->stops.lists[0] = session->stop_words.list;
    }
    const enum status status =
        structure_set(&session->structure, changes->kind, text_string(&changes->structure), err);
    text_deinit(&changes->structure);
    return status;
}

void session_set_drafts(struct request_options *options, enum draft_wish wish, int32_t most) {
    static const uint32_t WITHOUT[] = {
        [DRAFT_AUTO] = 0,
        [DRAFT_OFF] = 0,
        [DRAFT_FROM_HISTORY] = 1u << DRAFT_HEAD | 1u << DRAFT_MODEL,
        [DRAFT_BY_HEAD] = 1u << DRAFT_LOOKUP | 1u << DRAFT_HISTORY | 1u << DRAFT_MODEL,
    };
    options->speculate = wish == DRAFT_OFF ? 0 : most;
    options->no_drafts_of = WITHOUT[wish];
}

struct request_options session_request(const struct session *session) {
    const struct session_settings *settings = &session->settings;
    struct request_options options = {
        .sampler = settings->sampler,
        .max_tokens = settings->max_tokens,
    };
    session_set_drafts(&options, settings->draft, settings->speculate);
    if (session->settings.seed_given) options.sampler.given |= SAMPLER_GIVEN(seed);
    uint32_t seed; // 32 bits, so that any reader of JSON can give it back
    if (!session->settings.seed_given && getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed)
        options.sampler.seed = seed;
    return options;
}

void session_run(struct session *session, struct turn *turn, enum turn_state state) {
    turn_move(turn, state);
    turn->next = session->turns;
    session->turns = turn;
}

// The end of the turn was reported, or nobody waits for it.
static void remove_ended(struct session *session, struct turn *turn) {
    struct turn **at = &session->turns;
    while (*at != turn) {
        ASSERT(*at);
        at = &(*at)->next;
    }
    *at = turn->next;
    turn_move(turn, TURN_IDLE);
}

static void close_ended(struct session *session, struct turn *turn) {
    remove_ended(session, turn);
    if (turn->ops->close) turn->ops->close(turn->owner); // the turn no longer exists
}

// True if the event brought something to show and somebody follows its turn.
static bool handle(struct session *session, const struct event *event, struct turn_update *update) {
    struct answer *answer = event->owner;
    struct turn *turn = answer->turn;
    const bool followed = turn->state == TURN_FOLLOWED || turn->state == TURN_LEAVING;
    const bool shows = turn_handle(answer, event, update);
    turn_check(turn);
    if (turn->state == TURN_ENDED && !followed) close_ended(session, turn);
    return shows && followed;
}

void session_read_past(struct session *session, int answers) {
    if (session->settings.speculate > 0 && session->settings.draft != DRAFT_OFF)
        past_read(&session->past, answers);
}

bool session_next(struct session *session, int timeout_ms, struct turn_update *update) {
    struct event event;
    for (int32_t i = 0; i < EVENTS_AT_ONCE; i++) {
        struct turn *ended = session->turns;
        while (ended && ended->state != TURN_ENDED)
            ended = ended->next;
        if (ended) {
            remove_ended(session, ended);
            *update = (struct turn_update){.turn = ended, .event = TURN_DONE};
            return true;
        }
        session_read_past(session, PAST_AT_ONCE);
        if (!engine_next_event(session->engine, timeout_ms, &event)) return false;
        if (handle(session, &event, update)) return true;
    }
    return false;
}

// Handles one event, if it comes soon enough.
static bool wait_for_event(struct session *session, int timeout_ms) {
    struct event event;
    struct turn_update unseen;
    if (!engine_next_event(session->engine, timeout_ms, &event)) return false;
    handle(session, &event, &unseen);
    return true;
}

void session_listen(struct session *session) {
    for (int32_t i = 0; i < EVENTS_AT_ONCE && wait_for_event(session, 0); i++)
        continue;
}

void session_finish(struct session *session, struct turn *turn) {
    ASSERT(turn->state != TURN_UNFOLLOWED);
    turn_abandon(turn);
    while (turn_is_running(turn))
        wait_for_event(session, CLOSING_WAIT_MS);
    if (turn->state == TURN_ENDED) remove_ended(session, turn);
}

void session_leave(struct session *session, struct turn *turn) {
    if (turn->state == TURN_ENDED) // its last event has arrived already: no other will
        close_ended(session, turn);
    else
        turn_move(turn, TURN_UNFOLLOWED);
}

int32_t session_unfollowed(const struct session *session) {
    int32_t count = 0;
    for (const struct turn *turn = session->turns; turn; turn = turn->next)
        count += turn->state == TURN_UNFOLLOWED;
    return count;
}

void session_end_unfollowed(struct session *session) {
    for (struct turn *turn = session->turns; turn; turn = turn->next)
        if (turn->state == TURN_UNFOLLOWED) turn_cancel(turn);
    while (session_unfollowed(session) > 0)
        wait_for_event(session, CLOSING_WAIT_MS);
}

void session_check(const struct session *session) {
    for (const struct turn *turn = session->turns; turn; turn = turn->next) {
        ASSERT(turn->state != TURN_IDLE);
        turn_check(turn);
    }
    ASSERT(session_unfollowed(session) <= SESSION_MAX_UNFOLLOWED);
    ASSERT(session->step_count <= SESSION_MAX_STEPS);
}
