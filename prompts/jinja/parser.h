// prompts/jinja/parser.h — parses tokens into a tree.
//
// Source: Jinja's documentation, "Template Designer": statements for, if, macro, call, filter,
// set, with, raw, break, continue, and generation, which only marks a span for training. There
// is no loader, so include, import, extends and block are refused by name.
//
// Memory: tree and tokens are in the arena. Threads: no state of its own.
#ifndef PROMPTS_JINJA_PARSER_H
#define PROMPTS_JINJA_PARSER_H

#include "prompts/jinja/lexer.h"
#include "prompts/jinja/tree.h"

// BAD_INPUT: the error says what is wrong and where. FULL: the arena's limit.
MUST_CHECK enum status parser_run(const struct lexed *lexed, struct arena *arena, struct tree *tree,
                                  struct error *err);

#endif
