// engine/remote/byte_tokenizer.h — the token log of a model whose tokens nobody knows here.
//
// Its tokens are the bytes of the messages, and four marks that the chat template "messages"
// (prompts/template.c) writes around them:
//
//   system Be brief. end user Hi end assistant Hello! end
//
// So a conversation with a server that takes messages is a log as any other, and the messages can
// be told from it.
#ifndef ENGINE_REMOTE_BYTE_TOKENIZER_H
#define ENGINE_REMOTE_BYTE_TOKENIZER_H

#include "engine/tokenizer/tokenizer.h"

enum byte_token { // below are the bytes themselves
    BYTE_TOKEN_SYSTEM = 256,
    BYTE_TOKEN_USER,
    BYTE_TOKEN_ASSISTANT,
    BYTE_TOKEN_END,
    BYTE_TOKEN_COUNT,
};

MUST_CHECK enum status byte_tokenizer_open(struct tokenizer **tokenizer, struct error *err);

#endif
