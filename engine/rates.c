// engine/rates.c — measures, once, the rates that a placement is planned with.
//
// A trial computes layers that are nothing but feed-forwards (kernels/part_speed.h), with the
// model's own type and shape. It runs like a decode step: recorded, through the card, answered by
// the device's thread, from pinned memory, and with pauses as long as the card computes between two
// parts. Two trials tell the time of the bytes from whatever else a part takes: one with whole
// parts, and one with parts that are an eighth as wide, of a single expert if it is a mixture. The
// small parts read so little that most of their time is the crossing. If they read a quarter, a
// rate that is a tenth off would hide all of it.
//
//   host      difference of bytes / difference of times      the rate with one row
//   crossing  time of the small part - its bytes / host      launches, flags, waking, threads
//   slowed    (time of a whole part while a quarter of it crosses - the processor's time for the
//             other three) / time of crossing; halfway from what is assumed
//   part      time of a whole part on the card - its bytes / card
//   row       more time for a batch on the processor / more tokens
//
// Plain reading speeds would be too fast. A crossing that is measured alone would be too slow,
// because threads are asleep then, and the processor's clock is low.
//
// A result that no machine could have was disturbed, and is measured once more; if that fails, too,
// the values that are assumed for machines without memory for a trial are used.
//
// The file has lines "CARD HOST LINK CROSSING_US PART_US ROW_US FACTOR COPIES_FACTOR RECENCY SLOWED
// CHANGES<tab>KEY", the most recently used ones last.
#include "engine/rates.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/engine_state.h"
#include "engine/engine_options.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "kernels/base/text.h"
#include "kernels/offload.h"
#include "kernels/read_speed.h"

enum {
    FORMAT = 8, // of the file, and of how rates are measured
    LINK_BYTES = 32 << 20,
    LINK_TIMES = 3,
    LINE_BYTES = 512,
    SPLIT_BYTES = 80, // of the part of a key that tells splits apart
    SMALL = 8,        // how much narrower the small feed-forward is
    ROWS = 32,        // of a batch on the processor
    TRIES = 2,
    CHANGES_MOST = 99, // of a plan; each needs a greater gain, so more never happen
};

// Measured on cards that hold the whole model: the share of the reading speed that products with
// one token reach; what a layer takes besides its bytes and its feed-forward, in a mixture and in a
// dense model; and how much more it takes if it has a recurrence rather than attention.
static const double CARD_SHARE = 0.9, MIXTURE_US = 18, DENSE_US = 8, RECURRENCE_US = 22;

// Used if there is no memory for a trial on the card, or if trials contradict each other.
static const double ASSUMED_CROSSING_US = 60, ASSUMED_PART_US = 10, ASSUMED_SLOWED = 0.15;

// No machine goes beyond these; a rate that does was disturbed, or the line is damaged. A flag that
// crosses the link and comes back takes longer than SHORTEST_US, and so does launching one kernel.
static const double SLOWEST = 1e7, FASTEST = 1e14, SHORTEST_US = 1, LONGEST_US = 20000;

// ---- kept

static bool is_rate(double rate) { return rate >= SLOWEST && rate <= FASTEST; } // NaN is none

static bool is_time(double us) { return us >= SHORTEST_US && us <= LONGEST_US; }

static bool is_factor(double factor) {
    return factor >= 1 / PLACEMENT_FACTOR_MAX && factor <= PLACEMENT_FACTOR_MAX;
}

static bool is_plausible(const struct placement_rates *rates) {
    return is_rate(rates->card) && is_rate(rates->host) && is_rate(rates->link) &&
           is_time(rates->crossing_us) && is_time(rates->part_us) && rates->row_us >= 0 &&
           rates->row_us <= LONGEST_US && is_factor(rates->factor) &&
           is_factor(rates->copies_factor) && rates->recency >= 0 &&
           rates->recency <= PLACEMENT_RECENCY_MAX && rates->slowed >= 0 && rates->slowed <= 1 &&
           rates->changes >= 0 && rates->changes <= CHANGES_MOST;
}

static bool parse(char *line, struct placement_rates *rates, const char **key) {
    int length = 0;
    line[strcspn(line, "\n")] = '\0';
    *rates = (struct placement_rates){0};
    if (sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %" SCNd64 "%n", &rates->card,
               &rates->host, &rates->link, &rates->crossing_us, &rates->part_us, &rates->row_us,
               &rates->factor, &rates->copies_factor, &rates->recency, &rates->slowed,
               &rates->changes, &length) != 11 ||
        line[length] != '\t')
        return false;
    *key = line + length + 1;
    return is_plausible(rates);
}

// NULL also for what is not a regular file, such as a pipe, which may never end.
static FILE *open_kept(const char *path) {
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "re") : NULL;
}

bool rates_find(const char *path, const char *key, struct placement_rates *rates) {
    FILE *file = open_kept(path);
    char line[LINE_BYTES];
    bool found = false;
    while (file && fgets(line, sizeof line, file)) {
        struct placement_rates read;
        const char *of;
        if (!parse(line, &read, &of) || strcmp(of, key) != 0) continue;
        *rates = read;
        found = true;
    }
    if (file) (void)fclose(file);
    return found;
}

// Writes the lines that stay, without the oldest ones, and then the new line.
static bool rewrite(FILE *old, FILE *file, const char *key, const struct placement_rates *rates) {
    char lines[RATES_MAX][LINE_BYTES], line[LINE_BYTES];
    size_t count = 0;
    while (old && fgets(line, sizeof line, old)) {
        struct placement_rates read;
        const char *of;
        if (!parse(line, &read, &of) || strcmp(of, key) == 0) continue;
        memcpy(lines[count++ % RATES_MAX], line, sizeof line); // without its newline
    }
    for (size_t i = count < RATES_MAX ? 0 : count - (RATES_MAX - 1); i < count; i++)
        if (fprintf(file, "%s\n", lines[i % RATES_MAX]) < 0) return false;
    return fprintf(file, "%.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g %" PRId64 "\t%s\n",
                   rates->card, rates->host, rates->link, rates->crossing_us, rates->part_us,
                   rates->row_us, rates->factor, rates->copies_factor, rates->recency,
                   rates->slowed, rates->changes, key) > 0;
}

// Makes missing folders; if that fails, so will opening the file.
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
}

// Several quires may keep rates at once, so they write the new file one after another: it belongs
// to the one that has locked it and still finds it in its place. A crash leaves an incomplete file
// there, which the next quire overwrites. NULL: it cannot be written, or the quire that owns it
// does not finish.
static FILE *open_next(const char *path) {
    enum { LOOKS = 1000, PAUSE_US = 1000 };
    for (int i = 0; i < LOOKS; i++) {
        const int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        struct stat ours, there;
        if (file < 0) return NULL;
        const bool locked = flock(file, LOCK_EX | LOCK_NB) == 0 ||
                            errno != EWOULDBLOCK; // a file system without such locks
        if (locked && fstat(file, &ours) == 0 && stat(path, &there) == 0 &&
            ours.st_ino == there.st_ino && ftruncate(file, 0) == 0) {
            FILE *next = fdopen(file, "w");
            if (!next) (void)close(file);
            return next;
        }
        (void)close(file);
        (void)usleep(PAUSE_US);
    }
    return NULL;
}

bool rates_keep(const char *path, const char *key, const struct placement_rates *rates) {
    struct text next = {0};
    bool kept = false;
    if (text_format(&next, "%s.new", path) == STATUS_OK) {
        make_folders(next.bytes);
        FILE *file = open_next(text_string(&next)), *old = file ? open_kept(path) : NULL;
        kept = file && rewrite(old, file, key, rates) && fflush(file) == 0 &&
               rename(text_string(&next), path) == 0;
        if (file && !kept) (void)unlink(text_string(&next));
        if (old) (void)fclose(old);
        if (file) (void)fclose(file); // and unlocks it
    }
    text_deinit(&next);
    return kept;
}

// ---- measured

// Bytes per second from pinned memory to the device; 0: there is no memory, or the device failed.
static double measure_link(const struct backend *backend, struct device *device) {
    void *host = NULL, *memory = NULL;
    int64_t best_us = 0;
    if (backend->alloc_host(device, LINK_BYTES, &host) == STATUS_OK &&
        backend->alloc(device, LINK_BYTES, &memory) == STATUS_OK)
        for (int i = 0; i <= LINK_TIMES; i++) { // the first one only touches the pages
            const int64_t before_us = clock_now_us();
            backend->to_device(device, memory, host, LINK_BYTES);
            if (backend->sync(device) != STATUS_OK) break;
            const int64_t us = clock_now_us() - before_us;
            if (i > 0 && (best_us == 0 || us < best_us)) best_us = us > 0 ? us : 1;
        }
    backend->release(device, memory, LINK_BYTES);
    backend->release_host(device, host, LINK_BYTES);
    return best_us > 0 ? LINK_BYTES * 1e6 / (double)best_us : 0;
}

// The wanted type, or another one whose blocks divide the rows and columns that the trial makes.
static enum dtype type_for(const struct part_shape *shape, enum dtype wanted) {
    const enum dtype types[] = {wanted, DTYPE_Q4_K, DTYPE_Q8_0};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (shape->dim % dtype_block_elements(types[i]) == 0 &&
            shape->width % dtype_block_elements(types[i]) == 0)
            return types[i];
    return DTYPE_F32;
}

// The shape of the first mixture, or else of the widest dense feed-forward.
static struct part_shape shape_of(const struct model_config *config,
                                  const struct placement_need *need) {
    struct part_shape shape = {0};
    for (int32_t i = 0; i < config->layers; i++) {
        const struct ffn_spec *ffn = &config->specs[i].ffn;
        if (ffn->experts > 0) {
            shape = (struct part_shape){config->dim, ffn->expert_width, ffn->experts_used,
                                        need->types[PLACEMENT_EXPERTS]};
            break;
        }
        if (ffn->kind == FFN_DENSE && ffn->width > shape.width)
            shape = (struct part_shape){config->dim, ffn->width, 0, need->types[PLACEMENT_DENSE]};
    }
    if (shape.width > 0) shape.type = type_for(&shape, shape.type);
    return shape;
}

// Never deterministic: the rates are kept for every start, and on a deterministic device nothing
// would cross.
static struct device_options device_options_of(const struct engine_options *options) {
    return (struct device_options){.threads = options->threads};
}

static struct part_speed through_processor(const struct part_shape *shape, int32_t tokens,
                                           const struct engine_options *options) {
    const struct device_options how = device_options_of(options);
    const struct part_trial trial = {.shape = *shape, .tokens = tokens};
    struct part_speed speed = {0};
    struct device *device;
    if (backend_cpu()->open(&how, &device, NULL) != STATUS_OK) return speed;
    speed = part_speed_measure(backend_cpu(), device, &trial);
    backend_cpu()->close(device);
    return speed;
}

static double rest_us(const struct part_shape *shape) {
    return shape->used > 0 ? MIXTURE_US : DENSE_US;
}

// In host memory, where some of it may cross, or on the card: NULL.
static struct part_speed through_card(const struct backend *card, const struct part_shape *shape,
                                      const struct engine_options *options,
                                      const struct offload_memory *memory) {
    const struct device_options how = device_options_of(options);
    const struct part_trial trial = {
        .shape = *shape, .tokens = 1, .in_host = memory != NULL, .pause_s = rest_us(shape) * 1e-6};
    const struct backend *backend = card;
    struct part_speed speed = {0};
    struct device *device;
    if (backend->open(&how, &device, NULL) != STATUS_OK) return speed;
    if (!memory || offload_open(&backend, &device, &how, memory, NULL) == STATUS_OK)
        speed = part_speed_measure(backend, device, &trial);
    backend->close(device);
    return speed;
}

static struct part_shape small_of(const struct part_shape *shape) {
    const int32_t unit = dtype_block_elements(shape->type);
    struct part_shape small = *shape;
    if (shape->used > 1) small.used = 1;
    small.width = shape->width / SMALL / unit * unit;
    if (small.width == 0) small.width = unit < shape->width ? unit : shape->width;
    return small;
}

static double layers_us(const struct model_config *config) {
    double us = 0;
    for (int32_t i = 0; i < config->layers; i++)
        us += (config->specs[i].ffn.experts > 0 ? MIXTURE_US : DENSE_US) +
              (config->specs[i].mixer == MIXER_RECURRENCE ? RECURRENCE_US : 0);
    return us;
}

bool rates_of_trials(const struct part_speed *whole, const struct part_speed *small,
                     struct placement_rates *rates) {
    if (small->seconds <= 0 || whole->seconds <= small->seconds || whole->bytes <= small->bytes)
        return false;
    const double host = (double)(whole->bytes - small->bytes) / (whole->seconds - small->seconds);
    const double crossing_us = 1e6 * (small->seconds - (double)small->bytes / host);
    if (!is_rate(host) || !is_time(crossing_us)) return false;
    rates->host = host;
    rates->crossing_us = crossing_us;
    return true;
}

// The processor's rate and the crossing, as a step sees them.
static void measure_crossing(const struct backend *card, const struct engine_options *options,
                             const struct part_shape *shape, struct placement_rates *rates) {
    const struct offload_memory none = {0};
    const struct part_shape small_shape = small_of(shape);
    struct part_speed whole = {0};
    for (int i = 0; i < TRIES; i++) {
        whole = through_card(card, shape, options, &none);
        const struct part_speed small = through_card(card, &small_shape, options, &none);
        if (rates_of_trials(&whole, &small, rates)) return;
    }
    const double rest = whole.seconds - 1e-6 * ASSUMED_CROSSING_US;
    rates->crossing_us = ASSUMED_CROSSING_US;
    if (rest > 0) rates->host = (double)whole.bytes / rest;
    log_write(LOG_DEBUG, "the crossing to the processor could not be measured");
}

bool rates_of_crossing(const struct part_speed *part, double share, enum placement_kind kind,
                       struct placement_rates *rates) {
    const double bytes = (double)part->bytes;
    const double crosses = placement_crossing_seconds(rates, kind, share * bytes);
    const double alone = rates->crossing_us * 1e-6 + (1 - share) * bytes / rates->host;
    if (part->seconds <= 0 || share <= 0) return false;
    const double slowed = (part->seconds - alone) / crosses;
    rates->slowed = (rates->slowed + (slowed < 0 ? 0 : slowed > 1 ? 1 : slowed)) / 2;
    return true;
}

// A slot that holds this share as it is in the file and as it is on the card, with alignment.
static size_t slot_bytes_of(const struct part_shape *shape, double share) {
    enum { FORMS = 3, MORE = 2 << 20 };
    const size_t elements = (size_t)3 * (size_t)shape->dim * (size_t)shape->width;
    const size_t bytes = elements / (size_t)dtype_block_elements(shape->type) *
                         (size_t)dtype_block_bytes(shape->type);
    const int32_t used = shape->used > 0 ? shape->used : 1;
    return (size_t)(share * FORMS * (double)bytes * used) + MORE;
}

// Measures what the processor loses while weights cross. Must be called while crossing_us still
// includes the bytes of a row.
static void measure_slowed(const struct backend *card, const struct engine_options *options,
                           const struct part_shape *shape, struct placement_rates *rates) {
    enum { PARTS = 4 }; // one of them crosses
    const int32_t gathered = shape->used / PARTS > 0 ? shape->used / PARTS : 1;
    const double share = shape->used > 1 ? (double)gathered / shape->used : 1.0 / PARTS;
    const enum placement_kind kind = shape->used > 0 ? PLACEMENT_EXPERTS : PLACEMENT_DENSE;
    const struct offload_memory memory = {.slot_bytes = slot_bytes_of(shape, share),
                                          .gathered_experts = gathered,
                                          .crossing_share = share};
    if (rates->link <= 0 || rates->host <= 0 || shape->used == 1 || !card->gather_experts) return;
    const struct part_speed part = through_card(card, shape, options, &memory);
    if (!rates_of_crossing(&part, share, kind, rates))
        log_write(LOG_DEBUG, "what the processor loses while weights cross could not be measured");
}

static void measure_part(const struct backend *card, const struct engine_options *options,
                         const struct part_shape *shape, struct placement_rates *rates) {
    rates->part_us = ASSUMED_PART_US;
    for (int i = 0; i < TRIES && rates->card > 0; i++) {
        const struct part_speed speed = through_card(card, shape, options, NULL);
        const double us = 1e6 * (speed.seconds - (double)speed.bytes / rates->card);
        if (!is_time(us)) continue;
        rates->part_us = us;
        return;
    }
}

// Measures how long a token of a batch takes the processor, and how fast it reads if no trial
// through the card has said so. False: there is no memory.
static bool measure_processor(const struct engine_options *options, const struct part_shape *shape,
                              struct placement_rates *rates) {
    const struct part_speed one = through_processor(shape, 1, options),
                            many = through_processor(shape, ROWS, options);
    if (one.seconds <= 0) return false;
    if (rates->host <= 0) rates->host = (double)one.bytes / one.seconds;
    if (many.seconds > one.seconds) rates->row_us = 1e6 * (many.seconds - one.seconds) / (ROWS - 1);
    return true;
}

static struct placement_rates measure(struct engine *engine, const struct engine_options *options,
                                      const struct part_shape *shape,
                                      const struct placement_need *need) {
    struct device_info info;
    engine->backend->info(engine->device, &info);
    const bool is_card = info.threads == 0; // or a processor that stands in for one
    struct placement_rates rates = {
        .crossing_us = SHORTEST_US, .part_us = SHORTEST_US, .factor = 1, .copies_factor = 1};
    rates.link = measure_link(engine->backend, engine->device);
    rates.slowed = ASSUMED_SLOWED;
    if (is_card) measure_crossing(engine->backend, options, shape, &rates);
    if (is_card) measure_slowed(engine->backend, options, shape, &rates);
    if (!measure_processor(options, shape, &rates)) return (struct placement_rates){0};
    rates.card = rates.host;
    if (!is_card) return rates;
    rates.card = CARD_SHARE * read_speed_measure(engine->backend, engine->device);
    if (rates.link > 0) { // bytes on the link are counted separately
        const double left = rates.crossing_us - 1e6 * (double)need->row_bytes / rates.link;
        rates.crossing_us = left > SHORTEST_US ? left : SHORTEST_US;
    }
    measure_part(engine->backend, options, shape, &rates);
    return rates;
}

// ---- learnt

static void forget(struct placement_lesson *lesson) {
    free(lesson->path);
    free(lesson->key);
    free(lesson->split);
    *lesson = (struct placement_lesson){0};
}

void rates_learn(struct placement_lesson *lesson, const struct placement *placement) {
    struct placement_rates learnt;
    if (lesson->path && lesson->key && lesson->split &&
        placement_lesson_find(lesson, placement, &learnt)) {
        (void)rates_keep(lesson->path, lesson->split, &learnt);
        learnt.factor = learnt.copies_factor = 1;
        learnt.changes = 0;
        (void)rates_keep(lesson->path, lesson->key, &learnt);
    }
    forget(lesson);
}

void rates_of_split(const char *path, const char *key, const struct rates_split *split,
                    struct placement_rates *rates, char split_key[RATES_KEY_BYTES]) {
    const struct placement_override *override = &split->override;
    struct placement_rates learnt = {.factor = 1, .copies_factor = 1};
    char ngl[24] = "", n_cpu_moe[28] = "";
    if (override->has_ngl) snprintf(ngl, sizeof ngl, "; ngl %" PRId32, override->ngl);
    if (override->has_n_cpu_moe)
        snprintf(n_cpu_moe, sizeof n_cpu_moe, "; n-cpu-moe %" PRId32, override->n_cpu_moe);
    snprintf(split_key, RATES_KEY_BYTES, "%s; %zu GiB%s%s%s%s", key, split->card_bytes >> 30, ngl,
             n_cpu_moe, split->deterministic ? "; deterministic" : "",
             split->has_adapters ? "; LoRA" : "");
    (void)rates_find(path, split_key, &learnt);
    rates->factor = learnt.factor;
    rates->copies_factor = learnt.copies_factor;
    rates->changes = learnt.changes;
}

double rates_card_reads(const struct placement_rates *rates) { return rates->card / CARD_SHARE; }

struct placement_rates rates_get(struct engine *engine, const struct engine_options *options,
                                 const struct placement_need *need, size_t card_bytes) {
    const struct model_config *config = &engine->model.config;
    const struct part_shape shape = shape_of(config, need);
    struct placement_rates rates = {0};
    struct device_info card, processor = {0};
    struct device *device;
    char key[RATES_KEY_BYTES - SPLIT_BYTES], split[RATES_KEY_BYTES];
    if (shape.width == 0) return rates;
    engine->backend->info(engine->device, &card);
    const struct device_options how = device_options_of(options);
    if (backend_cpu()->open(&how, &device, NULL) != STATUS_OK) return rates;
    backend_cpu()->info(device, &processor);
    backend_cpu()->close(device);
    snprintf(key, sizeof key, "%d; %s; %s; %" PRId32 " x %" PRId32 " x %" PRId32 " %s", FORMAT,
             card.threads ? "no card" : card.name, processor.name, shape.dim, shape.width,
             shape.used, dtype_name(shape.type));
    if (!rates_find(options->rates_path, key, &rates)) {
        rates = measure(engine, options, &shape, need);
        if (!is_plausible(&rates)) return (struct placement_rates){0};
    }
    // Kept again even if they were found there, so that lines of splits do not push them out.
    if (options->rates_path && !rates_keep(options->rates_path, key, &rates))
        log_write(LOG_DEBUG, "cannot keep the measured rates in %s", options->rates_path);
    const struct rates_split alike = {.card_bytes = card_bytes,
                                      .override = options->placement,
                                      .deterministic = options->deterministic,
                                      .has_adapters = need->adapter_bytes > 0};
    rates_of_split(options->rates_path, key, &alike, &rates, split);
    log_write(
        LOG_DEBUG,
        "rates: card %.0f GB/s and %.0f us a part, processor %.1f GB/s and %.0f us a token of "
        "a batch, link %.1f GB/s, a crossing %.0f us, slowed %.2f, factor %.2f, with copies %.2f, "
        "recency %.2f",
        rates.card / 1e9, rates.part_us, rates.host / 1e9, rates.row_us, rates.link / 1e9,
        rates.crossing_us, rates.slowed, rates.factor, rates.copies_factor, rates.recency);
    rates.token_us = layers_us(config);
    forget(&engine->lesson);
    if (options->rates_path) {
        engine->lesson.path = strdup(options->rates_path);
        engine->lesson.key = strdup(key);
        engine->lesson.split = strdup(split);
        engine->lesson.rates = rates;
    }
    return rates;
}
