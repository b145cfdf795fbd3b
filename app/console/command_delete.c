// app/console/command_delete.c — /delete: one conversation, or all that share text with it.
#include <string.h>

#include "app/chat/chat_move.h"
#include "app/chat/past.h"
#include "app/chat/removal.h"
#include "app/console/command.h"
#include "app/screen/input_history.h"
#include "app/screen/terminal.h"

static bool is_among(const struct deletion *deletion, const char *id) {
    for (size_t i = 0; i < deletion->gone_count; i++)
        if (strcmp(deletion->gone[i].id, id) == 0) return true;
    return false;
}

static void remove_all(struct console *console, struct deletion *deletion) {
    struct session *session = console->session;
    const struct removal removal = {session->db, deletion};
    struct error err = {0};
    const bool here = is_among(deletion, session->front->conversation.id);
    if (here && console_failed(chat_new(session->front, "", &err), &err)) return;
    if (console_failed(removal_run(session->db, deletion, &err), &err)) return;
    for (size_t i = 0; i < deletion->gone_count; i++)
        engine_strip(session->engine, conversation_number(deletion->gone[i].id));
    past_forget(&session->past);
    if (is_among(deletion, session->previous)) session->previous[0] = '\0';
    removal_erase(session->db, deletion, console->kv_folder);
    input_history_forget(removal_had_typed, &removal);
    for (size_t i = 0; i < deletion->gone_count; i++)
        terminal_tell(STYLE_DIM, "Deleted %s.%s\n", deletion->gone[i].id,
                      here && i + 1 == deletion->gone_count ? " This is a new conversation." : "");
}

// Says what the question is about. False: memory is short.
static bool describe(struct console *console, const struct deletion *deletion) {
    struct text gone = {0}, kept = {0};
    enum status status =
        removal_list(console->session->db, deletion->gone, deletion->gone_count, &gone);
    if (status == STATUS_OK)
        status = removal_list(console->session->db, deletion->kept, deletion->kept_count, &kept);
    if (status == STATUS_OK) {
        terminal_say(STYLE_PLAIN, "%s\n", text_string(&gone));
        if (kept.length > 0) terminal_tell(STYLE_DIM, "Shared text stays in %s.\n", kept.bytes);
    }
    text_deinit(&gone);
    text_deinit(&kept);
    struct error err = {0};
    return !console_failed(status, &err);
}

// 'y', 'f' (with its family), or another.
static char ask_deletion(struct console *console, const struct deletion *deletion) {
    static const char alone[] = "Delete this conversation permanently? [y/N] ";
    static const char offer[] = "Delete this conversation permanently? [y/N, f: those too] ";
    static const char *const WORDS[] = {"yes", "no", "family"};
    const bool offers = deletion->kept_count > 0;
    return console_choose(console, offers ? offer : alone, WORDS, offers ? 3 : 2);
}

void command_delete(struct console *console, const char *argument) {
    struct db *db = console->session->db;
    struct deletion deletion = {0};
    struct conversation found;
    struct error err = {0};
    if (!argument[0]) {
        terminal_tell(STYLE_ERROR, "usage: /delete ID\n");
        return;
    }
    if (console_failed_to_find(conversation_find(db, argument, &found, &err), &err)) return;
    if (console_failed(deletion_plan(db, found.id, false, &deletion, &err), &err)) return;
    const char letter = describe(console, &deletion) ? ask_deletion(console, &deletion) : 'n';
    const bool deletes = letter == 'y' || letter == 'f';
    enum status status = STATUS_OK;
    if (letter == 'f') {
        deletion_deinit(&deletion);
        status = deletion_plan(db, found.id, true, &deletion, &err);
    }
    if (!deletes)
        terminal_tell(STYLE_DIM, "Kept.\n");
    else if (!console_failed(status, &err))
        remove_all(console, &deletion);
    deletion_deinit(&deletion);
}
