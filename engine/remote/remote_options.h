// engine/remote/remote_options.h — where is a remote model, and how to talk to its server?
#ifndef ENGINE_REMOTE_OPTIONS_H
#define ENGINE_REMOTE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum remote_wish { REMOTE_AUTO, REMOTE_MESSAGES, REMOTE_TOKENS };

struct remote_options {       // borrowed for the call
    const char *url;          // "http://HOST:PORT/v1"
    const char *model;        // NULL: the server's first
    const char *key;          // NULL: none
    const char *salt;         // separates users of the server's shared cache; NULL: none
    const char *vocabulary;   // a model file with the server's vocabulary and template; NULL: none
    const char *certificates; // file of trusted certificates; NULL: the system's
    enum remote_wish wish;
    bool listed;                       // refuse a model that the server does not list
    int32_t first_byte_ms, silence_ms; // how long to wait for the first byte, and for the next
};

#endif
