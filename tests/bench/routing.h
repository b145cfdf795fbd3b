// tests/bench/routing.h — which experts does a model choose, token by token, while it answers?
//
// Runs the model on the processor: a text as the prompt, then an answer that is sampled, since the
// likeliest tokens of random weights soon repeat. The choices of the answer's tokens are written
// down.
#ifndef BENCH_ROUTING_H
#define BENCH_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

struct routing {
    int32_t tokens, layers, experts, used;
    int32_t *chosen; // [tokens, layers, used], owned
};

// False, with one line on stderr: the model or the text cannot be read, or it is no mixture.
bool routing_record(const char *model_path, const char *text_path, struct routing *routing);
void routing_deinit(struct routing *routing);

#endif
