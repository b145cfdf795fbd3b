// app/chat/chat_kv.h — a chat's part of the cache: its sequence, and what its conversation needs.
//
// A stored conversation retains the KV of its log, by the number of its id, as it was at its last
// answer, fork or move. The preamble of a conversation is pinned, as many begin with it.
//
// Threads and memory: chat.h.
#ifndef APP_CHAT_KV_H
#define APP_CHAT_KV_H

#include "app/chat/chat.h"

// Makes the sequence hold the log of the first `count` messages: what it shares with that stays,
// and a sequence that shares nothing is left. TOO_LONG with the numbers.
MUST_CHECK enum status chat_place(struct chat *chat, size_t count, struct error *err);

// The log of all messages. What does not fit the context now, or is not of this model, is logged:
// it can still be read, rewound and forked.
void chat_place_if_it_fits(struct chat *chat);

// An empty sequence instead of the current one, whose blocks are found again by their content.
void chat_leave_sequence(struct chat *chat);

// A fork of the current one in its place, so that its tail stays as it is.
void chat_split_sequence(struct chat *chat);

// The sequence instead of the current one: moved in. The log is placed in it.
void chat_adopt_sequence(struct chat *chat, struct sequence *sequence);

// Once for each sequence, as soon as the preamble's KV is there.
void chat_pin_preamble(struct chat *chat);

// The conversation needs the KV of its log as it is now; one that is not stored needs nothing.
void chat_retain(struct chat *chat);

// Brings what is cached of the conversation to the device before the next turn needs it: after a
// move, if the caller wants to say what that took. As sequence_restore().
void chat_restore(struct chat *chat, int timeout_ms, struct restore_report *report);

// Deletes the KV that only this conversation needs, of which nothing else is lost. NOT_FOUND.
MUST_CHECK enum status chat_strip(struct chat *chat, const char *name_or_id,
                                  struct conversation *stripped, uint64_t *bytes,
                                  struct error *err);

#endif
