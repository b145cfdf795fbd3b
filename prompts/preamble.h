// prompts/preamble.h — what a conversation begins with: a system prompt and few-shot turns.
//
// Few-shot turns are pairs of a user's message and the answer that it should get. A preamble is
// kept as one text, so that it is stored, compared and shared as one:
//
//   SYSTEM <RS> user <RS> answer <RS> user <RS> answer …        RS: U+001E, in no part itself
//
// Without such turns it is the system prompt as it is. Any text is a preamble: one whose parts do
// not come in pairs, or of which one is empty, is a system prompt alone.
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
// Memory: texts are the caller's; parts are borrowed from the preamble. No threads.
#ifndef PROMPTS_PREAMBLE_H
#define PROMPTS_PREAMBLE_H

#include "kernels/base/text.h"
#include "prompts/template.h"

enum { PREAMBLE_SEPARATOR = 0x1E, PREAMBLE_MAX_PARTS = 257 }; // the system prompt and 128 pairs

// Appends the preamble that a file holds. BAD_INPUT names the line: not UTF-8, a NUL or a
// separator, an answer without its question, a question without its answer, an empty part, too
// many.
MUST_CHECK enum status preamble_read(const char *bytes, size_t length, struct text *preamble,
                                     struct error *err);

// BAD_INPUT: the text could not be a system prompt alone, as it has a NUL or a separator in it.
MUST_CHECK enum status preamble_check_system(const char *text, size_t length, struct error *err);

// The preamble's messages, a system message first if its prompt is not empty. Returns how many
// there are; at most PREAMBLE_MAX_PARTS.
size_t preamble_messages(const char *preamble, size_t length,
                         struct chat_message parts[PREAMBLE_MAX_PARTS]);

size_t preamble_shots(const char *preamble); // pairs

// Appends the system prompt of the one with the few-shot turns of the other.
MUST_CHECK enum status preamble_join(const char *system, const char *shots, struct text *preamble);

// Appends it as a file has it.
MUST_CHECK enum status preamble_show(const char *preamble, struct text *out);

// The first line of a file's comments, without its mark: *length 0 if there is none.
const char *preamble_comment(const char *bytes, size_t length, size_t *comment_length);

#endif
