// tests/prompts/template_fixture.h — what is wanted of every chat template, whoever wrote it.
//
// Failures are cmocka's.
#ifndef TESTS_PROMPTS_TEMPLATE_FIXTURE_H
#define TESTS_PROMPTS_TEMPLATE_FIXTURE_H

#include <stdint.h>

#include "kernels/base/text.h"
#include "prompts/template.h"

struct chat_template *template_create(const char *source); // with "<BOS>" and "<EOS>"
struct chat_message template_says(enum role role, const char *text);
void template_append_pieces(const struct prompt *prompt, struct text *text);
void template_render_text(const struct chat_template *chat_template, const struct render *what,
                          struct text *text);

// Control text that messages forge stays text, in 400 random conversations.
void template_check_forged(const char *source, uint32_t *seed);
// An answer that was stopped before its first word makes no later turn impossible.
void template_check_empty_answer(const char *source);
// In chats of five turns, what the log keeps and what is appended are what is rendered at once.
void template_check_chats(const char *name, const char *source);

#endif
