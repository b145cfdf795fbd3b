#include "app/chat/front.h"

#include <string.h>

#include "app/chat/chat.h"
#include "app/chat/chat_move.h"
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

static enum status check_room(const struct session *session, struct error *err) {
    if (session_unfollowed(session) < SESSION_MAX_UNFOLLOWED) return STATUS_OK;
    return error_set(err, STATUS_FULL,
                     "too many answers in the background (at most %d); wait for one, or stop one",
                     SESSION_MAX_UNFOLLOWED);
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

// Puts a chat in front if its move succeeded, else closes it.
static enum status bring(struct session *session, struct chat *chat, enum status moved) {
    if (moved == STATUS_OK)
        put_in_front(session, chat);
    else
        chat_close(chat);
    return moved;
}

static enum status open_another(struct session *session, struct chat **another, struct error *err) {
    TRY(check_room(session, err));
    return chat_open(session, another, err);
}

enum status front_new(struct session *session, const char *name, struct error *err) {
    struct chat *another;
    if (session->front->turn.state == TURN_IDLE) return chat_new(session->front, name, err);
    TRY(open_another(session, &another, err));
    return bring(session, another, chat_new(another, name, err));
}

enum status front_fork(struct session *session, const char *name, struct error *err) {
    struct chat *another;
    if (session->front->turn.state == TURN_IDLE) return chat_fork(session->front, name, err);
    TRY(open_another(session, &another, err));
    return bring(session, another, chat_fork_running(another, session->front, name, err));
}

enum status front_fork_at(struct session *session, int64_t turn, struct error *err) {
    struct chat *another;
    if (session->front->turn.state == TURN_IDLE) return chat_fork_at(session->front, turn, "", err);
    TRY(open_another(session, &another, err));
    const char *here = session->front->conversation.id;
    return bring(session, another, chat_fork_from(another, here, turn, "", err));
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
    struct chat *another;
    TRY(front_find(session, which, &found, err));
    if (strcmp(found.id, session->front->conversation.id) == 0) return STATUS_OK;
    struct chat *left = find_unfollowed(session, found.id);
    if (left) {
        turn_move(&left->turn, TURN_FOLLOWED);
        put_in_front(session, left);
        return STATUS_OK;
    }
    if (session->front->turn.state == TURN_IDLE) return chat_resume(session->front, found.id, err);
    TRY(open_another(session, &another, err));
    return bring(session, another, chat_resume(another, found.id, err));
}

bool front_is_writing(const struct session *session, const char *conversation) {
    const struct chat *front = session->front;
    if (front->turn.state != TURN_IDLE && strcmp(front->conversation.id, conversation) == 0)
        return true;
    return find_unfollowed(session, conversation) != NULL;
}

void front_check(const struct session *session) {
    session_check(session);
    for (const struct turn *turn = session->turns; turn; turn = turn->next) {
        if (turn->state != TURN_UNFOLLOWED) continue;
        const struct chat *chat = turn->owner;
        ASSERT(chat != session->front);
        ASSERT(strcmp(chat->conversation.id, session->front->conversation.id) != 0);
        ASSERT(find_unfollowed(session, chat->conversation.id) == chat);
    }
}
