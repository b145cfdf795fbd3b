// engine/remote/server_json.h — parses JSON from a server into a tree of bounded size, with the key
// masked.
//
// A server may split a text between the halves of a surrogate pair, or send a NUL; cJSON accepts
// neither. So escapes are rewritten first: a lone half becomes its three bytes in WTF-8
// (generalized UTF-8), which answer_text.h joins; NUL becomes U+FFFD; an escaped ASCII character
// becomes the character. Then the key is masked in each string (secret.h), so that no caller can
// show it, however it was escaped.
#ifndef ENGINE_REMOTE_SERVER_JSON_H
#define ENGINE_REMOTE_SERVER_JSON_H

#include <cjson/cJSON.h>

#include "engine/remote/secret.h"

// A tree takes 80 bytes per value. SGLang may send all ids of an answer in each event.
enum { SERVER_JSON_MAX_VALUES = 1 << 18 };

// `secret` may be NULL. BAD_INPUT: not one JSON value. TOO_LONG: too many values. *json is owned by
// the caller.
MUST_CHECK enum status server_json_read(const char *bytes, size_t length,
                                        const struct secret *secret, cJSON **json);

// Completes a truncated JSON value: a cut string ends there, a cut name or number is removed, and
// open brackets are closed. BAD_INPUT: nested too deep.
MUST_CHECK enum status server_json_close(struct text *json);

#endif
