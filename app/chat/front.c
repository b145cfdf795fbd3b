#include "app/chat/front.h"

#include <string.h>

#include "app/chat/chat.h"
#include "app/chat/chat_move.h"
#include "app/chat/chat_turn.h"
#include "kernels/base/assert.h"

// The chat whose turn was left in this conversation, or NULL.
static struct chat *find_unfollowed(const struct session *session, const char *conversation) {
    for (const struct turn *turn = session->turns; turn; turn = turn->next) {
        if (turn->state != TURN_UNFOLLOWED) continue; // its owner may be something else
        struct chat *chat = turn->owner;
        if (strcmp(chat->conversation.id, conversation) == 0) return chat;
    }
    return NULL;
}

// `next` comes to the front; what is there goes to the background if it runs, else it is closed.
static void put_in_front(struct session *session, struct chat *next) {
    struct chat *left = session->front;
    if (left->conversation.id[0])
        memcpy(session->previous, left->conversation.id, sizeof session->previous);
    session->front = next;
    if (left->turn.state != TURN_IDLE)
        session_leave(session, &left->turn);
    else
        chat_close(left);
}

// The chat to move: the one in front, or another one if an answer is being written there.
static enum status find_movable(struct session *session, struct chat **chat, struct error *err) {
    *chat = session->front;
    if ((*chat)->turn.state == TURN_IDLE) return STATUS_OK;
    if (session_unfollowed(session) < SESSION_MAX_UNFOLLOWED) return chat_open(session, chat, err);
    return error_set(err, STATUS_FULL,
                     "too many answers in the background (at most %d); wait for one, or stop one",
                     SESSION_MAX_UNFOLLOWED);
}

// Puts that chat in front if its move succeeded, else closes it.
static enum status bring(struct session *session, struct chat *chat, enum status moved) {
    if (chat == session->front) return moved;
    if (moved == STATUS_OK)
        put_in_front(session, chat);
    else
        chat_close(chat);
    return moved;
}

enum status front_new(struct session *session, const char *name, struct error *err) {
    struct chat *chat;
    TRY(find_movable(session, &chat, err));
    return bring(session, chat, chat_new(chat, name, err));
}

enum status front_fork(struct session *session, const char *name, struct error *err) {
    struct chat *chat, *front = session->front;
    TRY(find_movable(session, &chat, err));
    return bring(session, chat,
                 chat == front ? chat_fork(chat, name, err)
                               : chat_fork_running(chat, front, name, err));
}

enum status front_fork_at(struct session *session, int64_t turn, struct error *err) {
    struct chat *chat, *front = session->front;
    TRY(find_movable(session, &chat, err));
    return bring(session, chat,
                 chat == front ? chat_fork_at(chat, turn, "", err)
                               : chat_fork_from(chat, front->conversation.id, turn, "", err));
}

enum status front_find(const struct session *session, const char *which, struct conversation *found,
                       struct error *err) {
    const bool back = strcmp(which, "-") == 0;
    if (back && !session->previous[0])
        return error_set(err, STATUS_NOT_FOUND, "no previous conversation yet");
    return conversation_find_begun(session->db, back ? session->previous : which, found, err);
}

enum status front_resume(struct session *session, const char *which, struct error *err) {
    struct conversation found;
    struct chat *chat;
    TRY(front_find(session, which, &found, err));
    if (strcmp(found.id, session->front->conversation.id) == 0) return STATUS_OK;
    struct chat *left = find_unfollowed(session, found.id);
    if (left) {
        turn_move(&left->turn, TURN_FOLLOWED);
        put_in_front(session, left);
        return STATUS_OK;
    }
    TRY(find_movable(session, &chat, err));
    return bring(session, chat, chat_resume(chat, found.id, err));
}

bool front_is_writing(const struct session *session, const char *conversation) {
    const struct chat *front = session->front;
    if (strcmp(front->conversation.id, conversation) == 0) return front->turn.state != TURN_IDLE;
    return find_unfollowed(session, conversation) != NULL;
}

bool front_is_saved(const struct session *session) {
    return !session->unsaved && chat_is_saved(session->front);
}

static void close_unsaved(struct session *session) {
    struct chat *chat = session->unsaved;
    session->unsaved = chat->next;
    chat_close(chat);
}

enum status front_save(struct session *session, struct error *err) {
    TRY(chat_save(session->front, err));
    while (session->unsaved) {
        TRY(chat_save(session->unsaved, err));
        close_unsaved(session);
    }
    return STATUS_OK;
}

void front_close(struct session *session) {
    while (session->unsaved)
        close_unsaved(session);
    chat_close(session->front);
}

void front_check(const struct session *session) {
    session_check(session);
    chat_check(session->front);
    for (const struct turn *turn = session->turns; turn; turn = turn->next) {
        if (turn->state != TURN_UNFOLLOWED) continue;
        const struct chat *chat = turn->owner;
        chat_check(chat);
        ASSERT(strcmp(chat->conversation.id, session->front->conversation.id) != 0);
        ASSERT(find_unfollowed(session, chat->conversation.id) == chat);
    }
}
