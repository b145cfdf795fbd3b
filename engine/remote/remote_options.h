// engine/remote/remote_options.h — where a model elsewhere is, and how it is spoken to.
#ifndef ENGINE_REMOTE_OPTIONS_H
#define ENGINE_REMOTE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum remote_wish { REMOTE_AUTO, REMOTE_MESSAGES, REMOTE_TOKENS };

struct remote_options {       // borrowed for the call
    const char *url;          // "http://HOST:PORT/v1"
    const char *model;        // NULL: the server's first
    const char *key;          // NULL: none
    const char *salt;         // of the server's cache, between people who share it; NULL: none
    const char *vocabulary;   // a model file with the server's tokens and template; NULL: none
    const char *certificates; // a file of the trusted ones; NULL: the system's
    enum remote_wish wish;
    bool listed;                       // only a model that the server lists is opened
    int32_t first_byte_ms, silence_ms; // how long to wait for the answer to begin, and to go on
};

#endif
