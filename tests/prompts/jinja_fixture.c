#include "tests/prompts/jinja_fixture.h"

#include <stdio.h>
#include <string.h>

#include "prompts/jinja/json_value.h"
#include "tests/check.h"

enum { VARIABLES_MOST = 40, NAME_BYTES = 64 };

void rendered_deinit(struct rendered *rendered) {
    text_deinit(&rendered->text);
    text_deinit(&rendered->marks);
    text_deinit(&rendered->error);
}

static void copy_pieces(const struct jinja_run *run, struct rendered *rendered) {
    for (size_t i = 0; i < run->piece_count; i++) {
        const struct piece *piece = &run->pieces[i];
        assert_true(piece->length > 0);
        assert_true(i == 0 || piece->kind != run->pieces[i - 1].kind);
        assert_true(utf8_valid(piece->bytes, piece->length, NULL));
        assert_int_equal(text_append(&rendered->text, piece->bytes, piece->length), STATUS_OK);
        for (size_t j = 0; j < piece->length; j++)
            assert_int_equal(
                text_append(&rendered->marks, piece->kind == PIECE_CONTROL ? "c" : "t", 1),
                STATUS_OK);
    }
}

struct rendered render_value(const char *source, const struct value *object) {
    static const struct tm now = {.tm_year = 126,
                                  .tm_mon = 0,
                                  .tm_mday = 2,
                                  .tm_hour = 3,
                                  .tm_min = 4,
                                  .tm_sec = 5,
                                  .tm_wday = 5,
                                  .tm_yday = 1};
    struct jinja_variable variables[VARIABLES_MOST] = {{.name = "bos_token"},
                                                       {.name = "eos_token"}};
    char names[VARIABLES_MOST][NAME_BYTES];
    struct rendered rendered = {0};
    struct jinja *jinja = NULL;
    struct jinja_run run;
    struct error err = {0};
    size_t count = 2;
    jinja_run_init(&run);
    assert_int_equal(value_text(&run.arena, "<BOS>", 5, ORIGIN_CONTROL, &variables[0].value),
                     STATUS_OK);
    assert_int_equal(value_text(&run.arena, "<EOS>", 5, ORIGIN_CONTROL, &variables[1].value),
                     STATUS_OK);
    for (size_t i = 0; object && i < object->as.dict->count; i++, count++) {
        const struct chars *key = object->as.dict->entries[i].key.as.string;
        assert_true(count < VARIABLES_MOST && key->length < NAME_BYTES);
        memcpy(names[count], key->bytes, key->length);
        names[count][key->length] = '\0';
        variables[count] = (struct jinja_variable){names[count], object->as.dict->entries[i].value};
    }
    run.variables = variables;
    run.variable_count = count;
    run.now = &now;
    enum status status = jinja_create(source, strlen(source), &jinja, &err);
    if (status == STATUS_OK) status = jinja_run(jinja, &run, &err);
    if (status == STATUS_OK) {
        copy_pieces(&run, &rendered);
    } else {
        const struct chars *refusal = run.refusal;
        assert_int_equal(status, STATUS_BAD_INPUT);
        rendered.refused = refusal != NULL;
        assert_int_equal(refusal ? text_append(&rendered.error, refusal->bytes, refusal->length)
                                 : text_append_string(&rendered.error, err.text),
                         STATUS_OK);
    }
    jinja_run_deinit(&run);
    jinja_destroy(jinja);
    return rendered;
}

struct rendered render_json(const char *source, const char *json) {
    struct arena arena;
    struct value object;
    struct error err = {0};
    arena_init(&arena, 256 << 20);
    const char *text = json ? json : "{}";
    if (json_value_read(text, strlen(text), &arena, &object, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    const struct rendered rendered = render_value(source, &object);
    arena_deinit(&arena);
    return rendered;
}

bool read_whole_file(const char *path, struct text *text) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, file)) > 0;)
        assert_int_equal(text_append(text, buffer, count), STATUS_OK);
    fclose(file);
    return true;
}
