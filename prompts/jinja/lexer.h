// prompts/jinja/lexer.h — a template's source as tokens, with the white space rules applied.
//
// The rules are those that Hugging Face sets: the newline after a block tag or a comment is dropped
// (trim_blocks), and so are the spaces before one that begins its line (lstrip_blocks). A "-" at
// either end of a tag removes all white space there; a "+" keeps what those rules would remove. One
// newline at the very end is dropped, and \r\n and \r become \n. {% raw %} … {% endraw %} is text.
//
// Source: Jinja's documentation, "Template Designer", sections "Whitespace Control" and "Escaping".
//
// Memory: the arena holds the tokens and the copy of the source that they point into.
#ifndef PROMPTS_JINJA_LEXER_H
#define PROMPTS_JINJA_LEXER_H

#include <stdint.h>

#include "kernels/base/status.h"
#include "prompts/jinja/arena.h"

enum token_kind {
    TOKEN_END,  // of the source
    TOKEN_TEXT, // between tags
    TOKEN_PRINT_BEGIN,
    TOKEN_PRINT_END,
    TOKEN_BLOCK_BEGIN,
    TOKEN_BLOCK_END,
    TOKEN_NAME,
    TOKEN_STRING, // with its quotes
    TOKEN_INTEGER,
    TOKEN_FLOAT,
    TOKEN_OPERATOR, // one or two characters
};

struct token {
    enum token_kind kind;
    uint32_t at; // offset in the source
    const char *bytes;
    size_t length;
};

struct lexed {
    const char *source; // with \n as its only newline
    size_t length;
    struct token *tokens; // the last is TOKEN_END
    size_t count, capacity;
};

// BAD_INPUT, with a position: an invalid token, or a tag without an end. FULL.
MUST_CHECK enum status lexer_run(const char *source, size_t length, struct arena *arena,
                                 struct lexed *lexed, struct error *err);

// Writes "LINE:COLUMN: ", the prefix of a message. Both count from 1, columns in characters.
enum { POSITION_BYTES = 32 };
const char *lexer_position(const struct lexed *lexed, size_t at, char position[POSITION_BYTES]);

#endif
