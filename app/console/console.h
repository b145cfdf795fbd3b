// app/console/console.h — what the chat loop and its commands share.
//
// A console is the session, where the next prompt begins, and whether it is time to leave. The loop
// (interactive.c) owns it; commands change it. Threads: the UI's.
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

struct attached { // {0} is none
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
    int pool_percent;
};

// After a failure of the device the engine is opened again, once until a turn succeeds.
struct reopening {
    bool wanted;
    bool done;            // and no turn has succeeded since
    struct text question; // that was given back: it is asked again
};

struct console {
    struct session *session; // borrowed
    const char *config_path; // borrowed; the person's presets are next to it
    const char *kv_folder;   // borrowed; of the disk cache; NULL: none
    bool status, verbose;    // show a line above the prompt; /stats after each answer
    bool saved;
    struct status_shown status_shown;
    struct text draft;        // what the next prompt begins with
    struct lines queue;       // sent while an answer was written
    struct lines held;        // that come back to the prompt, one at a time, to be sent again
    bool again;               // the running answer must be shown from its beginning
    int64_t prompts;          // so far
    int64_t warned_at;        // the prompt at which leaving was postponed, or -1
    struct attached attached; // files that go with the next message (compose.h)
    struct composed composed; // the last one with files
    char *listed;             // the words of /list, which Enter picks from; or NULL. Owned
    bool leave;
    struct model_finder models;
    struct wanted_model wanted; // what to leave for
    struct title title;         // that is asked for
    struct progress reading;    // of a long conversation; begun: keys are listened to
    struct reopening reopening;
    int exit_code;
};

void console_deinit(struct console *console); // its texts

// Queues a line for when the answer in front is complete: moved in.
void console_queue(struct console *console, struct text *line);
bool console_unqueue(struct console *console, struct text *line); // the first into the empty *line

// So that none is sent automatically: each comes back as a draft of its own, for a text and a
// command are not one line. The next one, into the empty *line; false: there is none.
void console_hold_queue(struct console *console);
bool console_take_held(struct console *console, struct text *line);

// While an answer is written, after editor_begin_type_ahead(): queues what is sent. At the end what
// was typed and not sent is *typed; it becomes the draft, and if the person has stopped what was
// written the queue is held.
void console_listen(struct console *console);

// Before a list or a question: words that were typed before it was there are not for it.
void console_keep_words(struct console *console);
void console_end_type_ahead(struct text *typed);
void console_keep_typed(struct console *console, struct text *typed, bool cancelled);

// Have answers ended in the background? Says which.
bool console_has_news(void *console);
void console_tell_news(void *user);

// Shows how far a long conversation is read, and hears ^C, Esc and signals (transcript_progress).
bool console_reads(void *console, size_t done, size_t total);

// Leaves, unless answers are being written in the background: then the second call in a row does.
void console_quit(struct console *console);

// Says why, in one line. True when there was something to say.
bool console_failed(enum status status, const struct error *err);

// A short answer to a question, trimmed: false when there is none (^C, ^D, an empty line).
bool console_ask(struct console *console, const char *question, struct text *answer);
bool console_confirm(struct console *console, const char *question); // "y" or "yes"

// After a move: shows the last turns, how many are above, and what was cached where, at what cost.
void console_arrive(struct console *console);

// After a move that is to cost nothing: what it costs all the same, where a state is gone.
void console_say_cost(struct console *console);

// The next prompt begins with this line (copied), before any draft there is.
void console_give_back(struct console *console, const char *line);

// The same with the text of a message: nothing in it names a file or runs a command (verbatim.h).
void console_give_back_message(struct console *console, const char *text);

#endif
