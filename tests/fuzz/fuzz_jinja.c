// tests/fuzz/fuzz_jinja.c — a template and its variables: the source, a NUL, an object as JSON.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "prompts/jinja/jinja.h"
#include "prompts/jinja/json_value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 200000, RUN_BYTES = 16 << 20, VARIABLES = 16, NAME_BYTES = 32 };

static size_t read_variables(const struct value *object, char names[VARIABLES][NAME_BYTES],
                             struct jinja_variable variables[VARIABLES]) {
    size_t count = 0;
    for (size_t i = 0; i < object->as.dict->count && count < VARIABLES; i++) {
        const struct chars *key = object->as.dict->entries[i].key.as.string;
        if (key->length >= NAME_BYTES) continue;
        memcpy(names[count], key->bytes, key->length);
        names[count][key->length] = '\0';
        variables[count] = (struct jinja_variable){names[count], object->as.dict->entries[i].value};
        count++;
    }
    return count;
}

// One line, whatever the template has in it.
static void check_error(const struct jinja_run *run, const struct error *err) {
    ASSERT(run->piece_count == 0);
    ASSERT(run->refusal || err->text[0]);
    ASSERT(run->refusal || !strchr(err->text, '\n'));
}

static void check_pieces(const struct jinja_run *run) {
    for (size_t i = 0; i < run->piece_count; i++) {
        ASSERT(run->pieces[i].length > 0);
        ASSERT(i == 0 || run->pieces[i].kind != run->pieces[i - 1].kind);
        ASSERT(utf8_valid(run->pieces[i].bytes, run->pieces[i].length, NULL));
    }
}

static void run_with(const struct jinja *jinja, const char *json, size_t length) {
    char names[VARIABLES][NAME_BYTES];
    struct jinja_variable variables[VARIABLES];
    struct jinja_run run;
    struct error err = {0};
    struct value object;
    jinja_run_init(&run);
    run.arena.limit_bytes = RUN_BYTES;
    run.steps = STEPS;
    if (json_value_read(json, length, &run.arena, &object, &err) == STATUS_OK &&
        object.kind == VALUE_DICT)
        run.variable_count = read_variables(&object, names, variables);
    run.variables = variables;
    err = (struct error){0};
    if (jinja_run(jinja, &run, &err) == STATUS_OK)
        check_pieces(&run);
    else
        check_error(&run, &err);
    jinja_run_deinit(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    const size_t length = nul ? (size_t)(nul - data) : size;
    char *source = malloc(size + 1);
    struct jinja *jinja = NULL;
    struct error err = {0};
    if (!source) return 0;
    memcpy(source, data, size);
    if (jinja_create(source, length, &jinja, &err) == STATUS_OK)
        run_with(jinja, source + length + (nul ? 1 : 0), size - length - (nul ? 1 : 0));
    else
        ASSERT(err.text[0] && !strchr(err.text, '\n'));
    jinja_destroy(jinja);
    free(source);
    return 0;
}
