// app/console/command_model.c — /model: the chat goes on with another model.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "app/base/path.h"
#include "app/console/command.h"
#include "app/screen/terminal.h"

static enum status check(const struct console *console, const char *path, struct error *err) {
    if (console->session->front->turn.active || console->session->unfollowed_count > 0)
        return error_set(err, STATUS_BUSY,
                         "answers are being written: another model waits until they are done");
    if (!console->saved && chat_turn_count(console->session->front) > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "nothing is saved in this chat, so another model would end it: /export "
                         "keeps it");
    if (access(path, R_OK) != 0)
        return error_set(err, STATUS_NOT_FOUND, "%s can not be read: %s", path, strerror(errno));
    return STATUS_OK;
}

void command_model(struct console *console, const char *argument) {
    struct engine_info info;
    struct text path = {0};
    struct error err = {0};
    engine_info(console->session->engine, &info);
    if (!argument[0]) {
        terminal_say(STYLE_PLAIN, "%s, %s\n", info.model_name,
                     info.model_path ? info.model_path : "built in");
        return;
    }
    enum status status = path_expand(argument, &path);
    if (status == STATUS_OK) status = check(console, text_string(&path), &err);
    if (console_failed(status, &err)) {
        text_deinit(&path);
        return;
    }
    const struct conversation *here = &console->session->front->conversation;
    if (here->id[0])
        terminal_tell(STYLE_DIM, "/resume %s goes back to this conversation.\n", here->id);
    console->model = path;
    console->leave = true;
}
