// app/chat/import.h — reads a conversation from the JSONL that export.h wrote.
//
// The file may contain anything, so it is checked completely before anything is stored: only the
// first message may be a system message; then user and assistant alternate. Unknown keys are
// ignored, so that a newer quire may add some.
//
// Memory: {0} is empty; the caller owns it: import_deinit(). Threads: no state.
#ifndef APP_IMPORT_H
#define APP_IMPORT_H

#include <stddef.h>

#include "store/conversation.h"
#include "store/model_source.h"

enum { IMPORT_MAX_MESSAGES = 100000 };

struct import {
    char name[CONVERSATION_NAME_BYTES]; // "" if unnamed
    char model[MODEL_NAME_BYTES];       // the name of the model it was held with, or ""
    struct message *messages; // with role, stop, text and created_ms; the store sets the rest
    size_t count, capacity;
};

// Fills an empty struct. BAD_INPUT names the line and the problem: not JSON, not UTF-8, a NUL, a
// newer version, an impossible order of roles, or fewer messages than announced.
MUST_CHECK enum status import_read(const char *bytes, size_t length, struct import *import,
                                   struct error *err);
void import_deinit(struct import *import); // leaves it empty

// Stores it as a new conversation, all or nothing. If the name is taken, appends a number to it. It
// keeps its model if the database knows a single one of that name that is not on a server.
MUST_CHECK enum status import_store(struct db *db, const struct import *import,
                                    struct conversation *made, struct error *err);

#endif
