// kernels/cuda/card.cu — the table of cards, and the limits of one laid over another.
#include "kernels/cuda/card.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const size_t KIB = 1024, GIB = KIB * KIB * KIB;

// CUDA programming guide, technical specifications by compute capability; data sheets. A block can
// have all of a multiprocessor's shared memory but 1 KiB.
const struct card CARDS[] = {
    {"a100", "A100", CARD_LIMITS, 8, 0, 108, 163 * KIB, 164 * KIB, 40 * GIB},
    {"rtx-3060", "RTX 3060", CARD_LIMITS, 8, 6, 28, 99 * KIB, 100 * KIB, 12 * GIB},
    {"rtx-4090", "RTX 4090", CARD_LIMITS, 8, 9, 128, 99 * KIB, 100 * KIB, 24 * GIB},
    {"l4", "L4", CARD_FITS, 8, 9, 58, 99 * KIB, 100 * KIB, 24 * GIB},
    {"h100", "H100", CARD_RAN, 9, 0, 132, 227 * KIB, 228 * KIB, 80 * GIB},
    {"h200", "H200", CARD_RAN, 9, 0, 132, 227 * KIB, 228 * KIB, 141 * GIB},
    {"b200", "B200", CARD_FITS, 10, 0, 148, 227 * KIB, 228 * KIB, 180 * GIB},
    {"rtx-5090", "RTX 5090", CARD_LIMITS, 12, 0, 170, 99 * KIB, 100 * KIB, 32 * GIB},
};
const int NUM_CARDS = sizeof CARDS / sizeof CARDS[0];

static const struct card *find_card(const char *name) {
    for (const struct card &card : CARDS)
        if (!strcmp(card.name, name)) return &card;
    return nullptr;
}

enum status card_overlay(const struct card *card, struct cudaDeviceProp *properties,
                         struct error *err) {
    if (properties->major < 8 || properties->sharedMemPerBlockOptin < card->block_shared ||
        properties->sharedMemPerMultiprocessor < card->multiprocessor_shared ||
        properties->totalGlobalMem < card->memory)
        return error_set(err, STATUS_BAD_INPUT, "QUIRE_CARD=%s: %s is smaller than that GPU",
                         card->name, properties->name);
    char name[sizeof properties->name];
    snprintf(name, sizeof name, "%.200s (limits of %s)", properties->name, card->title);
    memcpy(properties->name, name, sizeof name);
    properties->major = card->major;
    properties->minor = card->minor;
    properties->multiProcessorCount = card->multiprocessors;
    properties->sharedMemPerBlockOptin = card->block_shared;
    properties->sharedMemPerMultiprocessor = card->multiprocessor_shared;
    properties->totalGlobalMem = card->memory;
    return STATUS_OK;
}

void card_describe(const struct cudaDeviceProp *properties, char *text, size_t bytes) {
    enum card_trial trial = CARD_FITS;
    for (const struct card &card : CARDS)
        if (card.major == properties->major && card.minor == properties->minor)
            trial = card.trial < trial ? card.trial : trial;
    const char *what = trial == CARD_RAN ? "tested on this kind of GPU"
                       : trial == CARD_LIMITS
                           ? "tested only on another GPU, within the limits of this one"
                           : "not tested";
    snprintf(text, bytes, "compute capability %d.%d, %s", properties->major, properties->minor,
             what);
}

// Never launched: says for which cards the program was compiled.
static __global__ void compiled_kernel() {}

static enum status overlay_named(struct device *device, const char *name, struct error *err) {
    const struct card *card = find_card(name);
    size_t unused = 0, all = 0;
    if (!card)
        return error_set(err, STATUS_BAD_INPUT,
                         "QUIRE_CARD: unsupported value \"%.60s\" (expected a100, rtx-3060, "
                         "rtx-4090, l4, h100, h200, b200 or rtx-5090)",
                         name);
    TRY(card_overlay(card, &device->properties, err));
    if (cudaMemGetInfo(&unused, &all) != cudaSuccess)
        return error_set(err, STATUS_DEVICE, "QUIRE_CARD: the GPU's free memory cannot be read");
    device->limited = true;
    // What other programs have is not taken from the card: tests of several run at once.
    device->withheld_bytes = unused > card->memory ? unused - card->memory : 0;
    return STATUS_OK;
}

enum status card_open(struct device *device, struct error *err) {
    struct cudaDeviceProp *properties = &device->properties;
    struct cudaFuncAttributes compiled = {};
    const char *name = getenv("QUIRE_CARD");
    cudaError_t failure = cudaGetDeviceProperties(properties, device->index);
    if (failure == cudaSuccess) failure = cudaFuncGetAttributes(&compiled, compiled_kernel);
    if (failure == cudaErrorNoKernelImageForDevice || failure == cudaErrorInvalidDeviceFunction)
        return error_set(err, STATUS_DEVICE,
                         "this program has no kernels for %.60s (compute capability %d.%d)%s; use "
                         "--backend cpu",
                         properties->name, properties->major, properties->minor,
                         properties->major < 8 ? ", which is too old (at least 8.0 is needed)"
                                               : "; build it on this machine");
    if (failure != cudaSuccess)
        return error_set(err, STATUS_DEVICE, "cannot use the GPU (%s); use --backend cpu",
                         cudaGetErrorString(failure));
    if (name && *name) TRY(overlay_named(device, name, err));
    // Kernels that were compiled for less do not wait for the one before them, whatever the card.
    device->compiled_for_90 = properties->major >= 9 && compiled.ptxVersion >= 90;
    return STATUS_OK;
}
