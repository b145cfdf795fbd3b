#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/path.h"
#include "app/console/command.h"
#include "app/console/pager.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"
#include "engine/draft/draft.h"

enum { SETTING_COLUMNS = 30 }; // its key and its value

enum setting_kind {
    SETTING_REAL,
    SETTING_WHOLE,
    SETTING_SEED,
    SETTING_CHOICE, // an enum, by the number of its word
    SETTING_SWITCH,
    SETTING_STRUCTURE,
    SETTING_STOPS,
    SETTING_SHOWN // the same in struct console
};

struct setting {
    const char *key;
    enum setting_kind kind;
    size_t offset; // in struct session_settings, or for SETTING_SHOWN in struct console;
                   // SETTING_STRUCTURE: its enum structure_kind
    double least, most;
    const char *range;
};

static const char *const THINKS[] = {
    [THINK_AS_IT_DOES] = "auto", [THINK_ON] = "on", [THINK_OFF] = "off", NULL};
static const char *const DRAFTS[] = {[DRAFT_AUTO] = "auto",
                                     [DRAFT_OFF] = "off",
                                     [DRAFT_FROM_HISTORY] = "history",
                                     [DRAFT_BY_HEAD] = "head",
                                     NULL};

#define OF(field)      offsetof(struct session_settings, field)
#define SAMPLER(field) OF(sampler.field)

// The keys and ranges are those of the command line.
static const struct setting TABLE[] = {
    {"temp", SETTING_REAL, SAMPLER(temperature), 0, 100,
     "0 to 100; 0 always takes the likeliest token"},
    {"top-k", SETTING_WHOLE, SAMPLER(top_k), 0, 1 << 24, "0 or more; 0 is off"},
    {"top-p", SETTING_REAL, SAMPLER(top_p), 0, 1, "0 to 1; 1 is off"},
    {"min-p", SETTING_REAL, SAMPLER(min_p), 0, 1, "0 to 1; 0 is off"},
    {"repeat-penalty", SETTING_REAL, SAMPLER(repeat_penalty), 0.1, 10, "0.1 to 10; 1 is off"},
    {"presence-penalty", SETTING_REAL, SAMPLER(presence_penalty), -100, 100,
     "-100 to 100; 0 is off"},
    {"frequency-penalty", SETTING_REAL, SAMPLER(frequency_penalty), -100, 100,
     "-100 to 100; 0 is off"},
    {"seed", SETTING_SEED, SAMPLER(seed), 0, 0, "0 or more; random: a new one each turn"},
    {"tokens", SETTING_WHOLE, OF(max_tokens), 0, 1 << 24,
     "tokens per answer; 0: until the context is full"},
    {"samples", SETTING_WHOLE, OF(answers), 1, ENGINE_MAX_REQUESTS,
     "1 to 64 answers to each message"},
    {"beams", SETTING_WHOLE, OF(beams), 1, BEAMS_MAX_WIDTH,
     "1 to 32; above 1: beam search, no sampling"},
    {"length-penalty", SETTING_REAL, OF(length_penalty), 0, 4,
     "0 to 4, for beams; more favors longer answers"},
    {"early-stopping", SETTING_SWITCH, OF(early_stopping), 0, 0,
     "on, off: beams stop once K answers are done"},
    {"draft", SETTING_CHOICE, OF(draft), 0, 0, "auto, off, history, head: draft and verify tokens"},
    {"speculate", SETTING_WHOLE, OF(speculate), 0, DRAFT_MAX,
     "0 to 8 tokens drafted at once; 0: off"},
    {"think", SETTING_CHOICE, OF(think), 0, 0, "auto, on, off: ask the model to think"},
    {"schema", SETTING_STRUCTURE, STRUCTURE_SCHEMA, 0, 0,
     "answers match this schema, FILE or {…}; off"},
    {"grammar", SETTING_STRUCTURE, STRUCTURE_GRAMMAR, 0, 0,
     "answers match this GBNF grammar, FILE; off"},
    {"stop", SETTING_STOPS, 0, 0, 0, "TEXT, or several, that end an answer; off"},
    {"titles", SETTING_SWITCH, OF(titles), 0, 0, "on, off: the idle model names conversations"},
    {"status", SETTING_SHOWN, offsetof(struct console, status), 0, 0,
     "on, off: show a line above the prompt"},
    {"verbose", SETTING_SHOWN, offsetof(struct console, verbose), 0, 0,
     "on, off: show /stats after each answer"},
};
enum { SETTING_COUNT = sizeof TABLE / sizeof TABLE[0] };

// The words of a SETTING_CHOICE, by the number of its enum.
static const char *const *choices(const struct setting *setting) {
    return setting->offset == OF(draft) ? DRAFTS : THINKS;
}

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

// Also accepts the names of other programs, such as "temperature".
static const struct setting *setting_find(const char *key) {
    static const char *const OTHERS[][2] = {{"temperature", "temp"},
                                            {"max-tokens", "tokens"},
                                            {"num-predict", "tokens"},
                                            {"thinking", "think"},
                                            {"repetition-penalty", "repeat-penalty"}};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
        if (is_key(OTHERS[i][0], key)) key = OTHERS[i][1];
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (is_key(TABLE[i].key, key)) return &TABLE[i];
    return NULL;
}

bool command_sets(const char *key) { return setting_find(key) != NULL; }

const char *command_set_words(const char *key) {
    const struct setting *setting = setting_find(key);
    if (!setting) return "";
    switch (setting->kind) {
    case SETTING_SWITCH:
    case SETTING_SHOWN:
        return "on off";
    case SETTING_CHOICE:
        return setting->offset == OF(draft) ? "auto off history head" : "auto on off";
    case SETTING_SEED:
        return "random";
    case SETTING_STRUCTURE:
    case SETTING_STOPS:
        return "off";
    case SETTING_REAL:
    case SETTING_WHOLE:
        return "";
    }
    return "";
}

static void *place_of(struct console *console, struct session_settings *settings,
                      const struct setting *setting) {
    char *base = setting->kind == SETTING_SHOWN ? (char *)console : (char *)settings;
    return base + setting->offset;
}

// "one" "another"
static const char *show_stops(const struct stops *stops, struct text *shown) {
    for (const char *const *stop = stops->lists[0]; stop && *stop; stop++)
        if (text_format(shown, "%s\"%s\"", shown->length ? " " : "", *stop) != STATUS_OK) break;
    return text_string(shown);
}

static void show_setting(struct console *console, const struct setting *setting) {
    struct text stops = {0};
    struct session_settings *settings = &console->session->settings;
    const void *field = place_of(console, settings, setting);
    const struct structure *structure = &console->session->structure;
    const char *text = setting->range;
    char value[32] = "", label[64];
    switch (setting->kind) {
    case SETTING_REAL:
        snprintf(value, sizeof value, "%g", (double)*(const float *)field);
        break;
    case SETTING_WHOLE: // the command line uses 0 for a number that was not given
        snprintf(value, sizeof value, "%.0f", fmax(*(const int32_t *)field, setting->least));
        break;
    case SETTING_SEED:
        snprintf(value, sizeof value, settings->seed_given ? "%" PRIu64 : "random",
                 *(const uint64_t *)field);
        break;
    case SETTING_CHOICE:
        snprintf(value, sizeof value, "%s", choices(setting)[*(const unsigned *)field]);
        break;
    case SETTING_STRUCTURE:
        snprintf(value, sizeof value, "%s", structure->kind == setting->offset ? "on" : "off");
        if (structure->kind == setting->offset) text = text_string(&structure->source);
        break;
    case SETTING_STOPS:
        if (*show_stops(&console->session->stops, &stops)) text = text_string(&stops);
        snprintf(value, sizeof value, "%s", stops.length ? "on" : "off");
        break;
    case SETTING_SWITCH:
    case SETTING_SHOWN:
        snprintf(value, sizeof value, "%s", *(const bool *)field ? "on" : "off");
        break;
    }
    snprintf(label, sizeof label, "%-18s %s", setting->key, value);
    row_show(
        &(struct row){.label = label, .columns = SETTING_COLUMNS, .text = text, .style = WRAP_DIM});
    text_deinit(&stops);
}

static bool parse_number(const struct setting *setting, const char *text, void *field) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= setting->least && value <= setting->most)) return false;
    if (setting->kind == SETTING_REAL)
        *(float *)field = (float)value;
    else if (value == floor(value))
        *(int32_t *)field = (int32_t)value;
    else
        return false;
    return true;
}

static bool parse_seed(const char *text, uint64_t *seed) {
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end || errno) return false;
    *seed = value;
    return true;
}

static bool parse_switch(const char *text, bool *on) {
    const bool is_on = strcmp(text, "on") == 0;
    if (!is_on && strcmp(text, "off") != 0) return false;
    *on = is_on;
    return true;
}

static bool parse_choice(const struct setting *setting, const char *text, void *field) {
    const char *const *words = choices(setting);
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *(unsigned *)field = i; // as compilers for Linux store an enum
        return true;
    }
    return false;
}

// Takes effect with the next turn.
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

// Changes a copy, which becomes the settings only if the value is valid.
static bool change(struct console *console, const struct setting *setting, const char *value,
                   struct error *err) {
    struct session_settings settings = console->session->settings;
    void *field = place_of(console, &settings, setting);
    bool read = false;
    switch (setting->kind) {
    case SETTING_REAL:
    case SETTING_WHOLE:
        read = parse_number(setting, value, field);
        if (setting->offset < SAMPLER(given)) // the sampler comes first
            settings.sampler.given |= UINT64_C(1)
                                      << (setting->offset - OF(sampler)) / sizeof(float);
        break;
    case SETTING_SEED:
        settings.seed_given = strcmp(value, "random") != 0;
        read = !settings.seed_given || parse_seed(value, field);
        break;
    case SETTING_CHOICE:
        read = parse_choice(setting, value, field);
        break;
    case SETTING_STRUCTURE:
        return change_structure(&console->session->structure, setting->offset, value, err);
    case SETTING_STOPS:
        return session_set_stops(console->session, strcmp(value, "off") == 0 ? "" : value, err) ==
               STATUS_OK;
    case SETTING_SWITCH:
    case SETTING_SHOWN:
        read = parse_switch(value, field);
        break;
    }
    if (read) console->session->settings = settings;
    return read;
}

// "auto, on or off"
static const char *words_of(const struct setting *setting, struct text *list) {
    const char *const *words = choices(setting);
    if (setting->kind != SETTING_CHOICE) return "on or off";
    for (size_t i = 0; words[i]; i++) {
        const char *between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        if (text_format(list, "%s%s", between, words[i]) != STATUS_OK) break;
    }
    return text_string(list);
}

// "temp must be a number from 0 to 100, not "abc"", or the setting's words.
static void say_refused(const struct setting *setting, const char *value, const struct error *err) {
    const bool number = setting->kind == SETTING_REAL || setting->kind == SETTING_WHOLE;
    struct text words = {0};
    if (err->text[0])
        terminal_tell(STYLE_ERROR, "%s: %s\n", setting->key, err->text);
    else if (number)
        terminal_tell(STYLE_ERROR, "%s must be a %snumber from %.15g to %.15g, not \"%.60s\"\n",
                      setting->key, setting->kind == SETTING_WHOLE ? "whole " : "", setting->least,
                      setting->most, value);
    else if (setting->kind == SETTING_SEED)
        terminal_tell(STYLE_ERROR, "%s must be a whole number or random, not \"%.60s\"\n",
                      setting->key, value);
    else
        terminal_tell(STYLE_ERROR, "%s must be %s, not \"%.60s\"%s\n", setting->key,
                      words_of(setting, &words), value,
                      setting->kind == SETTING_CHOICE && setting->offset == OF(draft)
                          ? "; a smaller model is named at the start: quire --draft FILE"
                          : "");
    text_deinit(&words);
}

// The settings draft with a head that is not there.
static void say_without_head(const struct session *session) {
    struct engine_info info;
    engine_info(session->engine, &info);
    if (session->settings.draft == DRAFT_BY_HEAD && !info.has_draft_head)
        terminal_tell(STYLE_DIM, "No draft head is loaded, so nothing is drafted.\n");
}

static void show_settings(struct console *console) {
    struct pager pager;
    pager_begin(&pager, console);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        show_setting(console, &TABLE[i]);
    terminal_say(STYLE_PLAIN, "\n");
    pager_end(&pager);
}

void command_set(struct console *console, const char *argument) {
    char key[32] = "";
    int used = 0;
    if (sscanf(argument, "%31[^ \t\n=]%n", key, &used) < 1) {
        show_settings(console);
        return;
    }
    used += (int)strspn(argument + used, " \t\n=");
    const struct setting *setting = setting_find(key);
    struct error err = {0};
    char *value = strdup(argument + used);
    if (value && setting && setting->kind != SETTING_STOPS) path_unquote(value);
    if (!setting)
        terminal_tell(STYLE_ERROR, "unknown setting %s; /set lists them\n", key);
    else if (value && value[0] && !change(console, setting, value, &err))
        say_refused(setting, value, &err);
    else
        show_setting(console, setting);
    if (setting && console->session->remote[0] &&
        (strcmp(setting->key, "speculate") == 0 || strcmp(setting->key, "draft") == 0))
        terminal_tell(STYLE_DIM, "%s has no effect on a server.\n", setting->key);
    else if (setting && strcmp(setting->key, "draft") == 0)
        say_without_head(console->session);
    free(value);
}

void command_verbose(struct console *console, const char *argument) {
    if (argument[0] && !parse_switch(argument, &console->verbose)) {
        terminal_tell(STYLE_ERROR, "usage: /verbose [on|off]\n");
        return;
    }
    if (!argument[0]) console->verbose = !console->verbose;
    terminal_tell(STYLE_DIM, console->verbose ? "Figures are shown after each answer.\n"
                                              : "Figures are shown only by /stats.\n");
}
