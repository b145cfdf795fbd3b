// kernels/cuda/card.cuh — what a card allows, and on which cards these kernels have run.
//
// Everything that depends on the card is chosen from device->properties. They are the card's own,
// or, where the environment names another card in QUIRE_CARD, smaller: its compute capability, its
// multiprocessors, its shared memory and its memory. Then a kernel that asks for more shared memory
// than that card has fails as it would there, and so does an allocation. This is for tests: the
// kernels have to be compiled for compute capability 8.0 (kernels/cuda/code_of_80.cmake), and how
// fast it is says nothing.
#pragma once
#include "kernels/cuda/device.cuh"

enum card_trial { // what is known of all cards of one compute capability, the best first
    CARD_RAN,     // the kernels ran on such a card
    CARD_LIMITS,  // they ran within its limits, on another card
    CARD_FITS,    // its limits were only calculated with: tests/kernels/test_card.cu
};

struct card {
    const char *name, *title; // in QUIRE_CARD; in a sentence
    enum card_trial trial;
    int major, minor; // compute capability
    int multiprocessors;
    size_t block_shared, multiprocessor_shared; // bytes
    size_t memory;                              // bytes
};

extern const struct card CARDS[];
extern const int NUM_CARDS;

// Lays a card's limits over those of a larger one. Properties that are smaller already are an
// error.
MUST_CHECK enum status card_overlay(const struct card *card, struct cudaDeviceProp *properties,
                                    struct error *err);

// "compute capability 8.9, tested only on another GPU, within the limits of this one"
void card_describe(const struct cudaDeviceProp *properties, char *text, size_t bytes);

// Reads the properties of device->index, and which of the program's kernels run there. Errors:
// DEVICE, if none do; BAD_INPUT for an unknown QUIRE_CARD, or one larger than the card.
MUST_CHECK enum status card_open(struct device *device, struct error *err);
