// tests/engine/tokenizer/json_fixture.h — tokenizer.json texts made for tests.
//
// Fill in the parts as JSON, then open; NULL is null, or what the comment says. Running out of
// memory is an ASSERT.
#ifndef TESTS_JSON_FIXTURE_H
#define TESTS_JSON_FIXTURE_H

#include "engine/tokenizer/tokenizer_json.h"

struct json_fixture {
    const char *normalizer, *pre_tokenizer, *decoder, *post_processor;
    const char *added;  // without the brackets; NULL: none
    const char *model;  // NULL: json_fixture_bytes()
    const char *config; // tokenizer_config.json; NULL: no file
    const char *generation, *shape;
    // After opening:
    struct text text;
    struct tokenizer *tokenizer;
};

// A byte-level model: ids 0 to 255 are the bytes, then come the tokens of "he ll o" and some more
// merges; see the source. Owned by the caller, valid until the next call.
const char *json_fixture_bytes(void);

// Appends a JSON string.
void json_fixture_string(struct text *text, const char *bytes, size_t length);

// The file that says what this GGUF vocabulary of merges says. `pairs`: merges as ["a", "b"].
void json_fixture_from_gguf(struct text *text, const struct gguf *gguf,
                            const struct tokenizer *tokenizer, const char *expression, bool pairs);

enum status json_fixture_open(struct json_fixture *fixture, struct error *err);
void json_fixture_deinit(struct json_fixture *fixture);

#endif
