// app/chat/model_finder.h — what a chat asks of those who know the models, and what it is left for.
//
// The command line knows them (app/cli/known_models.h); the chat's commands ask. Memory: texts are
// owned by the structs.
#ifndef APP_MODEL_FINDER_H
#define APP_MODEL_FINDER_H

#include "kernels/base/text.h"
#include "store/conversation.h"

// What a person goes on in, once the chat is left for it.
struct wanted_model {                         // {0}: nothing
    struct text model;                        // its path, or its name elsewhere
    int64_t source;                           // a known one's number (store/model_source.h), or 0
    bool elsewhere;                           // not on this machine
    char conversation[CONVERSATION_ID_BYTES]; // with its own model, in place of the above; or ""
};

struct model_choice {
    char *line, *name; // what is shown, and what finds it; owned
    int64_t source;    // a known one's number, or 0
};

struct model_choices { // {0} is empty
    struct model_choice *items;
    size_t count;
};

// What knows the models, given by the command line. `find` takes every name that quire prints;
// `open` checks that a known one can be opened. Errors are in one line.
struct model_finder {
    const void *user;
    enum status (*list)(const void *user, struct db *db, struct model_choices *choices,
                        struct error *err);
    enum status (*find)(const void *user, struct db *db, const char *name,
                        struct wanted_model *wanted, struct error *err);
    enum status (*open)(const void *user, struct db *db, int64_t source,
                        struct wanted_model *wanted, struct error *err);
};

#endif
