// engine/remote/server_json.h — JSON that a server sent, as a tree of bounded size without the key.
//
// A server may cut a text between the halves of a surrogate pair, or write NUL; cJSON takes
// neither. So escapes are rewritten before it reads them: half of a pair that stands alone becomes
// its three bytes (the generalized UTF-8 of WTF-8, which answer_text.h puts together), NUL becomes
// U+FFFD, an escaped ASCII character itself. Then the key is masked in each string (secret.h), so
// that nobody behind this call can show it, however it was escaped.
#ifndef ENGINE_REMOTE_SERVER_JSON_H
#define ENGINE_REMOTE_SERVER_JSON_H

#include <cjson/cJSON.h>

#include "engine/remote/secret.h"

// A tree takes 80 bytes for each value. SGLang may send all ids of an answer in each event.
enum { SERVER_JSON_MAX_VALUES = 1 << 18 };

// `secret` may be NULL. BAD_INPUT: it is not one JSON value. TOO_LONG: it has too many. *json is
// owned by the caller.
MUST_CHECK enum status server_json_read(const char *bytes, size_t length,
                                        const struct secret *secret, cJSON **json);

// Makes one value of the beginning of one: a text that is cut ends there, a name or a number that
// is cut goes, and what is open is closed. BAD_INPUT: it is nested too deep.
MUST_CHECK enum status server_json_close(struct text *json);

#endif
