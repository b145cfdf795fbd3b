// tests/kernels/test_card.cu — every kernel has an instance that fits every card.
//
// It needs no GPU: which instance is launched depends on a card's figures alone. For each type of
// the cache, size and group of heads, attention has tiles, or is gathered, which a line at the
// start says. The products of experts are walked for each type of weights; those of matrices have
// tests of their own next to this one.
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/card.cuh"
#include "kernels/cuda/experts_alone.cuh"
#include "kernels/cuda/experts_many.cuh"
#include "kernels/cuda/flash_shapes.cuh"

struct tally {
    long fitting, failed;
};

static void count(struct tally *tally, bool fits, const struct card *card, const char *what) {
    fits ? tally->fitting++ : tally->failed++;
    if (!fits) printf("failed: %s, %s\n", card->title, what);
}

static struct cudaDeviceProp properties_of(const struct card *card) {
    struct cudaDeviceProp properties = {};
    struct error err = {};
    strcpy(properties.name, "a card that has everything");
    properties.major = 100;
    properties.sharedMemPerBlockOptin = properties.sharedMemPerMultiprocessor = SIZE_MAX;
    properties.totalGlobalMem = SIZE_MAX;
    if (card_overlay(card, &properties, &err) != STATUS_OK) printf("failed: %s\n", err.text);
    return properties;
}

// ---- attention

// What one launch of an instance takes, static shared memory too.
struct flash_counts {
    const struct cudaDeviceProp *properties;
    const struct card *card;
    struct tally *tally;
    template <typename cache_t, int SIZE, int HEADS, int QUERIES> void decode() const {
        typedef layout<cache_t, SIZE> shape;
        const decode_shape chosen = decode_shape_on<cache_t, SIZE, HEADS, QUERIES>(properties);
        const size_t fixed = sizeof(new_tokens<cache_t, SIZE, HEADS, QUERIES>) +
                             shape::warps * 8 * HEADS * 2 * sizeof(float);
        char what[96];
        snprintf(what, sizeof what, "%d queries, heads of %d, %d at once, %zu bytes an element",
                 QUERIES, SIZE, 8 * HEADS, sizeof(cache_t));
        count(tally,
              chosen.warps > 0 && chosen.stages >= shape::least_stages && chosen.resident > 0 &&
                  chosen.bytes == chosen.warps * chosen.stages * shape::stage &&
                  chosen.bytes + fixed <= properties->sharedMemPerBlockOptin &&
                  chosen.resident * (chosen.bytes + fixed + 1024) <=
                      properties->sharedMemPerMultiprocessor,
              card, what);
    }
    template <typename cache_t, int SIZE> void run() const {
        char what[96];
        bool prefills = tiles_fit<mma_shape<SIZE, false>, 2>(properties);
        if constexpr (SIZE > 256) prefills |= tiles_fit<mma_shape<SIZE, true>, 2>(properties);
        snprintf(what, sizeof what, "prefill, heads of %d", SIZE);
        count(tally, prefills, card, what);
        decode<cache_t, SIZE, 1, 1>();
        if constexpr (SIZE <= 256) decode<cache_t, SIZE, 2, 1>();
        if constexpr (SIZE <= FLASH_FEW_HEAD_MAX) {
            decode<cache_t, SIZE, 1, FLASH_FEW>();
            decode<cache_t, SIZE, 2, FLASH_FEW>();
        }
    }
};

static void count_attention(const struct cudaDeviceProp *properties, const struct card *card,
                            struct tally *tally) {
    for (enum dtype type : {DTYPE_F16, DTYPE_BF16, DTYPE_FP8, DTYPE_INT8})
        for (int size : {64, 80, 96, 112, 128, 192, 256, 512}) {
            struct kv_cache cache = {};
            cache.type = type;
            cache.head_size = size;
            flash_choose(&cache, flash_counts{properties, card, tally});
            for (int group : {1, 8, 16}) {
                const bool has = flash_has_instance(properties, &cache, group);
                count(tally, has == (size <= 256 || group <= FLASH_WIDE_GROUP_MAX), card,
                      "whether there is an instance");
            }
        }
}

// ---- mixtures

template <enum dtype TYPE>
static void count_experts(struct device *device, const struct card *card, struct tally *tally) {
    const size_t all = device->properties.sharedMemPerBlockOptin;
    for (int columns = 256; columns <= 32768; columns += columns < 4096 ? 256 : 4096)
        for (int experts : {8, 128, 512})
            for (bool gated : {true, false})
                for (int slots : {1, (int)FEW_SLOTS}) {
                    struct expert_product args = {};
                    args.weights[0].rows = 4096;
                    args.weights[0].columns = columns;
                    args.experts = experts;
                    args.gated = gated;
                    struct few_plan plan = {};
                    few_cut<TYPE>(&args, &plan, slots);
                    const size_t shared = few_shared(&plan);
                    count(tally, shared + FEW_STATIC_BYTES <= all, card, "few slots of experts");
                }
    count(tally, alone_most(device) + ALONE_STATIC_BYTES <= all, card, "a lone token's experts");
    if constexpr (TYPE != DTYPE_F32) {
        const int32_t most = many_slots_of<TYPE>(device);
        count(tally, most >= MANY_SLOTS / 2, card, "32 slots of an expert");
        count(tally, all < 200 << 10 || most == MANY_SLOTS, card, "64 slots of an expert");
    }
}

// ---- laying limits over a card's own

static void count_overlays(struct tally *tally) {
    for (int i = 0; i < NUM_CARDS; i++)
        for (int j = 0; j < NUM_CARDS; j++) {
            const struct card *card = &CARDS[i], *other = &CARDS[j];
            struct cudaDeviceProp properties = properties_of(card);
            struct error err = {};
            const bool smaller = other->block_shared <= card->block_shared &&
                                 other->multiprocessor_shared <= card->multiprocessor_shared &&
                                 other->memory <= card->memory;
            const bool is_laid = card_overlay(other, &properties, &err) == STATUS_OK;
            count(tally,
                  is_laid == smaller && (is_laid || strstr(err.text, other->name)) &&
                      properties.sharedMemPerBlockOptin == (is_laid ? other : card)->block_shared &&
                      properties.minor == (is_laid ? other : card)->minor,
                  card, "a card's limits lie over those of a larger one only");
        }
    struct cudaDeviceProp turing = {};
    char trial[96];
    turing.major = 7, turing.minor = 5;
    card_describe(&turing, trial, sizeof trial);
    count(tally, !strcmp(trial, "compute capability 7.5, not tested"), &CARDS[0],
          "what is said of an unknown card");
}

int main() {
    struct tally tally = {};
    count_overlays(&tally);
    for (int i = 0; i < NUM_CARDS; i++) {
        const struct card *card = &CARDS[i];
        const struct tally before = tally;
        struct device device = {};
        device.properties = properties_of(card);
        count_attention(&device.properties, card, &tally);
        count_experts<DTYPE_F32>(&device, card, &tally);
        count_experts<DTYPE_F16>(&device, card, &tally);
#define COUNT(id, ...) count_experts<DTYPE_##id>(&device, card, &tally);
        PACKED_DTYPE_MAP(COUNT)
#undef COUNT
        char trial[96];
        card_describe(&device.properties, trial, sizeof trial);
        printf("%s: %ld fit, %ld failed; %s\n", card->title, tally.fitting - before.fitting,
               tally.failed - before.failed, trial);
    }
    return tally.failed > 0 || tally.fitting == 0;
}
