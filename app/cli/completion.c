#include "app/cli/completion.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/figures.h"
#include "app/screen/terminal.h"
#include "store/conversation.h"

#include "app/chat/presets.h"
#include "app/cli/options.h"

enum { OFFERED_MOST = 200 };

void completion_print(FILE *out, const char *shell) {
    static const struct {
        const char *shell;
        void (*print)(FILE *out);
    } SHELLS[] = {
        {"bash", completion_print_bash},
        {"zsh", completion_print_zsh},
        {"fish", completion_print_fish},
    };
    for (size_t i = 0; i < sizeof SHELLS / sizeof SHELLS[0]; i++)
        if (strcmp(SHELLS[i].shell, shell) == 0) SHELLS[i].print(out);
}

void completion_put_commands(FILE *out, const char *between) {
    for (int i = 0, put = 0; i < COMMAND_COUNT; i++)
        if (i != COMMAND_CHAT)
            fprintf(out, "%s%s", put++ ? between : "", subcommand_at((enum command)i)->name);
}

void completion_put_takers(FILE *out, const char *between) {
    bool any = false;
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (option->kind == OPTION_FLAG || option->kind == OPTION_MAYBE_VALUE) continue;
        if (option->letter) fprintf(out, "%s-%c", any ? between : "", option->letter);
        fprintf(out, "%s--%s", any || option->letter ? between : "", option->name);
        any = true;
    }
}

void completion_put_choice(FILE *out, const char *words) {
    for (; *words; words++)
        fputc(*words == '|' ? ' ' : *words, out);
}

// Names and previews are what a person or a model wrote, and this goes to a terminal.
static void print_harmless(FILE *out, const char *text) {
    struct text harmless = {0};
    if (terminal_neutralise(text, strlen(text), &harmless) == STATUS_OK)
        fputs(text_string(&harmless), out);
    text_deinit(&harmless);
}

static void print_row(FILE *out, const struct conversation_row *row) {
    const struct conversation *conversation = &row->conversation;
    const char *title = conversation->name[0] ? conversation->name : row->preview;
    char age[AGE_TEXT_BYTES];
    age_format(calendar_ms() - conversation->updated_ms, age);
    fprintf(out, "%s\t", conversation->id);
    print_harmless(out, title);
    fprintf(out, ", %s\n", age);
    if (!conversation->name[0]) return;
    print_harmless(out, conversation->name);
    fprintf(out, "\t%s, %s\n", conversation->id, age);
}

void completion_print_conversations(FILE *out, const struct config *config) {
    const char *path = text_string(&config->db_path);
    struct db *db = NULL;
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error ignored;
    if (access(path, R_OK | W_OK) != 0 || db_open(path, &db, &ignored) != STATUS_OK) return;
    if (conversation_list(db, "", OFFERED_MOST, &rows, &count, &ignored) == STATUS_OK)
        for (size_t i = 0; i < count; i++)
            print_row(out, &rows[i]);
    free(rows);
    db_close(db);
}

void completion_print_presets(FILE *out, const struct config *config) {
    struct preset *presets = NULL;
    size_t count = 0;
    if (presets_list(text_string(&config->config_path), &presets, &count) != STATUS_OK) return;
    for (size_t i = 0; i < count; i++) {
        print_harmless(out, presets[i].name);
        fputc('\t', out);
        print_harmless(out, presets[i].about);
        fputc('\n', out);
    }
    free(presets);
}
