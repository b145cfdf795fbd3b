// tests/device/test_cache.cu — reshape_and_cache against plain copies on the processor.
#include <stdio.h>
#include <string.h>

#include "tests/device/tests.cuh"

enum { BLOCKS = 5, LAYERS = 3, POISON = 0xa5 };

static float plain_float(const char *at, enum dtype type) {
    if (type == DTYPE_F32) return *(const float *)at;
    if (type == DTYPE_F16) return __half2float(*(const __half *)at);
    return __bfloat162float(*(const __nv_bfloat16 *)at);
}

static void plain_element(const struct reshape_and_cache *args, const char *from, char *to,
                          float scale) {
    const size_t bytes = args->type == DTYPE_F32 ? 4 : 2;
    if (args->format == CACHE_SAME)
        memcpy(to, from, bytes);
    else
        *to = (char)__nv_cvt_float_to_fp8(plain_float(from, args->type) / scale, __NV_SATFINITE,
                                          __NV_E4M3);
}

// What the caches, laid out in `memory`, should hold afterwards. `args` has host pointers.
static void plain_cache(const struct reshape_and_cache *args) {
    const int in = args->type == DTYPE_F32 ? 4 : 2, out = args->format == CACHE_SAME ? in : 1;
    const int x = 16 / out, heads = args->num_kv_heads, size = args->head_size;
    const int block_size = args->block_size;
    for (int t = 0; t < args->num_tokens; t++) {
        if (args->slot_mapping[t] < 0) continue;
        const size_t block = (size_t)(args->slot_mapping[t] / block_size) * args->block_bytes;
        const int offset = (int)(args->slot_mapping[t] % block_size);
        for (int h = 0; h < heads; h++)
            for (int d = 0; d < size; d++) {
                const size_t from = (((size_t)t * heads + h) * size + d) * in;
                size_t k = ((size_t)h * block_size + offset) * size + d, v = k;
                if (args->layout == KV_LAYOUT_PACKED) { // [heads, size / x, block_size, x]
                    k = (((size_t)h * (size / x) + d / x) * block_size + offset) * x + d % x;
                    v = ((size_t)h * size + d) * block_size + offset;
                }
                plain_element(args, (const char *)args->k + from,
                              (char *)args->k_cache + block + k * out, args->k_scale);
                plain_element(args, (const char *)args->v + from,
                              (char *)args->v_cache + block + v * out, args->v_scale);
            }
    }
}

static void *copy_in(const void *host, size_t bytes) {
    void *memory;
    CUDA(cudaMalloc(&memory, bytes));
    CUDA(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize()); // the device's stream does not wait for the one that copies
    return memory;
}

static std::vector<char> random_rows(const struct reshape_and_cache *args, uint64_t *state) {
    const size_t bytes = args->type == DTYPE_F32 ? 4 : 2;
    const size_t count = (size_t)args->num_tokens * args->num_kv_heads * args->head_size;
    std::vector<char> rows(count * bytes);
    for (size_t i = 0; i < count; i++) {
        const float value = (float)(random_next(state) >> 40) * (8.0f / (1 << 24)) - 4;
        if (args->type == DTYPE_F32)
            memcpy(&rows[i * bytes], &value, bytes);
        else if (args->type == DTYPE_F16)
            *(__half *)&rows[i * bytes] = __float2half_rn(value);
        else
            *(__nv_bfloat16 *)&rows[i * bytes] = __float2bfloat16_rn(value);
    }
    return rows;
}

// Distinct slots in any order; each fourth token has none.
static std::vector<int64_t> random_slots(const struct reshape_and_cache *args, uint64_t *state) {
    std::vector<int64_t> slots((size_t)BLOCKS * args->block_size);
    for (size_t i = 0; i < slots.size(); i++)
        slots[i] = (int64_t)i;
    for (size_t i = slots.size(); i > 1; i--)
        std::swap(slots[i - 1], slots[random_next(state) % i]);
    slots.resize((size_t)args->num_tokens);
    for (size_t i = 3; i < slots.size(); i += 4)
        slots[i] = -1;
    return slots;
}

static void test_shape(struct device *device, struct tally *tally, struct reshape_and_cache args,
                       uint64_t *state) {
    const size_t out = args.format == CACHE_FP8_E4M3 ? 1 : args.type == DTYPE_F32 ? 4 : 2;
    const size_t plane = (size_t)args.num_kv_heads * args.block_size * args.head_size * out;
    const std::vector<char> k = random_rows(&args, state), v = random_rows(&args, state);
    const std::vector<int64_t> slots = random_slots(&args, state);
    args.block_bytes = 2 * LAYERS * plane;
    std::vector<char> expected(BLOCKS * args.block_bytes, (char)POISON), got = expected;

    struct reshape_and_cache on_card = args;
    char *memory = (char *)copy_in(got.data(), got.size());
    on_card.k = copy_in(k.data(), k.size());
    on_card.v = copy_in(v.data(), v.size());
    on_card.slot_mapping = (const int64_t *)copy_in(slots.data(), slots.size() * sizeof slots[0]);
    on_card.k_cache = memory + 2 * plane;
    on_card.v_cache = memory + 3 * plane;
    cuda_reshape_and_cache(device, &on_card);
    CUDA(device->failure);
    CUDA(cudaStreamSynchronize(device->stream));
    CUDA(cudaMemcpy(got.data(), memory, got.size(), cudaMemcpyDeviceToHost));

    args.k = k.data();
    args.v = v.data();
    args.slot_mapping = slots.data();
    args.k_cache = expected.data() + 2 * plane;
    args.v_cache = expected.data() + 3 * plane;
    plain_cache(&args);
    char what[128];
    snprintf(what, sizeof what, "reshape_and_cache, type %d, format %d, layout %d, %d x %d of %d",
             args.type, args.format, args.layout, args.num_kv_heads, args.head_size,
             args.block_size);
    tally_count(tally, got == expected, what, 0);
    const void *inputs[] = {memory, on_card.k, on_card.v, on_card.slot_mapping};
    for (const void *input : inputs)
        CUDA(cudaFree((void *)input));
}

void test_cache(struct device *device, struct tally *tally) {
    static const enum dtype TYPES[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};
    static const int SHAPES[][3] = {
        {1, 64, 8}, {8, 128, 16}, {3, 80, 32}, {5, 256, 16}, {2, 120, 8}};
    uint64_t state = tally->seed;
    for (enum dtype type : TYPES)
        for (int format = 0; format < 2; format++)
            for (int layout = 0; layout < 2; layout++)
                for (const int *shape : SHAPES) {
                    if (format && layout == KV_LAYOUT_PACKED && shape[1] % 16) continue;
                    struct reshape_and_cache args = {};
                    args.type = type;
                    args.format = (enum cache_format)format;
                    args.layout = (enum kv_layout)layout;
                    args.num_kv_heads = shape[0];
                    args.head_size = shape[1];
                    args.block_size = shape[2];
                    args.num_tokens = 1 + (int)(random_next(&state) % (BLOCKS * 8));
                    args.k_scale = format ? 0.013f : 1; // 4 / 0.008 is more than e4m3 holds
                    args.v_scale = format ? 0.008f : 1;
                    test_shape(device, tally, args, &state);
                }
}
