// store/conversation_row.h — how a row of the table becomes a struct conversation; nobody
// outside this room includes it.
#ifndef STORE_CONVERSATION_ROW_H
#define STORE_CONVERSATION_ROW_H

#include "store/conversation.h"
#include "store/statement.h"

// Of the table under the name c; they come first in a SELECT.
#define CONVERSATION_COLUMNS                                                                \
    "c.id, c.name, c.forked_from, c.forked_at, c.tip, c.model, c.created_ms, c.updated_ms," \
    " c.one_shot, c.title, c.source"

enum { CONVERSATION_COLUMN_COUNT = 11 };

// The row that the statement stands on. BAD_FILE for a damaged one.
MUST_CHECK enum status conversation_read(struct statement *statement,
                                         struct conversation *conversation, struct error *err);

#endif
