// app/chat/export.h — a conversation as text for others: Markdown or HTML to read, JSONL to read
// back.
//
// JSONL is one JSON object a line. The first says what it is, the rest are the messages from the
// root on:
//   {"type": "conversation", "version": 1, "id": …, "name": …, "model": …, "messages": 2}
//   {"role": "user", "text": "…", "stop_reason": "none", "created_ms": …}
// import.h reads it back. Texts are whole, whatever is in them.
//
// Memory: all is borrowed, texts are the caller's. No threads.
#ifndef APP_EXPORT_H
#define APP_EXPORT_H

#include <stdbool.h>

#include "kernels/base/text.h"
#include "store/conversation.h"

enum export_format { EXPORT_MARKDOWN, EXPORT_JSONL, EXPORT_HTML }; // HTML is page.h's

enum { EXPORT_VERSION = 1 }; // of the JSONL

struct exported {
    const struct conversation *conversation;
    const char *model; // its name; "": not known
    const struct message *messages;
    size_t count;
};

// ".jsonl" is JSONL, ".html" HTML; ".md", ".markdown", ".txt" and no suffix are Markdown. False:
// quire does not write such files.
bool export_format_of(const char *path, enum export_format *format);

const char *export_role_name(enum message_role role); // "system", "user", "assistant"

// Appends the conversation.
MUST_CHECK enum status export_append(const struct exported *exported, enum export_format format,
                                     struct text *out);

// The messages that a page of its whole tree shows: *messages is the caller's (message_path_free).
MUST_CHECK enum status export_tree(struct db *db, const struct conversation *conversation,
                                   struct message **messages, size_t *count, struct error *err);

// Writes it to a new file that only its owner can read. BAD_INPUT: the file exists, and stays; IO:
// no part of the file is left.
MUST_CHECK enum status export_write(const char *path, const struct text *text, struct error *err);

#endif
