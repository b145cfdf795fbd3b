// app/console/console.h — what the chat loop and its commands share.
//
// A console is the desk with its chats, where the next prompt begins, and whether it is time to
// leave. The loop (interactive.c) owns it; commands change it. Threads: the UI's.
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include "app/chat/desk.h"

enum { CONSOLE_MOST_QUEUED = 16 };

struct attached { // {0} is none
    struct text text;
    size_t files;
};

struct composed {
    struct text message, typed; // what was sent, and what of it the person typed
    struct attached attached;   // what waited for it
};

struct console {
    struct desk desk;
    struct chat *chat;     // the one in front
    struct engine *engine; // borrowed, as the next
    struct db *db;
    const char *config_path; // borrowed; beside it lie the person's presets
    bool status, verbose;    // a line above the prompt; /stats after each answer
    bool saved;
    struct text status_line;                // the last one that was shown
    struct text draft;                      // what the next prompt begins with
    struct text queue[CONSOLE_MOST_QUEUED]; // lines sent while an answer was written
    int32_t queued;
    struct text moving;       // a command that leaves the answer in front
    bool again;               // the running answer's text has left the screen
    int64_t prompts;          // so far
    int64_t warned_at;        // the prompt at which leaving was put off, or -1
    struct attached attached; // files that go with the next message (compose.h)
    struct composed composed; // the last one with files
    bool leave;
    struct text model; // leaves for this one, if it is not empty
    int exit_code;
};

void console_deinit(struct console *console); // its texts

// What became of a message.
enum sent {
    SENT,         // its turn has begun
    SENT_BACK,    // it could not be sent, or the person wants to change it: into the draft with it
    SENT_NOWHERE, // the person gave it up; it is in the history
};

// Each begins a turn, which console_follow() shows. What does not fit asks for room (overflow.h)
// first. What comes of the message's text is the caller's.
enum sent console_send(struct console *console, const char *text, size_t length);
void console_regenerate(struct console *console, int32_t answers);
void console_search(struct console *console, int32_t width);
void console_continue(struct console *console);

// Shows the turn that runs in front, to its end or until a command leaves it; of several answers it
// asks for one. What was taken back by ^C is the draft, and so is what was queued.
void console_follow(struct console *console);

// A line that is obeyed as soon as the answer in front is written: moved in.
void console_queue(struct console *console, struct text *line);
bool console_unqueue(struct console *console, struct text *line); // the first, into the empty *line

// For commands that wait by themselves, between editor_begin_aside() and console_end_aside():
// queues what is sent. What is typed and not sent is the draft, and if it was cancelled so is the
// queue.
void console_listen(struct console *console);
void console_end_aside(struct console *console, bool cancelled);

// Moving to another conversation, as the desk does it. Says why not, or true.
bool console_new(struct console *console, const char *name);
bool console_resume(struct console *console, const char *which);
bool console_fork(struct console *console, const char *name);

// Answers that ended in the background: are there any; say so.
bool console_has_news(void *console);
void console_tell_news(void *console);

// Time to leave, unless answers are being written in the background: then at the next prompt.
void console_quit(struct console *console);

// Says why, in one line. True when there was something to say.
bool console_failed(enum status status, const struct error *err);

// A short answer to a question, trimmed: false when there is none (^C, ^D, an empty line).
bool console_ask(struct console *console, const char *question, struct text *answer);
bool console_confirm(struct console *console, const char *question); // "y" or "yes"

// After a move: the last turns, dimmed, and what of them was cached where, at what cost.
void console_arrive(struct console *console);

// The next prompt begins with this text, before what was to stand there already. Copied.
void console_give_back(struct console *console, const char *text);

#endif
