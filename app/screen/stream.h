// app/screen/stream.h — writes an answer to the screen, piece by piece.
//
//   text ─► thinking.h ─┬─ the thought ─► harmless ─► thought.h ──┐
//                       └─ the answer ──► harmless ─► markdown.h ─┴─► one write for each piece
//
// The thought may go elsewhere: in one-shot mode to stderr, while the answer goes to a pipe
// unchanged.
//
// Between two writes the terminal has no style set, and the cursor is where the text ended: others
// may write there after stream_end(). A terminal never interprets what a model writes. Output is
// not rewritten, except for a word that moves to the next line and a thought that folds. Without
// styles the text is unchanged, and its thought is labelled.
//
//   stream_begin ─► stream_append … ─► stream_end ─► stream_append …
//
// Embedded by its owner. Memory: owned, stream_deinit(); what does not fit is not shown. Threads:
// one.
#ifndef APP_STREAM_H
#define APP_STREAM_H

#include "app/screen/markdown.h"
#include "app/screen/thought.h"
#include "engine/tokenizer/thinking.h"

struct stream_options {
    void (*write)(const char *bytes, size_t length);
    void (*write_thought)(const char *bytes, size_t length); // NULL: as the answer
    int width;                                               // of the screen; 0: no line is broken
    bool styled;                                             // escapes are welcome
    bool markdown; // is shown as what it means; only with styles
    bool as_it_is; // a file gets the answer: its bytes are not touched
    struct thought_options thought;
};

struct stream {
    struct stream_options options;
    struct thinking thinking;
    struct thought thought;
    struct markdown markdown;
    struct text harmless, out, thought_out; // of one piece
    bool mid_line;
    int32_t tokens, tokens_before_thought;
    int64_t thought_from_ms; // 0: not known
};

// The person's settings for showing answers; one for the process, like the terminal.
struct stream_wishes {
    bool raw; // Markdown as it is
    enum thought_look look;
};
struct stream_wishes *stream_wishes(void);

// By the terminal, its size and the wishes.
struct stream_options stream_on_terminal(void);
struct thought_options stream_thought_options(bool styled);

void stream_begin(struct stream *stream, const struct stream_options *options);
void stream_deinit(struct stream *stream);

// `tokens`: of the whole answer up to here; 0: not known.
void stream_append(struct stream *stream, const char *text, size_t length, int32_t tokens);

// Writes what is held, and ends the line.
void stream_end(struct stream *stream);

// The cursor leaves the text now and comes back: terminal.h's footer.
void stream_settle(struct stream *stream);

// As if the text had been appended, but it is on the screen already.
void stream_skip(struct stream *stream, const char *text, size_t length);

void stream_resize(struct stream *stream, int width);
void stream_return(struct stream *stream); // others have written, and the cursor begins a line
void stream_change_look(struct stream *stream, enum thought_look look); // of this thought

// A whole message, as stream_on_terminal() has it.
void stream_show(const char *text, size_t length);

// Only its thought, whole; false: it has none.
bool stream_show_thought(const char *text, size_t length);

#endif
