// app/cli/args.h — the options in effect: command line, environment, config file.
//
// One table (options.c) says each option's names, kind, range and help. A value is set by the
// command line, else by its QUIRE_* counterpart in the environment, else by the config file, else
// by default; the order of the calls does not matter, because each value remembers its source.
// Values of lower sources are checked too. Lists are replaced by a higher source, not extended.
//
//   args_init ─► args_read_words, args_read_environment, config_read ─► args_check
//
// Memory: values are borrowed from argv, the environment and `config`, which is owned.
#ifndef APP_ARGS_H
#define APP_ARGS_H

#include "app/cli/args_values.h"

void args_init(struct args *args);
void args_deinit(struct args *args);

// BAD_INPUT, with one line for the person: an unknown option (and the most similar one), a missing
// or invalid value, too many words.
MUST_CHECK enum status args_read_words(struct args *args, int count, char *const *words,
                                       struct error *err);
MUST_CHECK enum status args_read_environment(struct args *args, struct error *err);

// Sets one option by its long name; `where` begins the error: "config:3: top-k".
MUST_CHECK enum status args_set(struct args *args, const char *name, const char *value,
                                enum args_source source, const char *where, struct error *err);

// BAD_INPUT: options that do not go together, or not with this command.
MUST_CHECK enum status args_check(const struct args *args, struct error *err);

// "FILE=0.5" of --lora is the file, appended, with a scale. A path may have an equals sign itself.
MUST_CHECK enum status args_read_lora(const char *given, struct text *path, float *scale,
                                      struct error *err);

// Forgets what the command line said of a model: adapters, vocabulary, and a chat template that is
// not for models of a name. Where its key is stays.
void args_forget_model(struct args *args);
void args_forget_key(struct args *args);

// The source of the option with this long name, which must exist.
enum args_source args_source(const struct args *args, const char *name);

#endif
