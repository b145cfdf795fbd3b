// prompts/template.h — how a conversation becomes the text that a model expects.
//
// A chat template is a row of a table: how each role's message begins and ends, where the
// system prompt goes, what asks for an answer. The row is recognised from the template
// string that the model file carries. Rendering yields pieces marked control (the template's
// own words) or text (a message's), so that only the template can make special tokens.
//
// Only what is new is rendered: a conversation's past is kept as token ids (the token log)
// and never rendered again.
//
// A row says less than a template's program can. What it leaves out: tools; dropping the
// thinking from old answers; an opened <think> after the ask; a default system prompt, unless
// the row is that family's own; today's date (llama3.1 always writes its template's fallback,
// so that a head is the same text tomorrow); moving the system prompt to the last user message
// (mistral-v3: it stays with the first, where the log has it).
//
// Sources: each family's published chat_template; ChatML (OpenAI), Llama 2 and 3 (Meta),
// Mistral, Gemma (Google), Phi-3 and Phi-4 (Microsoft), Zephyr (Hugging Face).
//
// Memory: rows are static. Pieces are owned by struct prompt; their bytes are borrowed from
// the messages, the BOS text and the table, which must outlive the prompt's use. Rows are
// read-only: any number of threads.
#ifndef PROMPTS_TEMPLATE_H
#define PROMPTS_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/piece.h"
#include "engine/base/status.h"

enum role { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT };
enum { ROLE_COUNT = 3 };

const char *role_name(enum role role); // "system", "user", "assistant"
bool role_find(const char *name, enum role *role);

struct chat_message {
    enum role role;
    const char *text; // borrowed, UTF-8
    size_t length;
};

struct chat_template; // a row

// The first row all of whose marks occur in the model's template string. NULL or "" (a file
// without a template): chatml, and *guessed is true. UNSUPPORTED when no row fits.
MUST_CHECK enum status chat_template_recognise(const char *source, size_t length,
                                               const struct chat_template **row, bool *guessed,
                                               struct error *err);
const struct chat_template *chat_template_find(const char *name); // "chatml", …; or NULL
const char *chat_template_name(const struct chat_template *row);

struct prompt { // {0} is empty
    struct piece *pieces;
    size_t count;
};

void prompt_deinit(struct prompt *prompt); // leaves it empty

// Where the rendered part begins and ends.
struct render {
    const struct chat_message *messages; // the whole conversation from its root
    size_t count;
    size_t first;         // messages before this one are in the token log already
    bool answer_ended;    // first > 0 and messages[first-1] is an answer whose end-of-turn token
                          // is in the log too; false: an interrupted answer, which is closed here
    bool begins_with_bos; // does the tokenizer expect a BOS at the very start?
    bool ask;             // ends with what makes the model answer
    const char *bos;      // text of the BOS token, "" when there is none; borrowed
};

// Fills *prompt (an empty one) with messages[first …), opening with what the message before
// `first` still lacks. Rendering in two parts gives the text of rendering at once:
//
//   messages[0 …)                    BOS  <system>  <user>  <ask> answer <end><rest>  <user>  <ask>
//   after an answer that ended                                               <rest>  <user>  <ask>
//   after one that was interrupted                                      <end><rest>  <user>  <ask>
//
// BAD_INPUT when the template cannot express the order of roles, with the reason. A system
// message is only possible at index 0; a row without a system role puts it into the first user
// message.
MUST_CHECK enum status chat_template_render(const struct chat_template *row,
                                            const struct render *what, struct prompt *prompt,
                                            struct error *err);

// Strings that end an answer in text, for models that write them out; NULL-terminated.
const char *const *chat_template_stops(const struct chat_template *row);

#endif
