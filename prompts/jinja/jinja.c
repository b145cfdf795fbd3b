#include "prompts/jinja/jinja.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "prompts/jinja/machine.h"
#include "prompts/jinja/parser.h"

struct jinja {
    struct arena arena;
    struct lexed lexed;
    struct tree tree;
    locale_t locale; // for the case of letters; 0 where the system has none: ASCII only
};

enum status jinja_create(const char *source, size_t length, struct jinja **result,
                         struct error *err) {
    if (length > JINJA_MAX_SOURCE_BYTES)
        return error_set(err, STATUS_BAD_INPUT, "the template is too long (%zu bytes, at most %d)",
                         length, JINJA_MAX_SOURCE_BYTES);
    struct jinja *jinja = calloc(1, sizeof *jinja);
    if (!jinja) return STATUS_NO_MEMORY;
    jinja->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    arena_init(&jinja->arena, JINJA_TREE_BYTES);
    enum status status = lexer_run(source, length, &jinja->arena, &jinja->lexed, err);
    if (status == STATUS_OK) status = parser_run(&jinja->lexed, &jinja->arena, &jinja->tree, err);
    if (status == STATUS_FULL)
        status = error_set(err, STATUS_BAD_INPUT, "the template needs more than %d MiB of memory",
                           JINJA_TREE_BYTES >> 20);
    if (status != STATUS_OK) {
        jinja_destroy(jinja);
        return status;
    }
    *result = jinja;
    return STATUS_OK;
}

void jinja_destroy(struct jinja *jinja) {
    if (!jinja) return;
    if (jinja->locale) freelocale(jinja->locale);
    arena_deinit(&jinja->arena);
    free(jinja);
}

void jinja_run_init(struct jinja_run *run) {
    *run = (struct jinja_run){0};
    arena_init(&run->arena, JINJA_RUN_BYTES);
    run->steps = JINJA_RUN_STEPS;
}

void jinja_run_deinit(struct jinja_run *run) {
    arena_deinit(&run->arena);
    free(run->pieces);
    *run = (struct jinja_run){0};
}

static size_t run_end(const struct chars *text, size_t from) {
    const int other = chars_origin(text, from) == ORIGIN_CONTROL ? ORIGIN_TEXT : ORIGIN_CONTROL;
    const uint8_t *end = memchr(text->marks + from, other, text->length - from);
    return end ? (size_t)(end - text->marks) : text->length;
}

// Cuts text into pieces of one origin. No character is cut, because its bytes have one origin.
static enum status cut_pieces(const struct chars *text, struct jinja_run *run) {
    size_t count = 0, at = 0;
    if (!text->marks) {
        count = text->length > 0;
    } else {
        for (; at < text->length; at = run_end(text, at))
            count++;
    }
    run->pieces = malloc((count + 1) * sizeof *run->pieces);
    if (!run->pieces) return STATUS_NO_MEMORY;
    at = 0;
    for (; run->piece_count < count; run->piece_count++) {
        const size_t end = text->marks ? run_end(text, at) : text->length;
        const bool control = chars_origin(text, at) == ORIGIN_CONTROL;
        run->pieces[run->piece_count] =
            (struct piece){control ? PIECE_CONTROL : PIECE_TEXT, text->bytes + at, end - at};
        at = end;
    }
    return STATUS_OK;
}

static enum status set_variables(struct machine *machine, const struct jinja_run *run,
                                 struct scope *scope) {
    for (size_t i = 0; i < run->variable_count; i++) {
        const struct chars *name = tree_find_name(machine->tree, run->variables[i].name);
        if (name) TRY(scope_set(machine, scope, name, run->variables[i].value));
    }
    return STATUS_OK;
}

enum status jinja_run(const struct jinja *jinja, struct jinja_run *run, struct error *err) {
    static const struct tm epoch = {.tm_year = 70, .tm_mday = 1, .tm_wday = 4};
    struct machine machine = {
        .arena = &run->arena,
        .err = err,
        .lexed = &jinja->lexed,
        .tree = &jinja->tree,
        .now = run->now ? run->now : &epoch,
        .work = run->steps,
        .work_left = run->steps,
        .watch = effort_of(UINT64_MAX),
        .locale = jinja->locale,
    };
    struct builder out = {.arena = &run->arena};
    struct scope *scope;
    struct value text;
    enum flow flow = FLOW_ON;
    enum status status = scope_create(&machine, NULL, &scope);
    if (status == STATUS_OK) status = set_variables(&machine, run, scope);
    if (status == STATUS_OK)
        status = machine_execute(&machine, scope, &jinja->tree.root->items, &out, &flow);
    ASSERT(status != STATUS_OK || (machine.depth == 0 && flow == FLOW_ON));
    if (status == STATUS_OK) status = machine_finish(&machine, &out, &text);
    if (status == STATUS_OK) status = cut_pieces(text.as.string, run);
    run->refusal = machine.refusal;
    return status;
}
