// prompts/template.h — chat templates: how a conversation becomes the text that a model expects.
//
// A chat template is a program in the model file (jinja/jinja.h); without one, ChatML is used.
// Rendering yields pieces marked control (the template's own words, BOS and EOS, the names of
// roles) or text (of messages), so that only the template can make special tokens.
//
//   chat_template_create ─► render, continue (any number of times) ─► chat_template_destroy
//
// A conversation's past is kept as token ids (the token log) and not tokenized again: of the
// rendered conversation, only the part that the log lacks becomes new pieces. Some templates render
// an earlier turn differently once the next one has begun: the thinking in an answer is dropped, or
// the system prompt moves to the last message. Then chat_template_continue() says how much of the
// log is still valid.
//
// When a template is created, trial renderings find out which text ends an answer; whether it
// refuses a system prompt (which is then put before the first user message, with an empty line
// between); whether it drops the thinking from earlier answers; and whether it refuses an answer
// with channels (<|channel|>analysis<|message|>…), of which it then gets the final one's text only;
// and whether it refuses an empty answer, which is then a space, or left out.
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

// The template of a file without one.
extern const char chat_template_chatml[];

// The source of a template that quire has, by the name that chat_template_name() has for its like:
// chatml, llama3, gemma, mistral, phi3; messages, for a model elsewhere. NULL: there is none.
const char *chat_template_find(const char *name);

struct chat_template;

struct chat_template_options { // borrowed for the call
    const char *source;        // NULL or "": ChatML
    size_t length;
    const char *bos, *eos; // texts of these tokens, "" where there is none
    bool begins_with_bos;  // the tokenizer expects BOS first, whether or not the template writes it
};

// UNSUPPORTED: the template cannot be run (with a position), or it renders no message.
MUST_CHECK enum status chat_template_create(const struct chat_template_options *options,
                                            struct chat_template **result, struct error *err);
void chat_template_destroy(struct chat_template *chat_template); // NULL is fine

bool chat_template_guessed(const struct chat_template *chat_template); // there was none
bool chat_template_drops_thinking(const struct chat_template *chat_template);
bool chat_template_folds_system(const struct chat_template *chat_template); // see above
// The family by what ends an answer, for people: "chatml", "llama3", … or "its own".
const char *chat_template_name(const struct chat_template *chat_template);
// Strings that end an answer in text, for models that write them out; NULL-terminated.
const char *const *chat_template_stops(const struct chat_template *chat_template);

struct prompt { // {0} is empty
    struct piece *pieces;
    size_t count;
    char *bytes; // that the pieces point into
};

void prompt_deinit(struct prompt *prompt); // leaves it empty

// Should a model that can think do so? Templates know this as enable_thinking or thinking; others
// ignore it.
enum think_wish { THINK_AS_IT_DOES, THINK_ON, THINK_OFF };

struct render {
    const struct chat_message *messages; // the whole conversation from its root
    size_t count;
    bool ask; // end with the prompt for an answer
    enum think_wish think;
    const struct tm *now; // for templates that write the date; NULL: 1970
};

// Fills *prompt, which is empty, with the whole conversation. BAD_INPUT: the template refuses or
// fails, with the reason.
MUST_CHECK enum status chat_template_render(const struct chat_template *chat_template,
                                            const struct render *what, struct prompt *prompt,
                                            struct error *err);

enum prompt_keeps {
    PROMPT_KEEPS_NOTHING,  // the pieces are everything; they may still share a prefix with the log
    PROMPT_KEEPS_QUESTION, // the log is valid up to the last answer, with which the pieces begin
    PROMPT_KEEPS_ANSWER,   // all but the token that ended the answer, which the template ends
                           // differently
    PROMPT_KEEPS_ALL,      // the pieces are what the log lacks
};

// The same for a conversation whose last answer (message count - 2) was made by the model from the
// rendering of everything before it. `ended_by` is the text of the token with which the answer
// ended in the log, "" if it was interrupted. An answer whose rendering differs only in surrounding
// white space keeps its tokens.
//
//   the log       <user>Hi<end><ask>  Hello! <end>
//   the prompt                                    <rest><user>More<end><ask>     keeps all
//   or                                Hello!<end> <rest><user>More<end><ask>     keeps the question
//   or                                       <END> <rest><user>More<end><ask>     keeps the answer
MUST_CHECK enum status chat_template_continue(const struct chat_template *chat_template,
                                              const struct render *what, const char *ended_by,
                                              struct prompt *prompt, enum prompt_keeps *keeps,
                                              struct error *err);

// Which pieces of a rendering, that asks for an answer, are whose? Those before ends[i], and not
// before ends[i - 1], are what message i adds: of an answer its text, as far as the template keeps
// it; of others all from the answer before to the answer after. False: the template leaves out,
// moves or rewrites a message.
bool chat_template_divide(const struct chat_template *chat_template, const struct render *what,
                          const struct prompt *prompt, size_t *ends);

#endif
