// app/cli/remote_model.h — a model on another machine: -m URL[#MODEL], or -m NAME of a section
// [remote.NAME] in the config file.
//
//   [remote.office]
//   url = https://llm.example.com/v1
//   model = qwen3-235b
//   key-from = env:OFFICE_KEY
//
// What the section says are options (`url` and `model` aside); one on the command line or in the
// environment wins. The key is read from the environment (env:NAME), a file (file:PATH) or a
// command's first line (command:…), else from QUIRE_API_KEY: never from the command line, which
// others can see.
#ifndef APP_REMOTE_MODEL_H
#define APP_REMOTE_MODEL_H

#include "app/cli/args.h"
#include "engine/remote/remote_options.h"

struct remote_model { // {0} is empty; owned
    struct text url, model, key, vocabulary;
    struct remote_options options; // borrows from them, and from args
};

// Is the model so named elsewhere?
bool remote_model_is(const struct args *args, const char *name);

// BAD_INPUT: an option that only a model on this machine has; a section without its URL. NOT_FOUND,
// IO: no key where it should be.
MUST_CHECK enum status remote_model_read(const struct args *args, const char *name,
                                         struct remote_model *model, struct error *err);
// BAD_INPUT: the command line has an option that only a model on this machine has.
MUST_CHECK enum status remote_model_check(const struct args *args, struct error *err);
void remote_model_deinit(struct remote_model *model);

// Are both at the same host, by the same scheme and port? Each is a URL, or URL#MODEL.
bool remote_model_same_host(const char *url, const char *other);

// A URL's scheme, host and port: "https://llm.example.com:8000".
MUST_CHECK enum status remote_model_host(const char *url, struct text *host);

// The file of trusted certificates, as curl and OpenSSL name it in the environment, or NULL.
const char *remote_model_certificates(void);

#endif
