// tests/app/chats.h — a chat in a session of its own.
#ifndef TESTS_APP_CHATS_H
#define TESTS_APP_CHATS_H

#include "app/chat/chat_turn.h"
#include "tests/check.h"

static inline void must(enum status status, const struct error *err) {
    if (status != STATUS_OK) fail_msg("%s: %s", status_text(status), err->text);
}

static inline struct engine *chats_engine(int32_t context, size_t pool_bytes,
                                          const struct hash128 *digest) {
    struct engine *engine = NULL;
    struct error err = {0};
    const struct engine_options options = {.model_path = DEMO_MODEL,
                                           .backend = "cpu",
                                           .context = context,
                                           .deterministic = true,
                                           .kv_device_bytes = pool_bytes,
                                           .digest = digest};
    must(engine_open(&options, &engine, &err), &err);
    return engine;
}

static inline struct chat *chats_open(const struct session_options *options) {
    struct session *session = NULL;
    struct error err = {0};
    must(session_open(options, &session, &err), &err);
    must(chat_open(session, &session->front, &err), &err);
    return session->front;
}

static inline void chats_close(struct chat *chat) {
    struct session *session = chat->session;
    chat_close(chat);
    session_close(session);
}

static inline enum status chats_send(struct chat *chat, const char *text, size_t length,
                                     struct error *err) {
    return chat_send(chat, &(struct outgoing){.text = text, .length = length}, err);
}

// What comes next of its turn, until that is done.
static inline bool chats_next(struct chat *chat, struct turn_update *update) {
    while (!session_next(chat->session, 1000, update))
        continue;
    session_check(chat->session);
    chat_check(chat);
    assert_ptr_equal(update->turn, &chat->turn);
    return update->event != TURN_DONE;
}

#endif
