// tests/prompts/jinja_fixture.h — templates with JSON variables, for tests.
#ifndef TESTS_PROMPTS_JINJA_FIXTURE_H
#define TESTS_PROMPTS_JINJA_FIXTURE_H

#include "prompts/jinja/jinja.h"

struct rendered {
    struct text text;  // all pieces
    struct text marks; // a 'c' or 't' for each byte
    struct text error; // "" if it rendered
    bool refused;
};

void rendered_deinit(struct rendered *rendered);

// Runs `source` with the object `json` (NULL: none) as variables; bos_token "<BOS>" and eos_token
// "<EOS>" are control. The time is 2026-01-02 03:04:05.
struct rendered render_json(const char *source, const char *json);
struct rendered render_value(const char *source, const struct value *object);

// false: there is no such file.
bool read_whole_file(const char *path, struct text *text);

#endif
