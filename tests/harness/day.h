// tests/harness/day.h — a person's day with the chat, as a script that can be taken up again.
//
// A script is made from a seed: conversations begun under one of a few system prompts, questions,
// forks, other answers, rewinds, and leaving for a while. It is gone through with the chat's own
// calls, a model and temperature 0, so the same script gives the same texts in any cache.
//
// How far a day has come is in its database: conversations are named after the script's, and
// each question begins with the number of its step. A step that was cut off is done again; so is
// a rewind, and what it undid, unless something after it is stored.
//
// What goes wrong is printed, and the process exits with 1: there is nothing to test then.
#ifndef TESTS_DAY_H
#define TESTS_DAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/chat/chat.h"

enum { DAY_TALKS = 128, DAY_PRESETS = 3, DAY_NAME_BYTES = 16 };

enum day_act {
    DAY_NEW,       // begins `talk`
    DAY_FORK,      // moves to `from`, and forks it to `talk`
    DAY_FORK_FROM, // the same without moving there first
    DAY_SEND,      // in `talk`
    DAY_REGENERATE,
    DAY_REWIND,
    DAY_LEAVE, // the caller's: day_close() and day_open()
};

struct day_step {
    enum day_act act;
    int32_t talk, from;
    int32_t turns; // FORK: that the fork keeps, -1: all; REWIND: that are left
    int32_t words; // of the question
};

struct day_plan {
    uint32_t seed;
    int32_t talks, forks, sends, leaves; // sends >= talks + forks
    int32_t most_turns;                  // of one conversation
    int32_t preset_words;                // of a system prompt
    int32_t least_words, most_words;     // of a question
};

struct day_script {
    struct day_plan plan;
    struct day_step *steps; // [count]
    size_t count;
    int32_t talk_count;
};

void day_script_init(struct day_script *script, const struct day_plan *plan);
void day_script_deinit(struct day_script *script);
void day_talk_name(int32_t talk, char name[DAY_NAME_BYTES]);

struct day_place {
    const char *folder; // of quire.db and kv/; made beforehand
    int32_t context;
    uint32_t device_blocks; // 0: plenty
    uint32_t host_blocks;
    bool disk;
    uint64_t disk_limit_bytes;
    int32_t answer_tokens;
    const char *model;   // a file of tests/golden, far beyond its training; NULL: the demo model
    const char *kv_type; // as of engine_options
    int32_t window;      // of every layer of the demo model but each third; 0: of none
    bool drafts;         // in every step, also by a smaller model
};

struct day {
    struct day_place place;
    struct engine *engine;
    struct db *db;
    struct session *session;
    struct chat *chat;
    int64_t fork_us; // that the last fork took, its place in the database included
};

void day_open(struct day *day, const struct day_place *place);
void day_close(struct day *day);
void day_paths(const char *folder, char *db_path, char *kv_path, size_t bytes); // of both

// The first step that is not known to be done.
size_t day_progress(struct db *db, const struct day_script *script);

// True when it was answered: the chat's turn has what.
bool day_do(struct day *day, const struct day_script *script, size_t step);

// Sends and waits for the answer.
void day_ask(struct day *day, const char *question);

void day_remove(const char *folder); // with all that is in it

#endif
