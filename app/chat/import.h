// app/chat/import.h — a conversation from the lines that export.h wrote.
//
// Such a file may contain anything, so all of it is checked before a byte is stored:
// a system message can only be the first, then user and assistant alternate. Unknown keys
// are ignored, so that a newer quire may add some.
//
// Memory: {0} is empty; owned, import_deinit(). No threads.
#ifndef APP_IMPORT_H
#define APP_IMPORT_H

#include <stddef.h>

#include "store/conversation.h"

enum { IMPORT_MAX_MESSAGES = 100000 };

struct import {
    char name[CONVERSATION_NAME_BYTES]; // "" if it had none
    struct message *messages;           // role, stop, text, created_ms; the rest is the store's
    size_t count, capacity;
};

// Fills an empty one. BAD_INPUT says in which line it is not what export.h writes: not JSON, not
// UTF-8, a NUL, a newer version, an order that no conversation has, fewer messages than announced.
MUST_CHECK enum status import_read(const char *bytes, size_t length, struct import *import,
                                   struct error *err);
void import_deinit(struct import *import); // leaves it empty

// Stores it as a new conversation, whole or not at all. If its name is taken, a number follows it.
MUST_CHECK enum status import_store(struct db *db, const struct import *import,
                                    struct conversation *made, struct error *err);

#endif
