#include "app/screen/stream.h"

#include <stdio.h>

#include "app/base/figures.h"
#include "app/base/printable.h"
#include "app/screen/terminal.h"

enum { LINE_BYTES = 96, FEWEST_ROWS = 2, MOST_ROWS = 6, ROWS_PER_SCREEN = 4 };

struct stream_wishes *stream_wishes(void) {
    static struct stream_wishes wishes;
    return &wishes;
}

struct stream_options stream_on_terminal(void) {
    const bool styled = terminal_styled();
    const int width = styled ? terminal_width() : 0; // escapes are what a word is moved with
    return (struct stream_options){
        .write = terminal_stream,
        .width = width,
        .styled = styled,
        .markdown = styled && !stream_wishes()->raw,
        .thought = stream_thought_options(styled),
    };
}

struct thought_options stream_thought_options(bool styled) {
    const int rows = terminal_height() / ROWS_PER_SCREEN;
    return (struct thought_options){
        .look = stream_wishes()->look,
        .styled = styled,
        .width = terminal_width(),
        .rows = rows < FEWEST_ROWS ? FEWEST_ROWS
                : rows > MOST_ROWS ? MOST_ROWS
                                   : rows,
    };
}

void stream_begin(struct stream *stream, const struct stream_options *options) {
    *stream = (struct stream){.options = *options};
    stream->markdown.wrap.width = options->width;
    stream->markdown.wrap.patient = true;
}

void stream_deinit(struct stream *stream) {
    thinking_deinit(&stream->thinking);
    thought_deinit(&stream->thought);
    markdown_deinit(&stream->markdown);
    text_deinit(&stream->harmless);
    text_deinit(&stream->out);
    text_deinit(&stream->thought_out);
}

// Where thoughts go.
static struct text *thought_out(struct stream *stream) {
    return stream->options.write_thought ? &stream->thought_out : &stream->out;
}

// "thought for 3.2 s, 412 tokens"
static enum status end_thought(struct stream *stream) {
    char line[LINE_BYTES] = "thought", count[COUNT_TEXT_BYTES];
    const int64_t ms = clock_ms() - stream->thought_from_ms;
    const int32_t tokens = stream->tokens - stream->tokens_before_thought;
    if (stream->thought_from_ms && tokens > 0)
        snprintf(line, sizeof line, "thought for %.1f s, %s token%s", (double)ms / 1e3,
                 count_format(tokens, count), tokens == 1 ? "" : "s");
    return thought_end(&stream->thought, line, thought_out(stream));
}

static enum status push_thought(struct stream *stream, const char *text, size_t length) {
    struct text *out = thought_out(stream);
    text_clear(&stream->harmless);
    TRY(printable_text(text, length, &stream->harmless));
    if (!stream->thought.open) {
        stream->thought_from_ms = stream->tokens ? clock_ms() : 0; // 0: it began long ago
        TRY(thought_begin(&stream->thought, &stream->options.thought, out));
    }
    const int tokens = (int)(stream->tokens - stream->tokens_before_thought);
    return thought_append(&stream->thought, text_string(&stream->harmless), stream->harmless.length,
                          tokens, out);
}

static enum status push_answer(struct stream *stream, const char *text, size_t length) {
    struct text *harmless = &stream->harmless;
    if (stream->thought.open) TRY(end_thought(stream));
    if (stream->options.as_it_is) return text_append(&stream->out, text, length);
    text_clear(harmless);
    TRY(printable_text(text, length, harmless));
    if (stream->options.markdown)
        TRY(markdown_append(&stream->markdown, text_string(harmless), harmless->length,
                            &stream->out));
    else
        TRY(wrap_append(&stream->markdown.wrap, text_string(harmless), harmless->length,
                        &stream->out));
    return wrap_rest(&stream->markdown.wrap, &stream->out);
}

static enum status push_parts(struct stream *stream, bool ended) {
    struct thinking_part part;
    while (thinking_next(&stream->thinking, ended, &part))
        TRY(part.thought ? push_thought(stream, part.text, part.length)
                         : push_answer(stream, part.text, part.length));
    return STATUS_OK;
}

static void write_out(struct stream *stream) {
    struct text *out = &stream->out, *thought = &stream->thought_out;
    if (thought->length > 0) stream->options.write_thought(thought->bytes, thought->length);
    text_clear(thought);
    if (out->length == 0) return;
    stream->mid_line = out->bytes[out->length - 1] != '\n';
    stream->options.write(out->bytes, out->length);
    text_clear(out);
}

static enum status append(struct stream *stream, const char *text, size_t length, int32_t tokens) {
    if (!stream->thought.open) stream->tokens_before_thought = stream->tokens;
    if (tokens > 0) stream->tokens = tokens;
    TRY(thinking_append(&stream->thinking, text, length));
    return push_parts(stream, false);
}

void stream_append(struct stream *stream, const char *text, size_t length, int32_t tokens) {
    const enum status ignored = append(stream, text, length, tokens);
    (void)ignored; // without memory the text is not shown, but it is still stored
    write_out(stream);
}

static enum status end(struct stream *stream) {
    TRY(push_parts(stream, true));
    if (stream->thought.open) TRY(end_thought(stream));
    if (stream->options.markdown)
        TRY(markdown_end(&stream->markdown, &stream->out));
    else
        TRY(wrap_flush(&stream->markdown.wrap, &stream->out));
    return wrap_rest(&stream->markdown.wrap, &stream->out);
}

void stream_end(struct stream *stream) {
    const enum status ignored = end(stream);
    (void)ignored;
    write_out(stream);
    if (stream->mid_line) stream->options.write("\n", 1);
    stream->mid_line = false;
    wrap_restart(&stream->markdown.wrap);
}

void stream_settle(struct stream *stream) { wrap_settle(&stream->markdown.wrap); }

static enum status skip(struct stream *stream, const char *text, size_t length) {
    TRY(append(stream, text, length, 0));
    return markdown_flush(&stream->markdown, &stream->out);
}

void stream_skip(struct stream *stream, const char *text, size_t length) {
    if (length == 0) return;
    const enum thought_look look = stream->options.thought.look;
    stream->options.thought.look = THOUGHT_HIDDEN; // its last rows would be the old ones
    const enum status ignored = skip(stream, text, length);
    (void)ignored;
    stream->options.thought.look = look;
    text_clear(&stream->out);
    text_clear(&stream->thought_out);
    stream->markdown.wrap.written = WRAP_PLAIN;
    wrap_restart(&stream->markdown.wrap);
}

void stream_resize(struct stream *stream, int width) {
    if (stream->options.width == 0) return;
    stream->options.width = stream->options.thought.width = width;
    wrap_resize(&stream->markdown.wrap, width);
    const enum status ignored = thought_resize(&stream->thought, width, thought_out(stream));
    (void)ignored;
    write_out(stream);
}

void stream_return(struct stream *stream) { wrap_return(&stream->markdown.wrap); }

int stream_end_column(const struct stream *stream, int width) {
    return stream->thought.open ? -1 : wrap_end_column(&stream->markdown.wrap, width);
}

void stream_continue_below(struct stream *stream) { wrap_continue_below(&stream->markdown.wrap); }

void stream_change_look(struct stream *stream, enum thought_look look) {
    stream->options.thought.look = look;
    const enum status ignored = thought_change_look(&stream->thought, look, thought_out(stream));
    (void)ignored;
    write_out(stream);
}

void stream_show(const char *text, size_t length) {
    struct stream stream;
    struct stream_options options = stream_on_terminal();
    if (options.thought.look == THOUGHT_FOLDS)
        options.thought.look = THOUGHT_HIDDEN; // it is done already
    stream_begin(&stream, &options);
    stream_append(&stream, text, length, 0);
    stream_end(&stream);
    stream_deinit(&stream);
}

bool stream_show_thought(const char *text, size_t length) {
    struct stream stream;
    struct stream_options options = stream_on_terminal();
    struct text thought = {0};
    const bool any =
        thinking_split(text, length, &thought, NULL) == STATUS_OK && thought.length > 0;
    options.thought.look = THOUGHT_STAYS;
    stream_begin(&stream, &options);
    if (any && push_thought(&stream, thought.bytes, thought.length) == STATUS_OK)
        stream_end(&stream);
    stream_deinit(&stream);
    text_deinit(&thought);
    return any;
}
