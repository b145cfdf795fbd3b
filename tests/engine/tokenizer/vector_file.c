#include "tests/engine/tokenizer/vector_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

char *vector_file_read(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    ASSERT(fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    ASSERT(size >= 0);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    ASSERT(bytes);
    ASSERT(fread(bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    bytes[size] = '\0';
    if (length) *length = (size_t)size;
    return bytes;
}

// Reads what follows a backslash and moves behind it.
static char read_escape(const char **cursor) {
    const char letter = *(*cursor)++;
    if (letter != 'x')
        return (char)(letter == 'n' ? '\n' : letter == 'r' ? '\r' : letter == 't' ? '\t' : letter);
    const char digits[3] = {(*cursor)[0], (*cursor)[1], '\0'};
    *cursor += 2;
    return (char)strtol(digits, NULL, 16);
}

static void read_text(const char **cursor, struct text *text) {
    ASSERT(*(*cursor)++ == '"');
    text_clear(text);
    while (**cursor != '"') {
        ASSERT(**cursor && **cursor != '\n');
        char byte = *(*cursor)++;
        if (byte == '\\') byte = read_escape(cursor);
        ASSERT(text_append(text, &byte, 1) == STATUS_OK);
    }
    ++*cursor;
}

bool vector_file_next(const char **cursor, struct vector *vector) {
    if (!**cursor) return false;
    const size_t length = strcspn(*cursor, " ");
    ASSERT(length > 0 && length < sizeof vector->name);
    memcpy(vector->name, *cursor, length);
    vector->name[length] = '\0';
    *cursor += length + 1;
    read_text(cursor, &vector->text);
    vector_file_numbers(cursor, &vector->numbers);
    return true;
}

void vector_deinit(struct vector *vector) {
    text_deinit(&vector->text);
    token_ids_deinit(&vector->numbers);
}

void vector_file_numbers(const char **cursor, struct token_ids *numbers) {
    numbers->count = 0;
    while (**cursor && **cursor != '\n') {
        char *end;
        const long number = strtol(*cursor, &end, 10);
        if (end == *cursor) break;
        ASSERT(token_ids_push(numbers, (int32_t)number) == STATUS_OK);
        *cursor = end;
        *cursor += strspn(*cursor, " ");
    }
    *cursor += strcspn(*cursor, "\n");
    if (**cursor) ++*cursor;
}
