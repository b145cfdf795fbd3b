// prompts/preamble.h — the start of a conversation: a system prompt and few-shot turns.
//
// Few-shot turns are pairs of a user message and the answer it should get. A preamble is one text,
// so that it is stored, compared and shared as a whole:
//
//   SYSTEM <RS> user <RS> answer <RS> user <RS> answer …        RS: U+001E, in no part itself
//
// Without few-shot turns it is just the system prompt. Any text is a preamble: if its parts do not
// come in pairs, or one of them is empty, the whole text is a system prompt.
//
// In a file it is plain text:
//
//   # lines like this at the top are for people
//   The system prompt, up to the first mark.
//   USER: A question,
//   of as many lines as it takes.
//   ASSISTANT: The answer that it should get.
//
// A mark begins a line. Blanks around each part are dropped.
//
// Memory: texts are the caller's; parts are borrowed from the preamble. Threads: no state of its
// own.
#ifndef PROMPTS_PREAMBLE_H
#define PROMPTS_PREAMBLE_H

#include "kernels/base/text.h"
#include "prompts/template.h"

enum { PREAMBLE_SEPARATOR = 0x1E, PREAMBLE_MAX_PARTS = 257 }; // the system prompt and 128 pairs

// Appends the preamble that a file holds. BAD_INPUT names the line: not UTF-8, a NUL or a
// separator, a question or an answer without the other, an empty part, or too many parts.
MUST_CHECK enum status preamble_read(const char *bytes, size_t length, struct text *preamble,
                                     struct error *err);

// BAD_INPUT: the text contains a NUL or a separator, so it cannot be just a system prompt.
MUST_CHECK enum status preamble_check_system(const char *text, size_t length, struct error *err);

// The preamble's messages, a system message first if its prompt is not empty. Returns how many
// there are; at most PREAMBLE_MAX_PARTS.
size_t preamble_messages(const char *preamble, size_t length,
                         struct chat_message parts[PREAMBLE_MAX_PARTS]);

size_t preamble_shots(const char *preamble); // pairs

// Appends a preamble made of one preamble's system prompt and another's few-shot turns.
MUST_CHECK enum status preamble_join(const char *system, const char *shots, struct text *preamble);

// Appends the preamble in the format of a file.
MUST_CHECK enum status preamble_show(const char *preamble, struct text *out);

// The first comment line of a file, without its "#"; *comment_length is 0 if there is none.
const char *preamble_comment(const char *bytes, size_t length, size_t *comment_length);

#endif
