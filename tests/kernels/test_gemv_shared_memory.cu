// tests/kernels/test_gemv_shared_memory.cu — each product of few tokens fits the shared memory of
// each card.
//
// It needs no GPU: how a product is cut up depends on the card's figures alone. The files under
// test are included to reach their static functions.
#include <stdio.h>

#include "kernels/cuda/card.cuh"
#include "kernels/cuda/few_tokens.cu"
#include "kernels/cuda/gemv_kernel.cuh"

const struct type_kernels *type_kernels(enum dtype) { return nullptr; } // nothing is launched

struct tally {
    long fitting, failed;
};

template <enum dtype TYPE>
static void count(struct device *device, const struct gemv *args, struct tally *tally) {
    struct gemv_plan plan = {};
    plan.args = *args;
    cut_up<TYPE>(device, &plan, compiled_tokens<TYPE>(args->tokens));
    const size_t least = lay_out<TYPE>(device, &plan, compiled_tokens<TYPE>(args->tokens), 2);
    const bool fits = least <= device->properties.sharedMemPerBlockOptin - GEMV_STATIC_BYTES &&
                      plan.wave_tiles * plan.matrices <= WAVE_STRIPS &&
                      (!args->norm || plan.segments == 1);
    fits ? tally->fitting++ : tally->failed++;
    if (!fits && tally->failed < 10)
        printf("failed: type %d, %d columns, %d rows, %d tokens, %d segments: %zu bytes\n", TYPE,
               args->columns, args->parts[0].rows, args->tokens, plan.segments, least);
}

static void count_types(struct device *device, const struct gemv *args, struct tally *tally) {
    if (args->columns % PLAIN_COLUMNS == 0) count<DTYPE_F16>(device, args, tally);
#define COUNT(id, name, gguf, bytes, elements, ...) \
    if (args->columns % elements == 0) count<DTYPE_##id>(device, args, tally);
    PACKED_DTYPE_MAP(COUNT)
#undef COUNT
}

static void count_shape(struct device *device, int32_t columns, int32_t rows, enum gemv_store store,
                        struct tally *tally) {
    static const float norm = 1;
    struct gemv args = {};
    args.columns = columns;
    args.store = store;
    args.count = store == GEMV_GATED ? 2 : store == GEMV_HALVES ? 3 : 1;
    args.parts[0].rows = rows;
    args.parts[1].rows = args.parts[2].rows = store == GEMV_GATED ? rows : rows / 4 + 1;
    for (args.tokens = 1; args.tokens <= budget_of(device).tokens; args.tokens++) {
        const bool norms = !device->deterministic && gemv_norms(device, args.tokens, columns);
        args.norm = norms && store != GEMV_ADD ? &norm : nullptr;
        count_types(device, &args, tally);
    }
}

static void count_card(const struct card *card, bool deterministic, struct tally *tally) {
    static const int32_t ROWS[] = {16, 512, 1024, 4096, 8192, 14336, 28672, 53248, 128256, 262144};
    struct device device = {};
    device.properties.sharedMemPerBlockOptin = card->block_shared;
    device.properties.multiProcessorCount = card->multiprocessors;
    device.deterministic = deterministic;
    device.compiled_for_90 = card->major >= 9;
    for (int32_t columns = 32; columns <= 32768; columns += columns < 1024 ? 32 : 256)
        for (int32_t rows : ROWS) {
            for (enum gemv_store store : {GEMV_HALVES, GEMV_FLOATS, GEMV_ADD, GEMV_GATED})
                count_shape(&device, columns, rows, store, tally);
        }
}

int main() {
    struct tally tally = {};
    for (int i = 0; i < NUM_CARDS; i++) {
        const struct card *card = &CARDS[i];
        const struct tally before = tally;
        count_card(card, false, &tally);
        count_card(card, true, &tally);
        printf("%s: %ld fit, %ld failed\n", card->title, tally.fitting - before.fitting,
               tally.failed - before.failed);
    }
    return tally.failed > 0 || tally.fitting == 0;
}
