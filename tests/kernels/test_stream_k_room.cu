// tests/kernels/test_stream_k_room.cu — each product of some dozens of tokens fits each card, and
// its steps are shared out without a gap.
//
// It needs no GPU: how a product is cut up follows from the card's figures, and the file under test
// is included for its inner functions.
#include <stdio.h>

#include "kernels/cuda/stream_k.cu"

struct card {
    const char *name;
    size_t shared_bytes; // a block's
    int multiprocessors;
};

struct tally {
    long fitting, failed;
};

// Blocks have neighbouring runs of steps, the last ends with the last tile, and each step is found
// in its block.
static bool shared_out(const struct stream_k_plan *plan, int blocks) {
    const int tiles = (plan->tiles + plan->a_block - 1) / plan->a_block;
    for (int block = 0; block < blocks; block++) {
        const int first = first_step(*plan, block), end = first_step(*plan, block + 1);
        if (first >= end || block_of(*plan, first) != block || block_of(*plan, end - 1) != block)
            return false;
    }
    return first_step(*plan, 0) == 0 && first_step(*plan, blocks) == tiles * plan->steps;
}

template <enum dtype TYPE>
static void count(const struct device *device, const struct gemv *args, struct tally *tally) {
    struct stream_k_plan plan = {};
    plan.args = *args;
    const int tokens = tokens_at_once<TYPE>(device, &plan);
    const size_t sums = (size_t)plan.a_block * TILE_ROWS * (size_t)tokens;
    const bool fits =
        tokens >= 8 && plan.stages >= 2 && sums <= STREAM_K_PART_FLOATS &&
        shared_bytes(&plan, tokens) <= device->properties.sharedMemPerBlockOptin - STATIC_BYTES &&
        shared_out(&plan, share_out(device, &plan));
    fits ? tally->fitting++ : tally->failed++;
    if (!fits && tally->failed < 10)
        printf("failed: type %d, %d columns, %d rows, %d tokens\n", TYPE, args->columns,
               args->parts[0].rows, args->tokens);
}

static void count_types(const struct device *device, const struct gemv *args, struct tally *tally) {
    if (args->columns % PANEL_COLUMNS == 0) count<DTYPE_F16>(device, args, tally);
    count<DTYPE_Q8_0>(device, args, tally);
    count<DTYPE_Q4_0>(device, args, tally);
    if (args->columns % 256) return;
    count<DTYPE_Q4_K>(device, args, tally);
    count<DTYPE_Q5_K>(device, args, tally);
    count<DTYPE_Q6_K>(device, args, tally);
}

static void count_card(const struct card *card, struct tally *tally) {
    static const int32_t ROWS[] = {1, 16, 500, 1024, 4096, 14336, 28672, 53248, 128256, 262144};
    struct device device = {};
    device.properties.sharedMemPerBlockOptin = card->shared_bytes;
    device.properties.multiProcessorCount = card->multiprocessors;
    for (int32_t columns = 32; columns <= 32768; columns += columns < 1024 ? 32 : 1792)
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
                    count_types(&device, &args, tally);
                }
}

int main() {
    static const struct card CARDS[] = {
        {"A100", 166912, 108}, {"RTX 4090", 101376, 128}, {"L4", 101376, 58},
        {"H200", 232448, 132}, {"RTX 5090", 101376, 170}, {"B200", 232448, 148},
    };
    struct tally tally = {};
    for (const struct card &card : CARDS) {
        const struct tally before = tally;
        count_card(&card, &tally);
        printf("%s: %ld fit, %ld failed\n", card.name, tally.fitting - before.fitting,
               tally.failed - before.failed);
    }
    return tally.failed > 0 || tally.fitting == 0;
}
