// engine/tokenizer/token.h — which numbers are tokens.
#ifndef ENGINE_TOKEN_H
#define ENGINE_TOKEN_H

enum { TOKEN_NONE = -1, TOKENIZER_MAX_VOCABULARY = 1 << 22 };

#endif
