// store/conversation_id.h — conversation numbers as hex digits. Private to store/.
//
// In the database an id is a number from 1 to UINT32_MAX; people see it as 8 hex digits, so a
// prefix of the digits is a range of numbers.
#ifndef STORE_CONVERSATION_ID_H
#define STORE_CONVERSATION_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONVERSATION_ID_BYTES = 9 }; // 8 hex digits and NUL

// The range of ids that begin with these 1 to 8 hex digits (either case); false if `digits` is
// anything else.
bool conversation_id_range(const char *digits, int64_t *first, int64_t *last);

// Parses a full id; 0 if it is not one.
int64_t conversation_id_read(const char *id);

// Writes 0 as "".
void conversation_id_write(int64_t number, char id[CONVERSATION_ID_BYTES]);

// A full id as a number from 1 to UINT32_MAX; 0 if it is not one.
uint64_t conversation_number(const char *id);

#endif
