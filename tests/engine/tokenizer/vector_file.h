// tests/engine/tokenizer/vector_file.h — lines of: a name, a text in quotes, numbers.
//
//   text "a\r\n\xC3\xA9" 67 204 201
//
// Escapes: \n \r \t \" \\ and \xHH for a byte; other bytes stand for themselves.
#ifndef TESTS_VECTOR_FILE_H
#define TESTS_VECTOR_FILE_H

#include "engine/tokenizer/tokenizer.h"

struct vector { // owned by the reader of the file until the next one or vector_deinit()
    char name[32];
    struct text text;
    struct token_ids numbers;
};

// The file with a NUL after it, from malloc; NULL if there is none. `length` may be NULL.
char *vector_file_read(const char *path, size_t *length);

// False at the end. ASSERTs that lines are well-formed.
bool vector_file_next(const char **cursor, struct vector *vector);
void vector_deinit(struct vector *vector);

// Reads the numbers of the rest of the line and moves behind it.
void vector_file_numbers(const char **cursor, struct token_ids *numbers);

#endif
