// engine/tokenizer/expression.h — where does a tokenizer's regular expression match?
//
// Expressions come from published tokenizers, ours by name and others in a tokenizer.json, and are
// written for Oniguruma. PCRE2 compiles them after a translation of what the two read differently:
// \s is Unicode's White_Space, \w its word characters, \d its decimal digits, '$' and '^' match at
// every line, and [A&&[^B]] is A without B. What PCRE2 cannot express is refused.
//
// An expression may be arbitrarily slow on some text; a limit on steps stops it.
//
// Memory: owned. Immutable and shared by threads, each with its own expression_match.
#ifndef ENGINE_EXPRESSION_H
#define ENGINE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/status.h"

enum { EXPRESSION_MAX_BYTES = 1 << 16 };

struct expression;
struct expression_match;

// `literal`: the pattern is the text to find. UNSUPPORTED: the pattern cannot be compiled;
// `name` begins the sentence.
MUST_CHECK enum status expression_create(const char *pattern, size_t length, bool literal,
                                         const char *name, struct expression **expression,
                                         struct error *err);
void expression_destroy(struct expression *expression); // NULL is fine

MUST_CHECK enum status expression_match_create(struct expression_match **match);
void expression_match_destroy(struct expression_match *match); // NULL is fine

// The first match at or after `from` in bytes[0..length), which is well-formed UTF-8 and all
// that look-ahead sees: *found, and then *begin <= *end. `from` is at a character. UNSUPPORTED
// when the expression took too many steps or too much memory on this text.
MUST_CHECK enum status expression_find(const struct expression *expression,
                                       struct expression_match *match, const char *bytes,
                                       size_t length, size_t from, bool *found, size_t *begin,
                                       size_t *end);

#endif
