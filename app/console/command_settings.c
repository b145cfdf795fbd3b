#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/path.h"
#include "app/console/command.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"

enum { SETTING_COLUMNS = 30 }; // its key and its value

enum setting_kind { SETTING_REAL, SETTING_WHOLE, SETTING_SEED, SETTING_STRUCTURE, SETTING_SHOWN };

struct setting {
    const char *key;
    enum setting_kind kind;
    size_t offset; // in struct session_settings, or for SETTING_SHOWN in struct console;
                   // SETTING_STRUCTURE: its enum structure_kind
    const char *range;
};

#define SAMPLER(field) offsetof(struct session_settings, sampler.field)

static const struct setting TABLE[] = {
    {"temp", SETTING_REAL, SAMPLER(temperature), "0 … 100; 0 always picks the most likely"},
    {"top-k", SETTING_WHOLE, SAMPLER(top_k), "0 or more; 0 is off"},
    {"top-p", SETTING_REAL, SAMPLER(top_p), "0 … 1; 1 is off"},
    {"min-p", SETTING_REAL, SAMPLER(min_p), "0 … 1; 0 is off"},
    {"repeat-penalty", SETTING_REAL, SAMPLER(repeat_penalty), "0.1 … 10; 1 is off"},
    {"presence-penalty", SETTING_REAL, SAMPLER(presence_penalty), "-100 … 100; 0 is off"},
    {"frequency-penalty", SETTING_REAL, SAMPLER(frequency_penalty), "-100 … 100; 0 is off"},
    {"seed", SETTING_SEED, SAMPLER(seed), "0 or more; random: a new one for each turn"},
    {"tokens", SETTING_WHOLE, offsetof(struct session_settings, max_tokens),
     "of one answer; 0: until the context is full"},
    {"schema", SETTING_STRUCTURE, STRUCTURE_SCHEMA, "answers are JSON of this: FILE or {…}; off"},
    {"grammar", SETTING_STRUCTURE, STRUCTURE_GRAMMAR, "answers fit this, in GBNF: FILE; off"},
    {"status", SETTING_SHOWN, offsetof(struct console, status), "on, off: a line above the prompt"},
    {"verbose", SETTING_SHOWN, offsetof(struct console, verbose),
     "on, off: /stats after each answer"},
};
enum { SETTING_COUNT = sizeof TABLE / sizeof TABLE[0] };

const char *command_set_key(size_t index) {
    return index < SETTING_COUNT ? TABLE[index].key : NULL;
}

// As options are written; "top_k" is the same.
static bool is_key(const char *key, const char *typed) {
    while (*key && *key == (*typed == '_' ? '-' : *typed)) {
        key++;
        typed++;
    }
    return *key == *typed;
}

static const struct setting *setting_find(const char *key) {
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (is_key(TABLE[i].key, key)) return &TABLE[i];
    return NULL;
}

static bool *shown(struct console *console, const struct setting *setting) {
    return (bool *)((char *)console + setting->offset);
}

static void show_setting(struct console *console, const struct setting *setting) {
    const bool is_field = setting->kind < SETTING_STRUCTURE;
    const char *field =
        is_field ? (const char *)&console->session->settings + setting->offset : NULL;
    const struct structure *structure = &console->session->structure;
    const char *text = setting->range;
    char value[32] = "";
    float real;
    int32_t whole;
    uint64_t seed;
    switch (setting->kind) {
    case SETTING_REAL:
        memcpy(&real, field, sizeof real);
        snprintf(value, sizeof value, "%g", (double)real);
        break;
    case SETTING_WHOLE:
        memcpy(&whole, field, sizeof whole);
        snprintf(value, sizeof value, "%" PRId32, whole);
        break;
    case SETTING_SEED:
        memcpy(&seed, field, sizeof seed);
        snprintf(value, sizeof value, console->session->settings.seed_given ? "%" PRIu64 : "random",
                 seed);
        break;
    case SETTING_STRUCTURE:
        snprintf(value, sizeof value, "%s", structure->kind == setting->offset ? "on" : "off");
        if (structure->kind == setting->offset) text = text_string(&structure->source);
        break;
    case SETTING_SHOWN:
        snprintf(value, sizeof value, "%s", *shown(console, setting) ? "on" : "off");
        break;
    }
    char label[64];
    snprintf(label, sizeof label, "%-18s %s", setting->key, value);
    row_show(
        &(struct row){.label = label, .columns = SETTING_COLUMNS, .text = text, .style = WRAP_DIM});
}

static bool parse_real(const char *text, char *field) {
    char *end;
    const float value = strtof(text, &end);
    if (end == text || *end || value != value) return false;
    memcpy(field, &value, sizeof value);
    return true;
}

static bool parse_whole(const char *text, char *field) {
    char *end;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < 0 || value > INT32_MAX) return false;
    const int32_t whole = (int32_t)value;
    memcpy(field, &whole, sizeof whole);
    return true;
}

static bool parse_seed(const char *text, char *field) {
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end) return false;
    const uint64_t seed = value;
    memcpy(field, &seed, sizeof seed);
    return true;
}

static bool parse_switch(const char *text, bool *on) {
    const bool is_on = strcmp(text, "on") == 0;
    if (!is_on && strcmp(text, "off") != 0) return false;
    *on = is_on;
    return true;
}

// From the next turn on.
static bool change_structure(struct structure *structure, size_t kind, const char *value,
                             struct error *err) {
    struct text path = {0};
    if (strcmp(value, "off") == 0) {
        if (structure->kind != kind) return true;
        return structure_set(structure, STRUCTURE_NONE, "", err) == STATUS_OK;
    }
    enum status status =
        value[0] == '{' ? text_append_string(&path, value) : path_expand(value, &path);
    if (status == STATUS_OK)
        status = structure_set(structure, (enum structure_kind)kind, text_string(&path), err);
    text_deinit(&path);
    return status == STATUS_OK;
}

// Changes a copy, which becomes the settings only if the sampler accepts it.
static bool change(struct console *console, const struct setting *setting, const char *value,
                   struct error *err) {
    struct session_settings settings = console->session->settings;
    char *field = (char *)&settings + setting->offset;
    bool read = false;
    switch (setting->kind) {
    case SETTING_REAL:
        read = parse_real(value, field);
        break;
    case SETTING_WHOLE:
        read = parse_whole(value, field);
        break;
    case SETTING_SEED:
        settings.seed_given = strcmp(value, "random") != 0;
        read = !settings.seed_given || parse_seed(value, field);
        break;
    case SETTING_STRUCTURE:
        return change_structure(&console->session->structure, setting->offset, value, err);
    case SETTING_SHOWN:
        read = parse_switch(value, shown(console, setting));
        break;
    }
    if (!read || sampler_options_check(&settings.sampler, err) != STATUS_OK) return false;
    console->session->settings = settings;
    return true;
}

void command_set(struct console *console, const char *argument) {
    char key[32] = "";
    int used = 0;
    if (sscanf(argument, "%31s %n", key, &used) < 1) {
        for (size_t i = 0; i < SETTING_COUNT; i++)
            show_setting(console, &TABLE[i]);
        terminal_say(STYLE_PLAIN, "\n");
        return;
    }
    const struct setting *setting = setting_find(key);
    struct error err = {0};
    char *value = strdup(argument + used);
    if (value) path_unquote(value);
    if (!setting)
        terminal_tell(STYLE_ERROR, "no setting %s; /set lists them\n", key);
    else if (value && value[0] && !change(console, setting, value, &err))
        terminal_tell(STYLE_ERROR, "%s cannot be %.60s: %s\n", key, value,
                      setting->kind == SETTING_STRUCTURE ? err.text : setting->range);
    else
        show_setting(console, setting);
    free(value);
}

void command_verbose(struct console *console, const char *argument) {
    if (argument[0] && !parse_switch(argument, &console->verbose)) {
        terminal_tell(STYLE_ERROR, "/verbose [on|off]\n");
        return;
    }
    if (!argument[0]) console->verbose = !console->verbose;
    terminal_tell(STYLE_DIM, console->verbose ? "Statistics follow each answer.\n"
                                              : "Statistics are shown by /stats only.\n");
}
