// tests/device/instances.cuh — the kernels that only tests need, found by shape.
//
// instances.cu is compiled once for each (type, format, block_size, heads_per_block); each object
// adds itself to this list when the program starts.
#pragma once
#include "kernels/cuda/paged_attention.cuh"

struct instances {
    struct packed_shape shape; // head_size is 0: several
    packed_kernel (*of_size)(int head_size);
    struct instances *next;
};

void instances_add(struct instances *instances);
packed_kernel instances_find(const struct packed_shape *shape);
