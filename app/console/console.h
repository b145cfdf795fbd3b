// app/console/console.h — the state that the chat loop and its commands share.
//
// A console holds the session, the draft of the next prompt, the queued lines, and whether to
// leave. The loop (interactive.c) owns it; commands change it. Threads: the UI's.
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include "app/chat/chat.h"
#include "app/chat/model_finder.h"
#include "app/chat/title.h"
#include "app/screen/progress.h"

struct lines { // first in, first out
    struct text *items;
    size_t count, capacity;
};

struct attached { // {0}: none
    struct text text;
    size_t files;
};

struct composed {
    struct text message, typed; // what was sent, and the typed part of it
    struct attached attached;   // the files in it
};

struct status_shown { // what the last status line said
    char *name;       // owned; NULL: nothing yet
    int64_t tip;
    int32_t used; // tokens
    int pool_percent;
};

// After a device failure the engine is reopened, but only once until a turn succeeds.
struct reopening {
    bool wanted;
    bool done;            // it was reopened, and no turn has succeeded since
    struct text question; // the question given back, to be asked again
};

// What was typed but not sent. When another model is opened, it moves to the next console. {0}:
// nothing.
struct unsent {
    struct text draft;        // initial text of the next prompt
    struct lines queue;       // sent while an answer was written
    struct lines held;        // lines that return to the prompt one by one
    struct attached attached; // files that go with the next message (compose.h)
};

enum { NOT_WARNED = -2 }; // before any prompt, too

struct console {
    struct session *session; // borrowed
    const char *config_path; // borrowed; the user's presets are next to it
    const char *kv_folder;   // borrowed; the disk cache's; NULL: none
    bool status, verbose;    // show a line above the prompt; /stats after each answer
    bool saved;
    struct status_shown status_shown;
    struct text draft;        // initial text of the next prompt
    struct lines queue;       // sent while an answer was written
    bool queue_shown;         // its first line is on the screen already
    struct lines held;        // lines that return to the prompt one by one
    bool again;               // show the running answer from its beginning
    int64_t prompts;          // so far
    int64_t warned_at;        // the prompt at which leaving was postponed, or NOT_WARNED
    struct attached attached; // files that go with the next message (compose.h)
    struct composed composed; // the last message with files
    char *listed;             // words of the /list before this line, for Enter; owned, or NULL
    bool leave;
    struct model_finder models;
    struct wanted_model wanted; // the model to leave the chat for
    struct title title;         // being written in the background
    struct progress reading;    // of a long conversation; while begun, keys are read
    struct reopening reopening;
    int exit_code;
};

void console_deinit(struct console *console); // frees its texts

// Move what was not sent out of a console that ends, and into one that begins.
struct unsent console_take_unsent(struct console *console);
void console_put_unsent(struct console *console, struct unsent *unsent);
void unsent_deinit(struct unsent *unsent);

// Moves the line into the queue, where it waits until the answer in front is complete. Drops a
// blank line, unless it would send attached files.
void console_queue(struct console *console, struct text *line);
// Moves the first queued line into the empty *line. False: the queue is empty.
bool console_unqueue(struct console *console, struct text *line);

// Holds the queue, so that no line is sent automatically: each comes back as a draft of its own,
// since a text and a command do not fit on one line. console_take_held() moves the next held line
// into the empty *line. False: none is held.
void console_hold_queue(struct console *console);
bool console_take_held(struct console *console, struct text *line);

// The same, with a line that says so. For when the line before them failed, or its question was
// cancelled: the queued lines relied on it.
void console_refuse_queue(struct console *console);

// For use while an answer is written, after editor_begin_type_ahead(): console_listen() queues
// lines that the user sends. console_end_type_ahead() puts typed but unsent text into *typed, and
// console_keep_typed() makes that the draft; if the user cancelled the answer, it holds the queue.
void console_listen(struct console *console);

// Call it before a list or a question appears: words that were typed until then are kept for the
// next prompt. console_keep_pasted(): the same for text that was pasted meanwhile
// (editor_pasted()).
void console_keep_words(struct console *console);
void console_keep_pasted(struct console *console);
void console_end_type_ahead(struct text *typed);
void console_keep_typed(struct console *console, struct text *typed, bool cancelled);

// Have answers ended in the background? console_tell_news() prints which.
bool console_has_news(void *console);
void console_tell_news(void *user);

// A transcript_progress: shows how much of a long conversation has been tokenized, and stops on ^C,
// Esc and signals.
bool console_reads(void *console, size_t done, size_t total);

// Leaves. If answers are being written in the background, or the last one cannot be saved, the
// first call only warns, and a second one at the next prompt leaves.
void console_quit(struct console *console);

// Prints the error, if there is one, as one line, and returns whether there is. For a search for a
// conversation, console_failed_to_find() also says how to list conversations.
bool console_failed(enum status status, const struct error *err);
bool console_failed_to_find(enum status status, const struct error *err);

// Says so if an answer of the chat could not be saved.
void console_say_unsaved(const struct chat *chat);

// Asks for a short answer and trims it. False: ^C, ^D or an empty line. console_ask_words() keeps
// the marks of pasted text (verbatim.h), for an answer that may be meant for the prompt.
bool console_ask(struct console *console, const char *question, struct text *answer);
bool console_ask_words(struct console *console, const char *question, struct text *answer);
bool console_confirm(struct console *console, const char *question); // "y" or "yes"

// Asks for one of the words and returns its first letter; each word has another one. The start of a
// word is enough. Returns 0 if there is no answer. So does an answer that is none of the words: it
// was meant for the prompt, and becomes its draft.
char console_choose(struct console *console, const char *question, const char *const *words,
                    size_t count);

// Call it after a move to another conversation: shows the last turns, how many came before, what
// was cached and where, and what restoring it costs.
void console_arrive(struct console *console);

// Call it after a move that usually costs nothing: says what it will cost if a saved state is gone.
void console_say_cost(struct console *console);

// Puts this line (copied) at the start of the next prompt, before the current draft.
void console_give_back(struct console *console, const char *line);

// The same for the text of a message: nothing in it names a file or runs a command (verbatim.h).
void console_give_back_message(struct console *console, const char *text);

#endif
