// tests/engine/test_card.c — what is decided about a card before and after it has the weights.
//
// The card is the processor under another name, with as much free memory as a test wants.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/engine_state.h"
#include "engine/engine.h"
#include "engine/measure.h"
#include "kernels/backend.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"

enum { LINES = 8 };

static const char model[] = TESTS_DIR "/golden/gemma4-moe.gguf";
static struct backend card;
static struct device_info card_info;
static size_t given_bytes;  // to weights()
static size_t pinned_bytes; // of these
static int given, opened, closed;
static int opened_freely;      // of these, not deterministic
static int allocs_left;        // before another program takes memory; -1: none does
static size_t taken_bytes;     // by it
static bool weights_take;      // memory of the card
static char lines[LINES][256]; // that were logged
static int line_count;

const struct backend *__wrap_backend_cuda(void);

const struct backend *__wrap_backend_cuda(void) { return &card; }

static size_t host_bytes; // that are free; 0: as it is

void __real_host_memory(size_t *all, size_t *unused);
void __wrap_host_memory(size_t *all, size_t *unused);

void __wrap_host_memory(size_t *all, size_t *unused) {
    __real_host_memory(all, unused);
    if (host_bytes > 0) *unused = host_bytes;
}

size_t __real_host_spare_memory(void);
size_t __wrap_host_spare_memory(void);

size_t __wrap_host_spare_memory(void) { return host_bytes > 0 ? 0 : __real_host_spare_memory(); }

static void keep_line(enum log_level level, const char *text) {
    if (level == LOG_WARNING && line_count < LINES)
        snprintf(lines[line_count++], sizeof lines[0], "%s", text);
}

static enum status card_open(const struct device_options *options, struct device **device,
                             struct error *err) {
    opened++;
    opened_freely += !options->deterministic;
    return backend_cpu()->open(options, device, err);
}

static void card_close(struct device *device) {
    closed += device != NULL;
    backend_cpu()->close(device);
}

static void card_describe(struct device *device, struct device_info *info) {
    backend_cpu()->info(device, info);
    const size_t total = info->memory_total;
    *info = card_info;
    info->memory_total = total;
}

static enum status card_weights(struct device *device, const struct weight *in_file,
                                const void **data) {
    given++;
    given_bytes += weight_bytes(in_file);
    pinned_bytes += in_file->pinned ? weight_bytes(in_file) : 0;
    if (weights_take && !in_file->pinned) card_info.memory_free -= weight_bytes(in_file);
    return backend_cpu()->weights(device, in_file, data);
}

// Another program comes in between. What it took stays taken, and the allocation fails.
static enum status card_alloc(struct device *device, size_t bytes, void **memory) {
    if (allocs_left == 0) {
        allocs_left = -1;
        card_info.memory_free -= taken_bytes;
        return STATUS_NO_MEMORY;
    }
    allocs_left -= allocs_left > 0;
    return backend_cpu()->alloc(device, bytes, memory);
}

static size_t card_weight_bytes(const struct weight *in_file) { return weight_bytes(in_file); }

static int set_up_card(void **state) {
    (void)state;
    card = *backend_cpu();
    card.name = "cuda";
    card.open = card_open;
    card.close = card_close;
    card.info = card_describe;
    card.alloc = card_alloc;
    card.weights = card_weights;
    card.weight_bytes = card_weight_bytes;
    card_info = (struct device_info){.name = "a card", .memory_free = (size_t)1 << 30};
    given = opened = closed = line_count = 0;
    given_bytes = pinned_bytes = 0;
    allocs_left = -1;
    weights_take = false;
    log_set_sink(keep_line);
    return 0;
}

static int end(void **state) {
    (void)state;
    log_set_sink(NULL);
    host_bytes = 0;
    return 0;
}

static enum status open_with(const char *backend, const char *shape, struct engine **engine,
                             struct error *err) {
    const struct engine_options options = {
        .model_path = shape ? NULL : model,
        .shape = shape,
        .shape_type = "q8_0",
        .backend = backend,
        .context = 64,
        .kv_device_bytes = (size_t)1 << 20,
        .kv_host_bytes = (size_t)1 << 20,
        .threads = 1,
    };
    return engine_open(&options, engine, err);
}

static void expect_backend(struct engine *engine, const char *name) {
    struct engine_info info;
    engine_info(engine, &info);
    assert_string_equal(info.backend, name);
}

static void oversized_weights_are_refused_with_both_sizes_before_copying(void **state) {
    (void)state;
    struct engine *engine = NULL;
    struct error err = {0};
    card_info.memory_free = 5 << 10;
    assert_int_equal(open_with("cuda", NULL, &engine, &err), STATUS_NO_MEMORY);
    assert_non_null(strstr(err.text, "attention, a KV cache of 1.0 MiB and buffers need "));
    assert_non_null(strstr(err.text, " more than is free; "));
    assert_non_null(strstr(err.text, "--backend cpu"));
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(given, 0);
    assert_int_equal(closed, opened);
}

static void an_oversized_shape_is_refused_before_allocation(void **state) {
    (void)state;
    struct engine *engine = NULL;
    struct error err = {0};
    assert_int_equal(open_with("cuda", "qwen3-30b-a3b", &engine, &err), STATUS_NO_MEMORY);
    assert_non_null(strstr(err.text, "qwen3-30b-a3b: attention, "));
    assert_non_null(strstr(err.text, " more than is free; "));
    assert_int_equal(given, 0);
}

static void a_model_too_large_for_the_gpu_runs_on_the_cpu_with_one_line(void **state) {
    (void)state;
    struct engine *engine;
    struct error err = {0};
    card_info.memory_free = 5 << 10;
    if (open_with("auto", NULL, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    expect_backend(engine, "cpu");
    engine_close(engine);
    assert_int_equal(given, 0);
    assert_int_equal(opened, 1);
    assert_int_equal(closed, 1);
    assert_int_equal(line_count, 1);
    assert_non_null(strstr(lines[0], "computing on the CPU: "));
    assert_non_null(strstr(lines[0], " more than is free"));
}

static void a_model_that_fits_runs_on_the_gpu_silently(void **state) {
    (void)state;
    struct engine *engine;
    struct error err = {0};
    if (open_with(NULL, NULL, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    expect_backend(engine, "cuda");
    engine_close(engine);
    assert_int_equal(line_count, 0);
}

// Room for what stays on the card, and for the weights of some layers.
static enum status open_split(size_t device_bytes, struct engine **engine) {
    static const struct placement_rates rates = {1e12, 5e10, 2.5e10, 0, 30, 0, 0, 1, 1, 1, 0.25, 0};
    struct error err = {0};
    const struct engine_options options = {.model_path = model,
                                           .backend = "cuda",
                                           .context = 64,
                                           .kv_device_bytes = (size_t)1 << 20,
                                           .kv_host_bytes = (size_t)1 << 20,
                                           .device_bytes = device_bytes,
                                           .rates = &rates,
                                           .threads = 1};
    return engine_open(&options, engine, &err);
}

static size_t needed_bytes(void) { // by the whole model
    size_t low = 0, high = (size_t)1 << 30;
    struct engine *engine;
    struct engine_info info;
    for (int i = 0; i < 30 && high - low > 64; i++) {
        const size_t middle = low + (high - low) / 2;
        info.placement[0] = '?';
        if (open_split(middle, &engine) == STATUS_OK) {
            engine_info(engine, &info);
            engine_close(engine);
        }
        *(info.placement[0] ? &low : &high) = middle;
    }
    return high;
}

static void a_model_larger_than_the_gpu_keeps_its_feed_forwards_in_memory(void **state) {
    (void)state;
    struct engine *engine;
    struct engine_info info;
    const size_t whole = needed_bytes();
    given_bytes = 0;
    assert_int_equal(open_split(whole, &engine), STATUS_OK);
    engine_info(engine, &info);
    assert_string_equal(info.placement, "");
    engine_close(engine);
    const size_t all = given_bytes;
    given_bytes = 0;
    assert_int_equal(open_split(whole - 128, &engine), STATUS_OK);
    engine_info(engine, &info);
    engine_check(engine);
    taken_bytes = 0;
    allocs_left = 0; // none is left for a trial
    assert_true(engine_measure_read(engine) > 0);
    assert_int_equal(allocs_left, -1);
    engine_close(engine);
    assert_true(given_bytes < all && given_bytes > 0);
    assert_non_null(strstr(info.placement, "1 of "));
    assert_non_null(strstr(info.placement, " layers' experts in memory ("));
    assert_non_null(strstr(info.placement, "; about "));
    assert_int_equal(line_count, 0);
}

struct small {
    enum status status;
    struct engine_info info;
    size_t pinned;
};

static void open_small(const char *path, size_t device_bytes, struct small *small) {
    const struct placement_rates rates = {
        .card = 1e12, .host = 5e10, .link = 2.5e10, .crossing_us = 30, .factor = 1};
    const struct engine_options options = {.model_path = path,
                                           .backend = "cuda",
                                           .context = 64,
                                           .kv_device_bytes = (size_t)1 << 20,
                                           .kv_host_bytes = (size_t)1 << 20,
                                           .device_bytes = device_bytes,
                                           .rates = &rates,
                                           .threads = 1};
    struct engine *engine;
    pinned_bytes = 0;
    *small = (struct small){.status = engine_open(&options, &engine, NULL)};
    if (small->status != STATUS_OK) return;
    engine_info(engine, &small->info);
    engine_check(engine);
    engine_close(engine);
    small->pinned = pinned_bytes;
}

// The embedding of a model whose output is another matrix, before any layer; and the embedding of
// its layers, where the output is the token's.
static void the_embedding_leaves_the_gpu_first(void **state) {
    static const char *const paths[] = {TESTS_DIR "/golden/phimoe.gguf",
                                        TESTS_DIR "/golden/gemma4-e.gguf"};
    (void)state;
    for (size_t m = 0; m < sizeof paths / sizeof paths[0]; m++) {
        struct small small, least;
        size_t low = 0, high = (size_t)1 << 30; // the whole model
        while (high - low > 64) {
            const size_t middle = low + (high - low) / 2;
            open_small(paths[m], middle, &small);
            const bool whole = small.status == STATUS_OK && !small.info.placement[0];
            *(whole ? &high : &low) = middle;
        }
        open_small(paths[m], high, &small);
        assert_int_equal(small.pinned, 0);
        open_small(paths[m], high - 128, &small);
        assert_non_null(strstr(small.info.placement, "the embedding in memory ("));
        assert_true(small.pinned > 0);
        open_small(paths[m], high - small.pinned, &least);
        assert_string_equal(least.info.placement, small.info.placement);
        open_small(paths[m], high - small.pinned - 128, &least);
        assert_non_null(strstr(least.info.placement, "the embedding and 1 of "));
        assert_int_equal(least.pinned, small.pinned);
    }
}

// However much memory there is besides, once there is enough with weights in host memory.
static void a_context_that_was_asked_for_gets_its_cache(void **state) {
    enum { STEPS = 24 };
    const struct engine_options options = {.model_path = TESTS_DIR "/golden/phimoe.gguf",
                                           .backend = "cuda",
                                           .context = 1 << 14,
                                           .beyond_training = true,
                                           .kv_host_bytes = (size_t)1 << 20,
                                           .threads = 1};
    struct engine *engine;
    struct error err = {0};
    size_t least = 0;
    (void)state;
    weights_take = true;
    for (size_t bytes = (size_t)1 << 20; bytes < (size_t)1 << 27; bytes += bytes / STEPS) {
        card_info.memory_free = bytes;
        const enum status status = engine_open(&options, &engine, &err);
        if (status != STATUS_OK && least == 0) continue;
        if (status != STATUS_OK) fail_msg("%zu opens, %zu does not: %s", least, bytes, err.text);
        if (least == 0) least = bytes;
        engine_close(engine);
    }
    assert_true(least > 0);
}

// Rates are kept for every start, and nothing crosses on a deterministic device. What is learnt
// from its answers, and from those of a split that the user made, is kept separately.
static void rates_are_measured_without_deterministic(void **state) {
    char rates[] = "/tmp/quire-card-XXXXXX";
    struct engine *engine;
    struct error err = {0};
    (void)state;
    const int file = mkstemp(rates);
    assert_true(file >= 0);
    struct engine_options options = {.model_path = model,
                                     .backend = "cuda",
                                     .context = 64,
                                     .kv_device_bytes = (size_t)1 << 20,
                                     .kv_host_bytes = (size_t)1 << 20,
                                     .device_bytes = needed_bytes() - 128,
                                     .rates_path = rates,
                                     .deterministic = true,
                                     .threads = 1};
    opened = opened_freely = 0;
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_non_null(strstr(engine->lesson.split, "; 0 GiB; deterministic"));
    engine_close(engine);
    assert_true(opened > 1);
    assert_int_equal(opened_freely, opened - 1); // all but the engine's
    opened = 0;
    options.deterministic = false;
    options.placement = (struct placement_override){.has_n_cpu_moe = true, .n_cpu_moe = 2};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_non_null(strstr(engine->lesson.split, "; 0 GiB; n-cpu-moe 2"));
    assert_null(strstr(engine->lesson.key, "n-cpu-moe"));
    engine_close(engine);
    assert_int_equal(opened, 1); // nothing was measured
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(rates), 0);
}

// Before a model is refused, and before weights can no longer cross.
static void steps_have_fewer_tokens_where_memory_is_short(void **state) {
    static const char path[] = TESTS_DIR "/golden/phimoe.gguf";
    struct small small;
    size_t low = 0, high = (size_t)1 << 30; // the least
    (void)state;
    card.batch_tokens = 2048;
    open_small(path, high, &small);
    assert_int_equal(small.info.step_tokens, 2048);
    while (high - low > 64) {
        const size_t middle = low + (high - low) / 2;
        open_small(path, middle, &small);
        *(small.status == STATUS_OK ? &high : &low) = middle;
    }
    open_small(path, high, &small);
    assert_int_equal(small.info.step_tokens, 512);
    card.batch_tokens = 512;
    open_small(path, high, &small);
    assert_int_equal(small.status, STATUS_OK);
    open_small(path, high - 128, &small);
    assert_int_equal(small.status, STATUS_NO_MEMORY);
}

// For any options that have a part in it.
static void a_forecast_is_what_the_start_says(void **state) {
    static const struct placement_rates rates = {1e12, 1e9, 2.5e10, 0, 30, 1, 0, 1, 1, 1, 0.25, 0};
    enum { WAYS = 9 };
    char lines_of[WAYS][PLACEMENT_TEXT_BYTES];
    int differ = 0;
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        struct engine_options options = {.model_path = TESTS_DIR "/golden/deepseek2.gguf",
                                         .backend = "cuda",
                                         .placement = {.has_ngl = true, .ngl = i == 1},
                                         .context = i == 2 ? 64 : 128,
                                         .block_size = i == 3 ? 32 : 0,
                                         .kv_type = i == 4 ? "f16" : "f32",
                                         .attention = i == 5 ? "auto" : NULL,
                                         .kv_device_bytes = i == 6 ? (size_t)8 << 20 : 0,
                                         .device_bytes = i == 7 ? 0 : (size_t)300 << 20,
                                         .deterministic = i == 8,
                                         .kv_host_bytes = (size_t)1 << 20,
                                         .rates = &rates,
                                         .threads = 1};
        struct engine_forecast forecast;
        struct engine_info info;
        struct engine *engine;
        struct error err = {0};
        if (engine_predict(&options, &forecast, &err) != STATUS_OK) fail_msg("%s", err.text);
        if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
        engine_info(engine, &info);
        engine_close(engine);
        assert_non_null(strstr(forecast.placement, " in memory ("));
        assert_string_equal(forecast.placement, info.placement);
        assert_int_equal(forecast.context, info.context);
        memcpy(lines_of[i], info.placement, sizeof lines_of[i]);
        differ += i > 0 && strcmp(lines_of[i], lines_of[0]) != 0;
    }
    assert_true(differ >= 2); // at least another split, and no copies
    assert_non_null(strstr(lines_of[0], " % copied"));
    assert_null(strstr(lines_of[WAYS - 1], " % copied"));
}

// Of memory on the host that is short one line says so, and of what is not pinned then none more.
static void weights_that_exceed_host_memory_are_reported_once(void **state) {
    (void)state;
    struct engine *engine;
    const size_t less = needed_bytes() - 128;
    host_bytes = 1000;
    assert_int_equal(open_split(less, &engine), STATUS_OK);
    engine_close(engine);
    assert_int_equal(line_count, 1);
    assert_non_null(strstr(lines[0], " of weights stay in memory, but only 1000 B is free; "));
    line_count = 0;
    host_bytes = (size_t)1 << 20; // enough, but pinned it would leave nothing
    assert_int_equal(open_split(less, &engine), STATUS_OK);
    engine_close(engine);
    assert_int_equal(line_count, 1);
    assert_non_null(strstr(lines[0], " of the weights in memory could not be pinned; "));
}

// At each allocation once: the model runs with weights in memory, and one line says so.
static void memory_that_another_program_takes_costs_speed_only(void **state) {
    (void)state;
    struct engine *engine;
    struct engine_info info;
    const size_t whole = needed_bytes();
    for (int nth = 0; nth < 100; nth++) {
        card_info.memory_free = whole;
        taken_bytes = whole / 64;
        allocs_left = nth;
        line_count = opened = closed = 0;
        assert_int_equal(open_split(0, &engine), STATUS_OK);
        const bool was_taken = allocs_left < 0;
        engine_info(engine, &info);
        engine_check(engine);
        engine_close(engine);
        assert_int_equal(opened, closed);
        assert_int_equal(line_count, was_taken);
        assert_int_equal(info.placement[0] != '\0', was_taken);
        if (!was_taken) {
            assert_true(nth > 2); // the KV cache and buffers, at least
            return;
        }
        assert_string_equal(lines[0], "GPU memory got short; placing the weights once more");
    }
    fail();
}

// There is no end to what it takes.
static void memory_that_stays_short_is_an_error(void **state) {
    (void)state;
    struct engine *engine;
    card_info.memory_free = needed_bytes();
    taken_bytes = card_info.memory_free;
    allocs_left = 1;
    assert_int_equal(open_split(0, &engine), STATUS_NO_MEMORY);
    assert_int_equal(opened, closed);
}

// Of a layer: gate and up of all experts, and down; q, k, v, o, the router, and the dense part.
static void stacked_experts_are_copied_in_one_call(void **state) {
    (void)state;
    struct engine *engine;
    struct engine_info info;
    struct error err = {0};
    if (open_with("cuda", NULL, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, &info);
    engine_close(engine);
    assert_true(given <= 1 + 10 * info.layers);
    assert_true(given_bytes <= info.weight_bytes);
    assert_true(given_bytes > info.weight_bytes / 10 * 9);
}

static size_t odd_weight_bytes(const struct weight *in_file) {
    return weight_bytes(in_file) + 64; // so that stacked ones do not add up
}

static void unstackable_experts_are_copied_one_by_one(void **state) {
    (void)state;
    struct engine *engine;
    struct engine_info info;
    struct error err = {0};
    card.weight_bytes = odd_weight_bytes;
    if (open_with("cuda", NULL, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, &info);
    engine_close(engine);
    assert_true(given > 1 + 10 * info.layers);
    assert_true(given_bytes <= info.weight_bytes);
}

static int lines_about(size_t plain_bytes, int32_t head_size, bool instructions) {
    struct engine *engine;
    struct error err = {0};
    line_count = 0;
    card_info.plain_bytes = plain_bytes;
    card_info.plain_head_size = head_size;
    card_info.plain_instructions = instructions;
    if (open_with("cuda", NULL, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_close(engine);
    return line_count;
}

// Weights that the system drops are read again and again, silently.
static void a_processor_short_of_memory_says_so_once(void **state) {
    (void)state;
    struct engine *engine;
    struct error err = {0};
    card_info.threads = 1; // it is none
    card_info.memory_free = (size_t)1 << 20;
    if (open_with("cuda", NULL, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_close(engine);
    assert_int_equal(line_count, 1);
    assert_non_null(strstr(lines[0], "weights and KV cache need "));
    assert_non_null(strstr(lines[0], "but only 1.0 MiB is free"));
}

// A cache that nobody asked for does not drive out what it is for, nor a drafter's weights.
static void a_cache_leaves_memory_for_mapped_weights(void **state) {
    (void)state;
    struct stat file;
    assert_int_equal(stat(model, &file), 0);
    card_info.threads = 1; // it is none
    for (int drafted = 0; drafted < 2; drafted++) {
        const size_t weights = (size_t)file.st_size << drafted, tight = weights + weights / 4;
        const size_t frees[] = {tight, weights / 2, 8 * weights};
        const struct engine_options options = {.model_path = model,
                                               .draft_path = drafted ? model : NULL,
                                               .backend = "cuda",
                                               .context = 16,
                                               .threads = 1};
        for (size_t i = 0; i < sizeof frees / sizeof frees[0]; i++) {
            struct engine *engine;
            struct error err = {0};
            struct kv_usage usage;
            line_count = 0;
            card_info.memory_free = frees[i];
            if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
            engine_kv_usage(engine, &usage);
            engine_close(engine);
            const bool hopeless = frees[i] < weights;
            assert_in_range(line_count, hopeless, hopeless ? 1 + drafted : 0);
            assert_true(kv_usage_device_bytes(&usage) <= frees[i] / 4);
            if (!hopeless) assert_true(kv_usage_device_bytes(&usage) + weights <= frees[i]);
        }
    }
}

// As little as the context needs, if that is what makes both fit.
static void a_cache_that_fits_with_the_weights_is_silent(void **state) {
    enum { STEPS = 24, PARTS = 64 };
    (void)state;
    struct stat file;
    assert_int_equal(stat(model, &file), 0);
    const size_t weights = (size_t)file.st_size;
    const struct engine_options options = {
        .model_path = model, .backend = "cuda", .context = 16, .threads = 1};
    size_t bytes[STEPS], least = SIZE_MAX;
    int warned[STEPS];
    card_info.threads = 1; // it is none
    for (int i = 0; i < STEPS; i++) {
        struct engine *engine;
        struct error err = {0};
        struct kv_usage usage;
        line_count = 0;
        card_info.memory_free = weights + weights / PARTS * (size_t)i;
        if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
        engine_kv_usage(engine, &usage);
        engine_close(engine);
        bytes[i] = kv_usage_device_bytes(&usage);
        warned[i] = line_count;
        if (bytes[i] < least) least = bytes[i];
    }
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(warned[i], weights / PARTS * (size_t)i < least);
    assert_int_equal(warned[0], 1);
    assert_int_equal(warned[STEPS - 1], 0);
}

static void missing_fast_kernels_are_reported_in_one_line(void **state) {
    (void)state;
    assert_int_equal(lines_about(0, 0, false), 0);
    assert_int_equal(lines_about(512, 0, false), 0); // of 130 KiB: too little to be noticed
    assert_int_equal(lines_about(64 << 10, 0, false), 1);
    assert_string_equal(
        lines[0], "this will be slow: quire has no fast GPU kernels for 64.0 KiB of the weights");
    assert_int_equal(lines_about(0, 512, false), 1);
    assert_string_equal(
        lines[0],
        "this will be slow: quire has no fast GPU kernels for attention with head size 512 in f16");
    assert_int_equal(lines_about(64 << 10, 80, false), 1);
    assert_non_null(strstr(lines[0], "64.0 KiB of the weights or for attention with head size 80"));
    assert_int_equal(lines_about(0, 0, true), 1);
    assert_non_null(strstr(lines[0], "no SIMD kernels"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            oversized_weights_are_refused_with_both_sizes_before_copying, set_up_card, end),
        cmocka_unit_test_setup_teardown(an_oversized_shape_is_refused_before_allocation,
                                        set_up_card, end),
        cmocka_unit_test_setup_teardown(a_model_too_large_for_the_gpu_runs_on_the_cpu_with_one_line,
                                        set_up_card, end),
        cmocka_unit_test_setup_teardown(a_model_that_fits_runs_on_the_gpu_silently, set_up_card,
                                        end),
        cmocka_unit_test_setup_teardown(
            a_model_larger_than_the_gpu_keeps_its_feed_forwards_in_memory, set_up_card, end),
        cmocka_unit_test_setup_teardown(the_embedding_leaves_the_gpu_first, set_up_card, end),
        cmocka_unit_test_setup_teardown(a_context_that_was_asked_for_gets_its_cache, set_up_card,
                                        end),
        cmocka_unit_test_setup_teardown(steps_have_fewer_tokens_where_memory_is_short, set_up_card,
                                        end),
        cmocka_unit_test_setup_teardown(rates_are_measured_without_deterministic, set_up_card, end),
        cmocka_unit_test_setup_teardown(memory_that_another_program_takes_costs_speed_only,
                                        set_up_card, end),
        cmocka_unit_test_setup_teardown(memory_that_stays_short_is_an_error, set_up_card, end),
        cmocka_unit_test_setup_teardown(a_processor_short_of_memory_says_so_once, set_up_card, end),
        cmocka_unit_test_setup_teardown(a_cache_leaves_memory_for_mapped_weights, set_up_card, end),
        cmocka_unit_test_setup_teardown(a_cache_that_fits_with_the_weights_is_silent, set_up_card,
                                        end),
        cmocka_unit_test_setup_teardown(weights_that_exceed_host_memory_are_reported_once,
                                        set_up_card, end),
        cmocka_unit_test_setup_teardown(a_forecast_is_what_the_start_says, set_up_card, end),
        cmocka_unit_test_setup_teardown(stacked_experts_are_copied_in_one_call, set_up_card, end),
        cmocka_unit_test_setup_teardown(unstackable_experts_are_copied_one_by_one, set_up_card,
                                        end),
        cmocka_unit_test_setup_teardown(missing_fast_kernels_are_reported_in_one_line, set_up_card,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
