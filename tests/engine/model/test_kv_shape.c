// tests/engine/model/test_kv_shape.c — planes of two shapes in one block, for many models.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/kv_shape.h"

enum { SEED = 88201, MODELS = 400, MOST_LAYERS = 24, BLOCK = 16 };

static int32_t below(unsigned *state, int32_t count) { return (int32_t)(rand_r(state) % count); }

// Planes of odd sizes, too: three heads of 24 beside five of 10.
static struct model_config random_config(unsigned *state) {
    struct attention_spec kinds[2];
    struct model_config config = {.layers = 1 + below(state, MOST_LAYERS)};
    int32_t last[2] = {-1, -1}; // layers with keys of their own, of each kind
    for (int k = 0; k < 2; k++)
        kinds[k] = (struct attention_spec){.kv_heads = 1 + below(state, 5),
                                           .head_size = 2 * (1 + below(state, 16)),
                                           .window = below(state, 2) * (1 + below(state, 99))};
    const int32_t own = 1 + below(state, config.layers);
    for (int32_t i = 0; i < config.layers; i++) {
        const int kind = below(state, 3) > 0;
        if (i < own || last[kind] < 0) last[kind] = i;
        config.specs[i].attention = kinds[kind];
        config.specs[i].attention.kv_source = last[kind];
    }
    return config;
}

static struct kv_cache view_of(const struct kv_shape *shape, enum dtype type, int group, int view) {
    struct kv_cache cache = {.type = type, .block_size = BLOCK, .num_blocks = 1};
    kv_shape_set(&cache, shape, group, view);
    return cache;
}

static void claim(unsigned char *owner, size_t from, size_t bytes, int before, int after) {
    for (size_t at = from; at < from + bytes; at++) {
        assert_int_equal(owner[at], before);
        owner[at] = (unsigned char)after;
    }
}

// Every layer with keys of its own has a place of its own, within the block, and so have the scales
// of its heads.
static void check_places(const struct model_config *config, const struct kv_shape *shape,
                         enum dtype type, int group) {
    const struct kv_cache first = view_of(shape, type, group, 0);
    const size_t block = kv_block_bytes(&first), row = BLOCK * sizeof(bf16);
    const size_t elements = (size_t)shape->groups[group].elements * BLOCK;
    unsigned char *owner = calloc(block, 1);
    assert_non_null(owner);
    assert_true(kv_is_scaled(type) || block == 2 * elements * dtype_row_bytes(type, 1));
    for (int32_t i = 0; i < config->layers; i++) {
        const struct attention_spec *spec = &config->specs[i].attention;
        const struct kv_place *layer = &shape->layers[i];
        assert_int_equal(shape->groups[layer->group].reach, spec->window);
        if (layer->group != group) continue;
        const struct kv_cache view = view_of(shape, type, group, layer->view);
        const size_t plane = 2 * kv_plane_bytes(&view), place = (size_t)layer->place;
        const size_t heads = 2 * (size_t)view.num_kv_heads;
        assert_int_equal(kv_block_bytes(&view), block);
        assert_int_equal(view.num_kv_heads, config->specs[i].attention.kv_heads);
        assert_int_equal(view.head_size, config->specs[i].attention.head_size);
        const int32_t source = config->specs[i].attention.kv_source;
        const int before = source == i ? 0 : source + 1;
        assert_true((place + 1) * plane <= block);
        claim(owner, place * plane, plane, before, source + 1);
        for (size_t h = place * heads; kv_is_scaled(type) && h < (place + 1) * heads; h++) {
            assert_true(kv_scale_offset(&view, h) + row <= block);
            claim(owner, kv_scale_offset(&view, h), row, before, source + 1);
        }
    }
    free(owner);
}

static void planes_lie_inside_their_block_without_overlap(void **state) {
    (void)state;
    unsigned random = SEED;
    for (int i = 0; i < MODELS; i++) {
        const struct model_config config = random_config(&random);
        const struct kv_shape shape = kv_shape_of(&config);
        for (int group = 0; group < shape.group_count; group++) {
            check_places(&config, &shape, DTYPE_F16, group);
            check_places(&config, &shape, DTYPE_INT8, group);
        }
    }
}

static void a_block_of_published_shape_wastes_no_space(void **state) {
    (void)state;
    struct model_config config = {.layers = 60};
    for (int32_t i = 0; i < config.layers; i++) {
        const bool window = (i + 1) % 6 != 0;
        config.specs[i].attention = (struct attention_spec){
            .kv_heads = window ? 16 : 4, .head_size = window ? 256 : 512, .kv_source = i};
    }
    const struct kv_shape shape = kv_shape_of(&config);
    assert_int_equal(shape.groups[0].elements, 50 * 16 * 256 + 10 * 4 * 512);
    assert_int_equal(shape.layers[0].place, 0);
    assert_int_equal(shape.layers[58].place, 49);
    assert_int_equal(shape.layers[5].place, 100);
    assert_int_equal(shape.layers[59].place, 109);
}

static void window_layers_form_their_own_group(void **state) {
    (void)state;
    struct model_config config = {.layers = 60};
    for (int32_t i = 0; i < config.layers; i++) {
        const bool window = (i + 1) % 6 != 0;
        const struct attention_spec spec = {.kv_heads = window ? 16 : 4,
                                            .head_size = window ? 256 : 512,
                                            .window = window ? 1024 : 0,
                                            .kv_source = i};
        config.specs[i].attention = spec;
    }
    struct kv_shape shape = kv_shape_of(&config);
    assert_int_equal(shape.group_count, 2);
    assert_int_equal(shape.groups[0].elements, 10 * 4 * 512);
    assert_int_equal(shape.groups[1].elements, 50 * 16 * 256);
    assert_int_equal(shape.groups[0].reach, 0);
    assert_int_equal(shape.groups[1].reach, 1024);
    assert_int_equal(shape.layers[59].place, 9);
    assert_int_equal(kv_shape_sequence_bytes(&shape, 5000),
                     4 * (5000 * 10 * 4 * 512 + 1024 * 50 * 16 * 256));
    for (int32_t i = 5; i < config.layers; i += 6) // each length is a group
        config.specs[i].attention.window = 512;
    shape = kv_shape_of(&config);
    assert_int_equal(shape.group_count, 2);
    assert_int_equal(shape.groups[1].kind, CACHE_WINDOW);
    assert_int_equal(shape.groups[0].reach, 1024);
    assert_int_equal(shape.groups[1].reach, 512);
    for (int32_t i = 5; i < config.layers; i += 6) // all are alike: one group again
        config.specs[i].attention.window = 1024;
    shape = kv_shape_of(&config);
    assert_int_equal(shape.group_count, 1);
    assert_int_equal(shape.groups[0].reach, 1024);
}

// DeepSeek-V3's: 70 KiB a token.
static void latent_keys_and_values_are_cached_once(void **state) {
    (void)state;
    struct model_config config = {.layers = 61};
    for (int32_t i = 0; i < config.layers; i++)
        config.specs[i].attention = (struct attention_spec){
            .heads = 128, .kv_heads = 1, .head_size = 576, .latent.kv_rank = 512, .kv_source = i};
    const struct kv_shape shape = kv_shape_of(&config);
    assert_int_equal(kv_shape_token_bytes(&shape, 0, DTYPE_F16), 61 * 576 * 2);
    struct kv_cache cache = {.type = DTYPE_F16, .block_size = 16};
    kv_shape_set(&cache, &shape, 0, 0);
    assert_true(cache.latent);
    assert_int_equal(kv_block_bytes(&cache), 61 * 16 * 576 * 2);
    assert_int_equal(shape.layers[60].place, 60);
}

static void identical_layers_lie_in_order(void **state) {
    (void)state;
    struct model_config config = {.layers = 12};
    for (int32_t i = 0; i < config.layers; i++)
        config.specs[i].attention =
            (struct attention_spec){.kv_heads = 2, .head_size = 64, .kv_source = i};
    const struct kv_shape shape = kv_shape_of(&config);
    for (int32_t i = 0; i < config.layers; i++) {
        assert_int_equal(shape.layers[i].view, 0);
        assert_int_equal(shape.layers[i].place, i);
    }
    const struct kv_cache cache = view_of(&shape, DTYPE_F16, 0, 1);
    assert_int_equal(cache.num_layers, 12);
    assert_int_equal(cache.num_kv_heads, 2);
    assert_int_equal(cache.head_size, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_lie_inside_their_block_without_overlap),
        cmocka_unit_test(a_block_of_published_shape_wastes_no_space),
        cmocka_unit_test(window_layers_form_their_own_group),
        cmocka_unit_test(latent_keys_and_values_are_cached_once),
        cmocka_unit_test(identical_layers_lie_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
