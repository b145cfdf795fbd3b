// store/conversation_row.h — reads a table row into a struct conversation. Private to store/.
#ifndef STORE_CONVERSATION_ROW_H
#define STORE_CONVERSATION_ROW_H

#include "store/conversation.h"
#include "store/statement.h"

// The first columns of every SELECT that is read with conversation_read(); the table is aliased as
// c.
#define CONVERSATION_COLUMNS                                                                \
    "c.id, c.name, c.forked_from, c.forked_at, c.tip, c.model, c.created_ms, c.updated_ms," \
    " c.one_shot, c.title, c.source"

enum { CONVERSATION_COLUMN_COUNT = 11 };

// Reads the statement's current row. BAD_FILE if it is damaged.
MUST_CHECK enum status conversation_read(struct statement *statement,
                                         struct conversation *conversation, struct error *err);

#endif
