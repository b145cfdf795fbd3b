#include "app/chat/desk.h"

#include <inttypes.h>
#include <string.h>

#include "kernels/base/assert.h"

enum { CLOSING_WAIT_MS = 1000 };

static const char *id_of(const struct chat *chat) { return chat_conversation(chat)->id; }

void desk_open(struct desk *desk, struct engine *engine, struct chat *front) {
    *desk = (struct desk){.engine = engine, .front = front};
}

// Without memory for a note the answer is there all the same.
static void note_end(struct desk *desk, const struct chat *chat, enum status status,
                     const struct error *err) {
    const struct conversation *conversation = chat_conversation(chat);
    const char *name = conversation->name, *space = name[0] ? " " : "";
    const struct turn_report last = chat_last(chat);
    enum status noted;
    if (status != STATUS_OK)
        noted = text_format(&desk->notes, "[%s%s%s: %s]\n", conversation->id, space, name,
                            err->text[0] ? err->text : status_text(status));
    else if (last.any)
        noted = text_format(
            &desk->notes, "[%s%s%s is answered: %" PRId64 " tokens · /resume %s shows it]\n",
            conversation->id, space, name, last.stats.output_tokens, conversation->id);
    else
        noted = text_format(&desk->notes, "[%s%s%s was stopped before it was answered]\n",
                            conversation->id, space, name);
    (void)noted;
}

static void remove_behind(struct desk *desk, int32_t index) {
    desk->behind[index] = desk->behind[--desk->behind_count];
}

static bool retire_if_ended(struct desk *desk, int32_t index) {
    struct chat *chat = desk->behind[index];
    enum status status = STATUS_OK;
    struct error err = {0};
    if (!chat_turn_ended(chat, &status, &err)) return false;
    note_end(desk, chat, status, &err);
    remove_behind(desk, index);
    chat_close(chat);
    return true;
}

enum turn_event desk_take(struct desk *desk, const struct event *event,
                          struct turn_progress *progress) {
    struct turn_progress unseen;
    if (chat_owns(desk->front, event)) return chat_turn_take(desk->front, event, progress);
    int32_t at = 0;
    while (at < desk->behind_count && !chat_owns(desk->behind[at], event))
        at++;
    ASSERT(at < desk->behind_count);
    chat_turn_take(desk->behind[at], event, &unseen);
    retire_if_ended(desk, at);
    return TURN_WAIT;
}

enum turn_event desk_next(struct desk *desk, struct turn_progress *progress, enum status *status,
                          struct error *err) {
    struct event event;
    *progress = (struct turn_progress){0};
    while (!chat_turn_ended(desk->front, status, err)) {
        if (!engine_next_event(desk->engine, 0, &event)) return TURN_WAIT;
        const enum turn_event came = desk_take(desk, &event, progress);
        if (came != TURN_WAIT) return came;
    }
    return TURN_DONE;
}

int desk_event_fd(const struct desk *desk) { return engine_event_fd(desk->engine); }

void desk_listen(struct desk *desk) {
    struct event event;
    struct turn_progress unseen;
    while (engine_next_event(desk->engine, 0, &event))
        desk_take(desk, &event, &unseen);
}

// Waits for one event, a while.
static void take_next(struct desk *desk) {
    struct event event;
    struct turn_progress unseen;
    if (engine_next_event(desk->engine, CLOSING_WAIT_MS, &event)) desk_take(desk, &event, &unseen);
}

void desk_stop_front(struct desk *desk) {
    enum status status;
    struct error err;
    if (!chat_running(desk->front)) return;
    chat_cancel(desk->front);
    while (!chat_turn_ended(desk->front, &status, &err))
        take_next(desk);
}

struct chat *desk_close(struct desk *desk) {
    for (int32_t i = 0; i < desk->behind_count; i++)
        chat_cancel(desk->behind[i]);
    while (desk->behind_count > 0)
        take_next(desk);
    text_deinit(&desk->notes);
    return desk->front;
}

bool desk_is_writing(const struct desk *desk, const char *conversation) {
    if (chat_running(desk->front) && strcmp(id_of(desk->front), conversation) == 0) return true;
    for (int32_t i = 0; i < desk->behind_count; i++)
        if (strcmp(id_of(desk->behind[i]), conversation) == 0) return true;
    return false;
}

static enum status check_room(const struct desk *desk, struct error *err) {
    if (desk->behind_count < DESK_MOST_BEHIND) return STATUS_OK;
    return error_set(err, STATUS_FULL,
                     "%d answers are being written in the background already, and that is the most",
                     DESK_MOST_BEHIND);
}

// `next` comes to the front; what is there goes behind if it runs, and is closed if not.
static enum status put_in_front(struct desk *desk, struct chat *next, struct error *err) {
    struct chat *left = desk->front;
    TRY(chat_take_over(next, left, err));
    desk->front = next;
    chat_set_background(next, false);
    if (!chat_running(left)) {
        chat_close(left);
        return STATUS_OK;
    }
    chat_set_background(left, true);
    desk->behind[desk->behind_count++] = left;
    // Its last event may have come already: then no other one will.
    retire_if_ended(desk, desk->behind_count - 1);
    return STATUS_OK;
}

// A chat that was opened beside the one in front, or (NULL) was not.
static enum status bring_new(struct desk *desk, enum status opened, struct chat *beside,
                             struct error *err) {
    const enum status status = opened == STATUS_OK ? put_in_front(desk, beside, err) : opened;
    if (status != STATUS_OK) chat_close(beside);
    return status;
}

enum status desk_new(struct desk *desk, const char *name, struct error *err) {
    struct chat *beside = NULL;
    if (!chat_running(desk->front)) return chat_new(desk->front, name, err);
    TRY(check_room(desk, err));
    TRY(chat_open_beside(desk->front, NULL, &beside, err));
    return bring_new(desk, chat_new(beside, name, err), beside, err);
}

enum status desk_fork(struct desk *desk, const char *name, struct error *err) {
    struct chat *beside = NULL;
    if (!chat_running(desk->front)) return chat_fork(desk->front, name, err);
    TRY(check_room(desk, err));
    const enum status status = chat_fork_beside(desk->front, name, &beside, err);
    return bring_new(desk, status, beside, err);
}

enum status desk_fork_at(struct desk *desk, int64_t turn, struct error *err) {
    struct chat *beside = NULL;
    if (!chat_running(desk->front)) return chat_fork_at(desk->front, turn, "", err);
    TRY(check_room(desk, err));
    TRY(chat_open_beside(desk->front, NULL, &beside, err));
    const enum status status = chat_fork_from(beside, id_of(desk->front), turn, "", err);
    return bring_new(desk, status, beside, err);
}

static int32_t find_behind(const struct desk *desk, const char *id) {
    int32_t at = 0;
    while (at < desk->behind_count && strcmp(id_of(desk->behind[at]), id) != 0)
        at++;
    return at;
}

static enum status bring_back(struct desk *desk, int32_t index, struct error *err) {
    struct chat *chat = desk->behind[index];
    remove_behind(desk, index);
    const enum status status = put_in_front(desk, chat, err);
    if (status != STATUS_OK) desk->behind[desk->behind_count++] = chat;
    return status;
}

enum status desk_resume(struct desk *desk, const char *which, struct error *err) {
    struct conversation found;
    struct chat *beside = NULL;
    const char *previous = chat_previous(desk->front);
    const bool back = strcmp(which, "-") == 0;
    if (back && !previous[0])
        return error_set(err, STATUS_NOT_FOUND, "there is no previous conversation yet");
    TRY(conversation_find(chat_db(desk->front), back ? previous : which, &found, err));
    if (strcmp(found.id, id_of(desk->front)) == 0) return STATUS_OK;
    const int32_t at = find_behind(desk, found.id);
    if (at < desk->behind_count) return bring_back(desk, at, err);
    if (!chat_running(desk->front)) return chat_resume(desk->front, found.id, err);
    TRY(check_room(desk, err));
    const enum status status = chat_open_beside(desk->front, found.id, &beside, err);
    return bring_new(desk, status, beside, err);
}

void desk_check(const struct desk *desk) {
    ASSERT(desk->behind_count >= 0 && desk->behind_count <= DESK_MOST_BEHIND);
    for (int32_t i = 0; i < desk->behind_count; i++) {
        ASSERT(chat_running(desk->behind[i]));
        ASSERT(strcmp(id_of(desk->behind[i]), id_of(desk->front)) != 0);
        ASSERT(find_behind(desk, id_of(desk->behind[i])) == i);
    }
}
