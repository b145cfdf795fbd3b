// app/cli/tokenize.h — `quire tokenize`: prints the tokens of stdin.
#ifndef APP_TOKENIZE_H
#define APP_TOKENIZE_H

#include "app/cli/args.h"
#include "engine/tokenizer/tokenizer.h"

// One per line on stdout: pieces, or ids with --ids. Returns the exit code.
int tokenize_run(const struct args *args);

// Opens the tokenizer of a GGUF file, which stays open in *gguf and must outlive the tokenizer, or
// of a Hugging Face folder or its tokenizer.json, which leave *gguf unchanged.
MUST_CHECK enum status tokenize_open(const char *path, struct gguf **gguf,
                                     struct tokenizer **tokenizer, struct error *err);

#endif
