// app/console/command.h — handlers and helpers of the command_*.c files. Private to them and
// commands.c.
//
//   commands.c          the table, /help, completion
//   command_delete.c    /delete
//   command_list.c      /list /resume /name
//   command_turns.c     /new /bg /rewind /regen /alt /beam /continue
//   command_fork.c      /fork
//   command_diff.c      /diff
//   command_tree.c      /tree /redo /edit
//   command_preamble.c  /system /preset /shots
//   command_export.c    /export /import /copy
//   command_context.c   /context /compact
//   compose.c           /read, and @path in messages
//   command_model.c     /model
//   command_ask.c       /ask
//   command_settings.c  /set /verbose
//   command_show.c      /show /stats /history
//   command_kv.c        /kv /strip
//   command_think.c     /think
//
// A handler gets the text after the command's name, trimmed, or "" without one.
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "app/console/console.h"
#include "store/conversation.h"

typedef void command_handler(struct console *console, const char *argument);

command_handler command_list, command_resume, command_delete, command_name;
command_handler command_new, command_bg, command_rewind, command_regen, command_alt, command_beam,
    command_continue;
command_handler command_fork, command_diff;
command_handler command_tree, command_redo, command_edit;
command_handler command_system, command_preset, command_shots;
command_handler command_export, command_import, command_copy;
command_handler command_context, command_compact;
command_handler command_read;
command_handler command_model;
command_handler command_ask;
command_handler command_set, command_verbose;
command_handler command_show, command_stats, command_history;
command_handler command_kv, command_strip;
command_handler command_think;

// Lets the user pick from the conversations with these words ("": all), and opens the one picked.
// False: there were some, and the user picked none.
bool command_pick(struct console *console, const char *query);

// Resumes the conversation. If it uses another model than the session, leaves the chat to open that
// model, or, if it cannot be opened, shows the conversation read-only.
void command_resume_held(struct console *console, const struct conversation *to);

// Shows all the thinking of the last answer (also ^O). `user` is the struct console.
void command_unfold(void *user);

// Fills usage[count] with what each conversation has in the cache. False when memory is short.
bool command_conversation_usage(struct console *console, const struct conversation_row *rows,
                                size_t count, struct conversation_usage *usage);

// The keys of /set, for completion; NULL after the last.
const char *command_set_key(size_t index);

// Calls `push` for each name that /model accepts.
void command_model_names(struct console *console, void (*push)(void *user, const char *name),
                         void *user);

// The values of a key of /set, separated by spaces; "" if they are not a few words.
const char *command_set_words(const char *key);
bool command_sets(const char *key); // does /set have this key?

// Reads `text` as a whole number of at least 1.
bool command_number(const char *text, int64_t *number);

#endif
