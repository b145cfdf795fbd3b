// tests/store/no_memory.h — allocations that fail when a test says so, ours and SQLite's.
//
// For one source of a test that is linked with --wrap of the four, and defines out_of_memory().
#ifndef TESTS_STORE_NO_MEMORY_H
#define TESTS_STORE_NO_MEMORY_H

#include <sqlite3.h>
#include <stdbool.h>

#include "tests/check.h"

static bool out_of_memory(void); // counts a call; true: it fails

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *string);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *string);

void *__wrap_malloc(size_t size) { return out_of_memory() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
    return out_of_memory() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
    return out_of_memory() ? NULL : __real_realloc(memory, size);
}
char *__wrap_strdup(const char *string) { return out_of_memory() ? NULL : __real_strdup(string); }

static sqlite3_mem_methods plain;

static void *sqlite_malloc(int size) { return out_of_memory() ? NULL : plain.xMalloc(size); }
static void *sqlite_realloc(void *memory, int size) {
    return out_of_memory() ? NULL : plain.xRealloc(memory, size);
}

static void hook_sqlite(void) {
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain), SQLITE_OK);
    sqlite3_mem_methods hooked = plain;
    hooked.xMalloc = sqlite_malloc;
    hooked.xRealloc = sqlite_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &hooked), SQLITE_OK);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

#endif
