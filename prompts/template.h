// prompts/template.h — chat templates: how a conversation becomes the text that a model expects.
//
// A chat template is a program in the model file (jinja/jinja.h); without one, ChatML is used.
// Rendering yields pieces marked control (the template's own words, BOS and EOS, the names of
// roles) or text (message contents), so that only the template can produce special tokens.
//
//   chat_template_create ─► render, continue (any number of times) ─► chat_template_destroy
//
// The past of a conversation is kept as token ids (the token log) and never tokenized again: only
// the part of the rendered conversation that is not in the log becomes new pieces. Some templates
// render an earlier turn differently once the next one has begun: they drop the thinking in an
// answer, or move the system prompt to the last message. chat_template_continue() says how much of
// the log is still valid.
//
// When a template is created, trial renderings find out
//   - which text ends an answer;
//   - whether it drops the thinking from earlier answers;
//   - whether it refuses a system prompt: then the prompt goes before the first user message, with
//     an empty line between them;
//   - whether it refuses an answer with channels (<|channel|>analysis<|message|>…): then it gets
//     only the text of the final channel;
//   - whether it refuses an empty answer: then it gets a space instead, or no answer at all.
//
// Memory: a template owns its program; a prompt owns its pieces and their bytes. Threads: a
// template is read-only once created.
#ifndef PROMPTS_TEMPLATE_H
#define PROMPTS_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "kernels/base/piece.h"
#include "kernels/base/status.h"

enum role { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT };
enum { ROLE_COUNT = 3 };

bool role_find(const char *name, enum role *role);

struct chat_message {
    enum role role;
    const char *text; // borrowed, UTF-8
    size_t length;
};

// The default for a model file without a template.
extern const char chat_template_chatml[];

// The source of a built-in template, by the name that chat_template_name() uses: chatml, llama3,
// gemma, mistral, phi3, or messages for a model on a server. NULL: no such template.
const char *chat_template_find(const char *name);

struct chat_template;

struct chat_template_options { // borrowed for the call
    const char *source;        // NULL or "": ChatML
    size_t length;
    const char *bos, *eos; // texts of these tokens; "" if the model has none
    bool begins_with_bos;  // the tokenizer expects BOS first, whether or not the template writes it
};

// UNSUPPORTED: the template cannot be run (with a position), or it renders no message.
MUST_CHECK enum status chat_template_create(const struct chat_template_options *options,
                                            struct chat_template **result, struct error *err);
void chat_template_destroy(struct chat_template *chat_template); // NULL is fine

bool chat_template_guessed(const struct chat_template *chat_template); // the file had none
bool chat_template_drops_thinking(const struct chat_template *chat_template);
bool chat_template_folds_system(const struct chat_template *chat_template); // see above
// Name of the template's kind, for people, guessed from the text that ends an answer: "chatml",
// "llama3", … or "its own".
const char *chat_template_name(const struct chat_template *chat_template);
// Strings that end an answer when a model writes them out as plain text; NULL-terminated.
const char *const *chat_template_stops(const struct chat_template *chat_template);

struct prompt { // {0} is empty
    struct piece *pieces;
    size_t count;
    char *bytes; // the memory that the pieces point into
};

void prompt_deinit(struct prompt *prompt); // leaves it empty

// Whether a reasoning model should reason. Templates see it as enable_thinking or thinking; those
// that use neither ignore it.
enum think_wish { THINK_AS_IT_DOES, THINK_ON, THINK_OFF };

struct render {
    const struct chat_message *messages; // the whole conversation from its root
    size_t count;
    bool ask; // end with the prompt for an answer
    enum think_wish think;
    const struct tm *now; // for templates that write the date; NULL: 1970
};

// Fills *prompt, which must be empty, with the whole conversation, however long. BAD_INPUT: the
// template refused or failed; the error gives the reason.
MUST_CHECK enum status chat_template_render(const struct chat_template *chat_template,
                                            const struct render *what, struct prompt *prompt,
                                            struct error *err);

enum prompt_keeps {
    PROMPT_KEEPS_NOTHING,  // the pieces are everything; they may still share a prefix with the log
    PROMPT_KEEPS_QUESTION, // the log is valid up to the last answer; the pieces begin with that
                           // answer
    PROMPT_KEEPS_ANSWER,   // the log is valid except for the token that ended the answer
    PROMPT_KEEPS_ALL,      // the pieces follow the whole log
};

// Like chat_template_render(), for a conversation whose last answer (message count - 2) the model
// generated from the rendering of everything before it. Returns only the pieces that continue the
// token log. `ended_by` is the text of the token that ended the answer in the log, "" if it was
// interrupted. An answer keeps its tokens if its rendering differs only in surrounding white space.
//
//   the log       <user>Hi<end><ask>  Hello! <end>
//   the prompt                                    <rest><user>More<end><ask>     keeps all
//   or                                Hello!<end> <rest><user>More<end><ask>     keeps the question
//   or                                       <END> <rest><user>More<end><ask>     keeps the answer
MUST_CHECK enum status chat_template_continue(const struct chat_template *chat_template,
                                              const struct render *what, const char *ended_by,
                                              struct prompt *prompt, enum prompt_keeps *keeps,
                                              struct error *err);

// Assigns the pieces of a rendering that asks for an answer to its messages: message i has the
// pieces from ends[i - 1] up to ends[i]. An answer has its own text, as far as the template keeps
// it; other messages have everything between the answers around them. False: the template leaves
// out, moves or rewrites a message.
bool chat_template_divide(const struct chat_template *chat_template, const struct render *what,
                          const struct prompt *prompt, size_t *ends);

#endif
