// app/cli/batch_line.h — parses one line of a batch, a request as JSON.
//
//   {"prompt": "Name three birds."}
//   {"id": 7, "messages": [{"role": "user", "content": "…"}], "tokens": 40, "temperature": 0}
//
//   prompt, system        texts; or messages: roles "system" (first), "user", "assistant"; the last
//                         is a user's
//   schema, grammar       a JSON Schema, or GBNF as a text, that the answer must match
//   id                    any JSON; copied to the result
//   tokens (max_tokens), temperature, top_k, top_p, min_p, repeat_penalty, presence_penalty,
//   frequency_penalty, seed, stop (a text, or an array of them)
//                         like the options of the same name, which are the defaults
//
// Any other key, or one that occurs twice, is an error, so that a typo is noticed. Others also
// write a message's "name", keys with null, which count as absent, and unknown keys with an empty
// list or object: they are ignored. A content may be a list of text parts, a line for each.
//
// Memory: {0} is empty; the JSON is owned, and texts are borrowed from it.
#ifndef APP_BATCH_LINE_H
#define APP_BATCH_LINE_H

#include <cjson/cJSON.h>

#include "app/chat/stops.h"
#include "app/cli/args.h"
#include "engine/core/request.h"
#include "engine/tokenizer/tokenizer.h"
#include "prompts/template.h"

enum { BATCH_LINE_STOPS = ARGS_LIST_MAX }; // from the line, or the defaults

struct batch_line {
    cJSON *json;
    char *id;                      // JSON as written; NULL: none; owned
    struct chat_message *messages; // [count], owned
    size_t count;
    struct request_options options;
    char *schema;                            // NULL: none; owned
    const char *grammar;                     // NULL: none
    const char *stops[BATCH_LINE_STOPS + 1]; // NULL after the last
};

struct batch_defaults { // borrowed
    struct request_options options;
    const char *system;       // for lines without one; "": none
    const char *const *stops; // for lines without any
};

// BAD_INPUT: the error says what is wrong with the line; *line has the id if it could be read.
// NO_MEMORY.
MUST_CHECK enum status batch_line_read(const char *bytes, size_t length,
                                       const struct batch_defaults *defaults,
                                       struct batch_line *line, struct error *err);
void batch_line_deinit(struct batch_line *line); // leaves it empty

// The tokens of the prompt. BAD_INPUT: the template refuses this order of roles.
MUST_CHECK enum status batch_line_encode(const struct batch_line *line,
                                         const struct chat_template *chat_template,
                                         const struct tokenizer *tokenizer, struct token_ids *ids,
                                         struct error *err);

#endif
