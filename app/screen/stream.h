// app/screen/stream.h — writes an answer to the screen, piece by piece.
//
//   text ─► thinking.h ─┬─ the thought ─► harmless ─► thought.h ──┐
//                       └─ the answer ──► harmless ─► markdown.h ─┴─► one write for each piece
//
// The thought can go elsewhere: in one-shot mode to stderr, while the answer goes to a pipe
// unchanged.
//
// Between two writes the terminal has no style set, and the cursor is where the text ended. Others
// may write after stream_end(). Model output never controls the terminal. Output is not rewritten,
// except for a word that moves to the next line and a thought that folds. Without styles the text
// is unchanged, and the thought has a label.
//
//   stream_begin ─► stream_append … ─► stream_end ─► stream_append …
//
// Embedded by its owner. Memory: owned, stream_deinit(); if memory is short, text is not shown.
// Threads: one.
#ifndef APP_STREAM_H
#define APP_STREAM_H

#include "app/screen/markdown.h"
#include "app/screen/thought.h"
#include "engine/tokenizer/thinking.h"

struct stream_options {
    void (*write)(const char *bytes, size_t length);
    void (*write_thought)(const char *bytes, size_t length); // NULL: same as `write`
    int width;                                               // of the screen; 0: breaks no line
    bool styled;                                             // may write escapes
    bool markdown;                                           // render Markdown; only with styles
    bool as_it_is; // output is a file: write the answer's bytes unchanged
    struct thought_options thought;
};

struct stream {
    struct stream_options options;
    struct thinking thinking;
    struct thought thought;
    struct markdown markdown;
    struct text harmless, out, thought_out; // of the current piece
    bool mid_line;
    int32_t tokens, tokens_before_thought;
    int64_t thought_from_ms; // 0: unknown
};

// The user's settings for showing answers; one per process, like the terminal.
struct stream_wishes {
    bool raw; // show Markdown source
    enum thought_look look;
};
struct stream_wishes *stream_wishes(void);

// Options for this terminal, its size and the user's settings.
struct stream_options stream_on_terminal(void);
struct thought_options stream_thought_options(bool styled);

void stream_begin(struct stream *stream, const struct stream_options *options);
void stream_deinit(struct stream *stream);

// `tokens`: of the whole answer so far; 0: unknown.
void stream_append(struct stream *stream, const char *text, size_t length, int32_t tokens);

// Writes held text, and ends the line.
void stream_end(struct stream *stream);

// The cursor is about to leave the text and return, for terminal.h's footer.
void stream_settle(struct stream *stream);

// Like stream_append() for text that is on the screen already.
void stream_skip(struct stream *stream, const char *text, size_t length);

void stream_resize(struct stream *stream, int width);
// Others have written; the cursor is at the start of a line.
void stream_return(struct stream *stream);

// Before stream_resize(): the column where the text ends at that width, or -1 if it is unknown.
// Then the cursor is moved below the text, for stream_continue_below().
int stream_end_column(const struct stream *stream, int width);
void stream_continue_below(struct stream *stream);
void stream_change_look(struct stream *stream, enum thought_look look); // of the current thought

// Shows a whole message with the options of stream_on_terminal().
void stream_show(const char *text, size_t length);

// Shows only the thought of a message; false: it has none.
bool stream_show_thought(const char *text, size_t length);

#endif
