// tests/engine/tokenizer/vocabulary_fixture.h — small vocabularies made for tests.
//
// Fill in, then open: the GGUF bytes are made and read as those of a file. Running out of
// room or memory is an ASSERT. {0} is not a fixture: begin with vocabulary_fixture_create().
#ifndef TESTS_VOCABULARY_FIXTURE_H
#define TESTS_VOCABULARY_FIXTURE_H

#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/vocabulary.h"

enum { FIXTURE_TEXT_BYTES = 64, FIXTURE_MAX_TOKENS = 1024, FIXTURE_MAX_MERGES = 1024 };

struct vocabulary_fixture {
    const char *model, *pre; // NULL: the key is absent
    size_t count, merge_count;
    char tokens[FIXTURE_MAX_TOKENS][FIXTURE_TEXT_BYTES];
    int32_t types[FIXTURE_MAX_TOKENS];
    float scores[FIXTURE_MAX_TOKENS];
    char merges[FIXTURE_MAX_MERGES][2 * FIXTURE_TEXT_BYTES];
    bool no_types, no_scores, no_tokens;   // leaves the array out
    int64_t bos, eos, eot, unknown;        // INT64_MIN: the key is absent
    int adds_bos, adds_space, trims_space; // -1: the key is absent
    // After opening:
    unsigned char *file;
    size_t file_bytes;
    struct gguf *gguf;
    struct tokenizer *tokenizer;
};

struct vocabulary_fixture *vocabulary_fixture_create(const char *model, const char *pre);
void vocabulary_fixture_destroy(struct vocabulary_fixture *fixture); // NULL is fine

int32_t vocabulary_fixture_add(struct vocabulary_fixture *fixture, const char *text,
                               enum token_type type, float score); // returns the id
void vocabulary_fixture_merge(struct vocabulary_fixture *fixture, const char *left,
                              const char *right);

// The 256 tokens of single bytes: ids follow one another, byte 0 first; returns its id.
int32_t vocabulary_fixture_add_characters(struct vocabulary_fixture *fixture); // byte-level
int32_t vocabulary_fixture_add_bytes(struct vocabulary_fixture *fixture);      // "<0x0A>"

// Writes the file and opens it. May be called once.
enum status vocabulary_fixture_open(struct vocabulary_fixture *fixture, struct error *err);

// A byte-level vocabulary with "qwen2" cuts, some English merges, <|im_start|>, <|im_end|>
// (eos), <|endoftext|> (bos) and the user-defined "<think>"; and a SentencePiece one with <s>,
// </s> and the user-defined "<think>". Opened.
struct vocabulary_fixture *vocabulary_fixture_byte_level(void);
struct vocabulary_fixture *vocabulary_fixture_sentencepiece(void);

// Numbers of a linear congruence, in [0, below); a test sets the seed.
extern uint32_t seed;
uint32_t next_random(uint32_t below);

#endif
