// tests/kernels/test_stream_k_shared_memory.cu — each product of some dozens of tokens fits each
// card, and its steps are divided over the blocks without a gap.
//
// It needs no GPU: how a product is cut up depends on the card's figures alone. The file under test
// is included to reach its static functions.
#include <stdio.h>

#include "kernels/cuda/card.cuh"
#include "kernels/cuda/stream_k_kernel.cuh"

struct tally {
    long fitting, failed;
};

// The blocks' ranges of steps follow one another up to the last tile's end, and each split lies in
// the range of its block.
static bool is_divided(const struct stream_k_plan *plan) {
    const int tiles = (plan->tiles + plan->block_tiles - 1) / plan->block_tiles;
    for (int block = 0; block < plan->blocks; block++)
        if (first_step(*plan, block) >= first_step(*plan, block + 1)) return false;
    for (int split = 0; split < plan->splits; split += 1 + plan->splits / 500) {
        const int tile = split / plan->tile_splits, block = block_of(*plan, split);
        const int step =
            tile * plan->steps + split % plan->tile_splits * plan->steps / plan->tile_splits;
        if (step < first_step(*plan, block) || step >= first_step(*plan, block + 1)) return false;
    }
    return first_step(*plan, 0) == 0 && first_step(*plan, plan->blocks) == tiles * plan->steps;
}

template <enum dtype TYPE>
static void count(const struct stream_k_card *card, const struct gemv *args, struct tally *tally) {
    struct stream_k_plan plan = {};
    plan.args = *args;
    const int tokens = tokens_at_once<TYPE>(card, &plan);
    const size_t sums = (size_t)plan.block_tiles * TILE_ROWS * (size_t)tokens;
    const bool fits = tokens >= 8 && plan.stages >= 2 && plan.blocks <= card->blocks &&
                      sums <= STREAM_K_PART_FLOATS &&
                      shared_bytes(&plan, tokens) <= (size_t)card->shared_bytes &&
                      is_divided(&plan);
    fits ? tally->fitting++ : tally->failed++;
    if (!fits && tally->failed < 10)
        printf("failed: type %d, %d columns, %d rows, %d tokens\n", TYPE, args->columns,
               args->parts[0].rows, args->tokens);
}

static void count_types(const struct stream_k_card *card, const struct gemv *args,
                        struct tally *tally) {
    if (args->columns % PANEL_COLUMNS == 0) count<DTYPE_F16>(card, args, tally);
#define COUNT(id, name, gguf, bytes, elements, ...) \
    if (args->columns % elements == 0) count<DTYPE_##id>(card, args, tally);
    PACKED_DTYPE_MAP(COUNT)
#undef COUNT
}

static void count_card(const struct stream_k_card *card, struct tally *tally) {
    static const int32_t ROWS[] = {1, 16, 500, 1024, 4096, 14336, 28672, 53248, 128256, 262144};
    for (int32_t columns = 32; columns <= 32768; columns += columns < 512 ? 96 : 3584)
        for (int32_t rows : ROWS)
            for (int count = 1; count <= LINEAR_PARTS; count++)
                for (int32_t tokens : {1, 8, 9, 16, 31, 32, 40, 64, 65, 300}) {
                    struct gemv args = {};
                    args.columns = columns;
                    args.count = count;
                    args.store = count == 2 ? GEMV_GATED : GEMV_HALVES;
                    args.tokens = tokens;
                    args.parts[0].rows = rows;
                    args.parts[1].rows = args.parts[2].rows = count == 2 ? rows : rows / 4 + 1;
                    count_types(card, &args, tally);
                }
}

int main() {
    struct tally tally = {};
    for (int i = 0; i < NUM_CARDS; i++) {
        struct device device = {};
        device.properties.multiProcessorCount = CARDS[i].multiprocessors;
        device.properties.sharedMemPerBlockOptin = CARDS[i].block_shared;
        const struct stream_k_card card = card_of(&device);
        const struct tally before = tally;
        count_card(&card, &tally);
        printf("%s: %ld fit, %ld failed\n", CARDS[i].title, tally.fitting - before.fitting,
               tally.failed - before.failed);
    }
    return tally.failed > 0 || tally.fitting == 0;
}
