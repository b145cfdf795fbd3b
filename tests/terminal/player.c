// tests/terminal/player.c — plays a file on the terminal as if a model wrote it.
//
// player FILE [folds|stays|hidden] [raw] [typing]: pieces of three characters, through
// app/screen/stream.h; somebody who types has a line of their own below the answer, from
// the tenth piece on.
#include <stdio.h>
#include <string.h>

#include "app/screen/stream.h"
#include "app/screen/terminal.h"

enum { PIECE_CHARACTERS = 3, FOOTER_FROM = 10, FILE_BYTES = 1 << 16 };

static size_t piece_length(const char *text, size_t length) {
    size_t end = 0, used;
    for (int i = 0; i < PIECE_CHARACTERS && end < length; i++, end += used)
        utf8_decode(text + end, length - end, &used);
    return end;
}

static void type(struct stream *stream) {
    stream_settle(stream);
    terminal_footer("> typed", 7);
}

static void play_text(const char *text, size_t length, bool typing) {
    struct stream stream;
    const struct stream_options options = stream_on_terminal();
    int32_t tokens = 0;
    stream_begin(&stream, &options);
    for (size_t at = 0, piece; at < length; at += piece) {
        piece = piece_length(text + at, length - at);
        stream_append(&stream, text + at, piece, ++tokens);
        if (terminal_has_footer()) stream_settle(&stream);
        if (typing && tokens >= FOOTER_FROM) type(&stream);
    }
    stream_end(&stream);
    terminal_end_footer();
    stream_deinit(&stream);
}

int main(int argc, char **argv) {
    static char text[FILE_BYTES];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || !terminal_open()) return 2;
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    bool typing = false;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "typing") == 0) typing = true;
        if (strcmp(argv[i], "stays") == 0) stream_wishes()->look = THOUGHT_STAYS;
        if (strcmp(argv[i], "hidden") == 0) stream_wishes()->look = THOUGHT_HIDDEN;
        if (strcmp(argv[i], "raw") == 0) stream_wishes()->raw = true;
    }
    play_text(text, length, typing);
    terminal_close();
    return 0;
}
