// engine/remote/byte_tokenizer.h — a tokenizer for server models whose vocabulary is unknown.
//
// Its tokens are the bytes of the messages and four marks that the chat template "messages"
// (prompts/template.c) writes around them:
//
//   system Be brief. end user Hi end assistant Hello! end
//
// So a conversation with a server that takes messages has a token log like any other, from which
// the messages can be recovered.
#ifndef ENGINE_REMOTE_BYTE_TOKENIZER_H
#define ENGINE_REMOTE_BYTE_TOKENIZER_H

#include "engine/tokenizer/tokenizer.h"

enum byte_token { // lower values are the bytes themselves
    BYTE_TOKEN_SYSTEM = 256,
    BYTE_TOKEN_USER,
    BYTE_TOKEN_ASSISTANT,
    BYTE_TOKEN_END,
    BYTE_TOKEN_COUNT,
};

MUST_CHECK enum status byte_tokenizer_open(struct tokenizer **tokenizer, struct error *err);

#endif
