// app/cli/tokenize.h — `quire tokenize`: the tokens of stdin's text.
#ifndef APP_TOKENIZE_H
#define APP_TOKENIZE_H

#include "app/cli/args.h"
#include "engine/tokenizer/tokenizer.h"

// One a line on stdout: pieces, or ids with --ids. Returns the exit code.
int tokenize_run(const struct args *args);

// Opens a GGUF file, kept open in *gguf, which must outlive the tokenizer, or a Hugging Face folder
// (or the tokenizer.json in it), in which case *gguf is unchanged.
MUST_CHECK enum status tokenize_open(const char *path, struct gguf **gguf,
                                     struct tokenizer **tokenizer, struct error *err);

#endif
