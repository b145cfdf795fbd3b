// app/cli/remote_model.h — a model on a server: -m URL[#MODEL], or -m NAME for a section
// [remote.NAME] of the config file.
//
//   [remote.office]
//   url = https://llm.example.com/v1
//   model = qwen3-235b
//   key-from = env:OFFICE_KEY
//
// All keys of a section but `url` and `model` are options; the command line and the environment
// override them. The API key comes from the environment (env:NAME), a file (file:PATH), the first
// line of a command's output (command:…), or else QUIRE_API_KEY; never from the command line, which
// other users can see.
#ifndef APP_REMOTE_MODEL_H
#define APP_REMOTE_MODEL_H

#include "app/cli/args.h"
#include "engine/remote/remote_options.h"

struct remote_model { // {0} is empty; owns its texts
    struct text url, model, key, vocabulary;
    struct remote_options options; // borrows from the texts and from args
};

// Does `name` mean a model on a server?
bool remote_model_is(const struct args *args, const char *name);

// BAD_INPUT: an option for local models only, or a section without a URL. NOT_FOUND, IO: the key is
// not where it should be.
MUST_CHECK enum status remote_model_read(const struct args *args, const char *name,
                                         struct remote_model *model, struct error *err);
// BAD_INPUT: the command line has an option for local models only.
MUST_CHECK enum status remote_model_check(const struct args *args, struct error *err);
// BAD_INPUT: the command line has an option for models on servers only.
MUST_CHECK enum status remote_model_check_local(const struct args *args, struct error *err);
void remote_model_deinit(struct remote_model *model);

// Do both have the same scheme, host and port? Each is a URL or URL#MODEL.
bool remote_model_same_host(const char *url, const char *other);

// Appends a URL's scheme, host and port: "https://llm.example.com:8000".
MUST_CHECK enum status remote_model_host(const char *url, struct text *host);

// The file of trusted certificates from the environment variables of curl and OpenSSL, or NULL.
const char *remote_model_certificates(void);

#endif
