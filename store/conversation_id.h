// store/conversation_id.h — how a conversation's number is written; nobody outside this room
// includes it.
//
// In the database an id is a number from 1 to UINT32_MAX; people see it as 8 hex digits, so a
// prefix of the digits is a range of numbers.
#ifndef STORE_CONVERSATION_ID_H
#define STORE_CONVERSATION_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONVERSATION_ID_BYTES = 9 }; // 8 hex digits and NUL

// The range of ids that begin with these 1 to 8 hex digits (of either case); false if they are
// none.
bool conversation_id_range(const char *digits, int64_t *first, int64_t *last);

// A whole id: 0 if it is none.
int64_t conversation_id_read(const char *id);

// 0 is "".
void conversation_id_write(int64_t number, char id[CONVERSATION_ID_BYTES]);

// A whole id as a number, 1 to UINT32_MAX; 0: it is none.
uint64_t conversation_number(const char *id);

#endif
