// app/chat/chat_kv.h — a chat's part of the KV cache: its sequence, and what its conversation
// retains.
//
// A stored conversation retains, under the number of its id, the KV of its log as of its last
// answer, fork or move. Its preamble is pinned, because many conversations may begin with it.
//
// Threads and memory: chat.h.
#ifndef APP_CHAT_KV_H
#define APP_CHAT_KV_H

#include "app/chat/chat.h"

// Makes the sequence hold the log of the first `count` messages. Keeps the shared part; replaces a
// sequence that shares nothing. TOO_LONG; the error has the numbers.
MUST_CHECK enum status chat_place(struct chat *chat, size_t count, struct error *err);

// The same for all messages. If the log does not fit the context or belongs to another model, only
// logs that: the conversation can still be read, rewound and forked.
void chat_place_if_it_fits(struct chat *chat);

// Replaces the sequence with an empty one. The cache finds the old blocks again by content.
void chat_leave_sequence(struct chat *chat);

// Replaces the sequence with a fork of it, so that the old tail stays unchanged.
void chat_split_sequence(struct chat *chat);

// Replaces the sequence with this one, which it moves in.
void chat_adopt_sequence(struct chat *chat, struct sequence *sequence);

// Pins the preamble once per sequence, as soon as its KV is computed.
void chat_pin_preamble(struct chat *chat);

// Records that the conversation needs the KV of its current log. Does nothing if it is not stored.
void chat_retain(struct chat *chat);

// Copies the conversation's cached KV to the device before the next turn needs it; call it after a
// move to report what that took. As sequence_restore().
void chat_restore(struct chat *chat, int timeout_ms, struct restore_report *report);

// Deletes the KV that only this conversation needs; the conversation itself stays. NOT_FOUND.
MUST_CHECK enum status chat_strip(struct chat *chat, const char *name_or_id,
                                  struct conversation *stripped, uint64_t *bytes,
                                  struct error *err);

#endif
