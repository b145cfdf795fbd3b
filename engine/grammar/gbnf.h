// engine/grammar/gbnf.h — a grammar in GBNF, as llama.cpp documents it (grammars/README.md).
//
//   root  ::= "yes" | "no" (", " why)?      # the answer
//   why   ::= [a-zA-Z ]{1,40} "."
//
//   "text" with the escapes \n \r \t \\ \" \[ \] \xHH \uHHHH \UHHHHHHHH; [a-z] and [^a-z], with the
//   same; . any character; ( ) and |; after any of these * + ? {m} {m,} {m,n} {,n}; # to the line's
//   end. A line's end ends a rule, but after ::= and |, and inside parentheses.
//
// The text is UTF-8. U+0000 is never a character, not even in a class.
#ifndef ENGINE_GBNF_H
#define ENGINE_GBNF_H

#include "engine/grammar/network.h"

enum {
    GBNF_MAX_BYTES = 1 << 22,
    GBNF_MAX_DEPTH = 128, // of parentheses
    GBNF_MAX_REPEAT = 100000,
    GBNF_MAX_REPEATS = 8,     // in a row: (x*)? has two
    GBNF_MAX_ITEMS = 1 << 20, // of a rule: characters, names, parentheses
};

// *network is closed, and owned by the caller; it begins with the rule `root`. BAD_INPUT names the
// line and what is wrong: syntax, a rule without a definition or with two, left recursion, no text
// that fits. UNSUPPORTED: matching by tokens. TOO_LONG names the limit that is exceeded: one of
// these, of characters.h or of network.h. CANCELLED: the user interrupted (effort.h).
MUST_CHECK enum status gbnf_read(const char *bytes, size_t length, const char *root,
                                 struct network *network, struct error *err);

#endif
