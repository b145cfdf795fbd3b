// app/chat/model_finder.h — how a chat's commands find models, and how they say which model comes
// next.
//
// The command line, which knows the models (app/cli/known_models.h), gives the chat these
// functions. Memory: the structs own their texts.
#ifndef APP_MODEL_FINDER_H
#define APP_MODEL_FINDER_H

#include "kernels/base/text.h"
#include "store/conversation.h"

// The model or conversation to open after leaving the chat.
struct wanted_model {  // {0}: nothing
    struct text model; // its path, or its name on a server
    int64_t source;    // number of a known source (store/model_source.h), or 0
    bool elsewhere;    // on a server
    char conversation[CONVERSATION_ID_BYTES]; // open this conversation with its own model, ignoring
                                              // the above; or ""
};

struct model_choice {
    char *line, *name; // the line shown, and the name that find() takes; owned
    int64_t source;    // number of a known source, or 0
};

struct model_choices { // {0} is empty
    struct model_choice *items;
    size_t count;
};

// `find` accepts every model name that quire prints; `open` checks that a known source can be
// opened. Errors are one line.
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
