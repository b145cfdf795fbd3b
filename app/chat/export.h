// app/chat/export.h — writes a conversation as Markdown or HTML for people, or as JSONL for import.
//
// JSONL has one JSON object per line: first the conversation, then its messages from the root:
//   {"type": "conversation", "version": 1, "id": …, "name": …, "model": …, "messages": 2}
//   {"role": "user", "text": "…", "stop_reason": "none", "created_ms": …}
// import.h reads it back. Every text is complete, whatever characters it has.
//
// Memory: arguments are borrowed; texts are the caller's. Threads: no state.
#ifndef APP_EXPORT_H
#define APP_EXPORT_H

#include <stdbool.h>

#include "kernels/base/text.h"
#include "store/conversation.h"

enum export_format { EXPORT_MARKDOWN, EXPORT_JSONL, EXPORT_HTML }; // HTML: page.h

enum { EXPORT_VERSION = 1 }; // of the JSONL

struct exported {
    const struct conversation *conversation;
    const char *model; // its name; "": unknown
    const struct message *messages;
    size_t count;
};

// ".jsonl" is JSONL, ".html" HTML; ".md", ".markdown", ".txt" and no suffix are Markdown. False:
// quire cannot write that format.
bool export_format_of(const char *path, enum export_format *format);

const char *export_role_name(enum message_role role); // "system", "user", "assistant"

// Appends the conversation.
MUST_CHECK enum status export_append(const struct exported *exported, enum export_format format,
                                     struct text *out);

// The messages for an HTML page of the whole tree. *messages is the caller's (message_path_free).
MUST_CHECK enum status export_tree(struct db *db, const struct conversation *conversation,
                                   struct message **messages, size_t *count, struct error *err);

// Writes the text to a new file with mode 0600. BAD_INPUT: the file exists, and is unchanged. IO:
// the partial file is removed.
MUST_CHECK enum status export_write(const char *path, const struct text *text, struct error *err);

#endif
