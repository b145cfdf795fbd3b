// app/cli/args.h — which options are in effect, from the command line, the environment and the
// config file?
//
// One table (options.c) has each option's names, kind, range and help. The command line wins over
// the QUIRE_* variable in the environment, that over the config file, that over the default. The
// order of the calls does not matter, because each value remembers its source. Values of losing
// sources are checked too. A list from a higher source replaces one from a lower source.
//
//   args_init ─► args_read_words, args_read_environment, config_read ─► args_settle ─► args_check
//
// Memory: values are borrowed from argv, the environment and `config`, which is owned.
#ifndef APP_ARGS_H
#define APP_ARGS_H

#include "app/cli/args_values.h"
#include "engine/model/placement.h"

void args_init(struct args *args);
void args_deinit(struct args *args);

// BAD_INPUT with a one-line message: an unknown option (names the most similar one), a missing or
// invalid value, too many words.
MUST_CHECK enum status args_read_words(struct args *args, int count, char *const *words,
                                       struct error *err);
MUST_CHECK enum status args_read_environment(struct args *args, struct error *err);

// Warns of each QUIRE_* variable that is neither an option's nor another that quire knows.
void args_warn_of_environment(const struct args *args);

// Sets one option by its long name; `where` begins the error: "config:3: top-k".
MUST_CHECK enum status args_set(struct args *args, const char *name, const char *value,
                                enum args_source source, const char *where, struct error *err);

// Where one option replaces another, drops the one from the lower source.
void args_settle(struct args *args);

// BAD_INPUT: options that exclude each other or do not apply to this command.
MUST_CHECK enum status args_check(const struct args *args, struct error *err);

// Parses the "FILE=0.5" of an adapter: appends the file and sets the scale. The path itself may
// contain an equals sign.
MUST_CHECK enum status args_read_lora(const struct args *args, size_t nth, struct text *path,
                                      float *scale, struct error *err);

// What --ngl and --n-cpu-moe say, if they were given.
struct placement_override args_placement(const struct args *args);

// args_forget_model() drops the options that describe one model: adapters, vocabulary, and chat
// templates that are not for models of a given name. It keeps where the API key is;
// args_forget_key() drops that.
void args_forget_model(struct args *args);
void args_forget_key(struct args *args);

// The source of the option with this long name, which must exist; and its name as a person knows it
// from there: "--draft", "QUIRE_DRAFT" or "draft in the config file".
enum args_source args_source(const struct args *args, const char *name);

enum { ARGS_SHOWN_BYTES = 64 };
const char *args_shown(const struct args *args, const char *name, char shown[ARGS_SHOWN_BYTES]);

#endif
