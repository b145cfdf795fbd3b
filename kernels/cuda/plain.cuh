// kernels/cuda/plain.cuh — products with rows of F32 or fp16 as they are in the file.
#pragma once
#include "kernels/cuda/gemv.cuh"

enum { PLAIN_NORMED_COLUMNS = 2048 }; // a warp keeps a row of the stream in registers

// One part, in any store but GEMV_GATED, of any number of tokens. With a norm, of rows that are no
// longer than that, what is normed is written to `normed` [tokens, columns].
void plain_launch(struct device *device, const struct gemv *args, __half *normed);
