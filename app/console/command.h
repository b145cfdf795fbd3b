// app/console/command.h — what the files behind commands.h share; nobody else includes it.
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
// A handler gets what follows the command's name, trimmed; "" for nothing.
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

// Offers the conversations with these words ("": all), and opens what is picked.
void command_pick(struct console *console, const char *query);

// Resumes it; where it is held with another model than the session's, by leaving for that one, or,
// where that cannot be opened, to be read.
void command_resume_held(struct console *console, const struct conversation *to);

// Shows the thinking of the last answer, all of it (also ^O). `user` is the struct console.
void command_unfold(void *user);

// What each conversation has in the cache: usage[count]. False when memory is short.
bool command_conversation_usage(struct console *console, const struct conversation_row *rows,
                                size_t count, struct conversation_usage *usage);

// The keys of /set, for completion; NULL after the last. What a key can be, with spaces between
// them, or
// "" where it is not a few words; and is there such a key?
const char *command_set_key(size_t index);

// What /model may be given.
void command_model_names(struct console *console, void (*push)(void *user, const char *name),
                         void *user);
const char *command_set_words(const char *key);
bool command_sets(const char *key);

// Reads `text` as a whole number of at least 1.
bool command_number(const char *text, int64_t *number);

#endif
