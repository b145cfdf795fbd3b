// tests/bench/cache/json.c — the figures as one JSON object; what was not measured is null, with a
// reason.
#include <cjson/cJSON.h>

#include "app/base/json.h"
#include "tests/bench/cache/show.h"

// cJSON answers NULL when memory is short, and its functions take NULL for an object.
static void add(cJSON *object, const char *name, double value) {
    cJSON_AddNumberToObject(object, name, value);
}

static void add_figure(cJSON *object, const char *name, const struct figure *figure, double unit) {
    if (figure->count == 0) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    cJSON *value = cJSON_AddObjectToObject(object, name);
    add(value, "median", figure->median / unit);
    add(value, "low", figure->low / unit);
    add(value, "high", figure->high / unit);
    add(value, "runs", figure->count);
}

static cJSON *add_item(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(array, object)) cJSON_Delete(object);
    return object;
}

// False, with the reason added, where the line has no numbers.
static bool is_measured(cJSON *object, const char *missing) {
    cJSON *why = missing[0] ? cJSON_CreateString(missing) : cJSON_CreateNull();
    cJSON_AddItemToObject(object, "not_measured", why);
    return !missing[0];
}

static void add_machine(cJSON *root, const struct kv_bench *bench) {
    const struct engine_info *info = &bench->harness.info;
    cJSON_AddStringToObject(root, "model", info->model_name);
    cJSON_AddStringToObject(root, "type", info->file_type);
    add(root, "weight_bytes", (double)info->weight_bytes);
    cJSON_AddStringToObject(root, "kv_type", info->kv_type);
    add(root, "block_tokens", info->block_size);
    add(root, "block_bytes", (double)info->block_bytes);
    add(root, "token_bytes", (double)info->token_bytes);
    add(root, "state_bytes", (double)info->state_bytes);
    add(root, "sequence_bytes", (double)info->sequence_bytes);
    cJSON_AddStringToObject(root, "backend", info->backend);
    cJSON_AddStringToObject(root, "device", info->device);
    add(root, "threads", info->threads);
    add(root, "read_bytes_per_s", bench->read_bytes_per_s);
}

static void add_forks(cJSON *root, const struct kv_bench *bench) {
    cJSON *array = cJSON_AddArrayToObject(root, "forks");
    for (int32_t i = 0; i < FORK_LINES; i++) {
        const struct fork_line *line = &bench->forks[i];
        cJSON *object = add_item(array);
        add(object, "tokens", line->tokens);
        add_figure(object, "idle_us", &line->idle_us, 1);
        add_figure(object, "running_us", &line->running_us, 1);
        if (!is_measured(object, line->missing)) continue;
        add(object, "blocks", line->blocks);
        add(object, "prefill_us", line->prefill_us);
        add(object, "first_write_blocks", line->first_write_blocks);
        add(object, "first_write_bytes",
            (double)line->first_write_blocks * (double)bench->harness.info.block_bytes);
        add(object, "first_write_states", line->first_write_states);
    }
}

static void add_sharing(cJSON *root, const struct kv_bench *bench) {
    cJSON *array = cJSON_AddArrayToObject(root, "sharing");
    for (int32_t i = 0; i < SHARING_LINES; i++) {
        const struct sharing_line *line = &bench->sharing[i];
        cJSON *object = add_item(array);
        add(object, "conversations", line->conversations);
        if (!is_measured(object, line->missing)) continue;
        add(object, "tokens_each", line->tokens);
        add(object, "held_blocks", line->held_blocks);
        add(object, "separate_blocks", (double)line->separate_blocks);
        add(object, "spared_blocks", (double)line->spared_blocks);
        add(object, "prefilled_tokens", (double)line->prefilled);
        add(object, "least_tokens", (double)line->least);
        add(object, "prefilled_tokens_at_once", (double)line->prefilled_at_once);
    }
}

static void add_resume_line(cJSON *array, const struct kv_bench *bench,
                            const struct resume_line *line, enum resume_from from) {
    cJSON *object = add_item(array);
    add(object, "tokens", line->tokens);
    cJSON_AddStringToObject(object, "from", RESUME_FROM_NAMES[from]);
    add_figure(object, "ready_ms", &line->ready_us, 1e3);
    add_figure(object, "first_token_ms", &line->first_token_us, 1e3);
    if (!is_measured(object, line->missing)) return;
    add(object, "device_tokens", (double)line->stats.device_tokens);
    add(object, "host_tokens", (double)line->stats.host_tokens);
    add(object, "disk_tokens", (double)line->stats.disk_tokens);
    add(object, "prefilled_tokens", (double)line->prefilled);
    add(object, "moved_bytes", (double)line->moved_bytes);
    add(object, "bytes_per_s", resume_line_speed(line));
    add(object, "of_read_bandwidth", resume_line_speed(line) / bench->read_bytes_per_s);
    if (from == FROM_COLD_DISK) add(object, "pages_kept_in_memory", line->kept_pages);
}

static void add_speed(cJSON *object, const char *name, uint64_t bytes, int64_t elapsed_us) {
    if (elapsed_us > 0)
        add(object, name, (double)bytes / (double)elapsed_us * 1e6);
    else
        cJSON_AddNullToObject(object, name);
}

static void add_resume(cJSON *root, const struct kv_bench *bench) {
    const struct resume_part *part = &bench->resume;
    cJSON *array = cJSON_AddArrayToObject(root, "resume");
    for (int32_t i = 0; i < RESUME_LENGTHS; i++)
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++)
            add_resume_line(array, bench, &part->lines[i][from], (enum resume_from)from);
    cJSON *disk = cJSON_AddObjectToObject(root, "disk");
    add_speed(disk, "write_bytes_per_s", part->written.write_bytes, part->written.write_us);
    add_speed(disk, "read_bytes_per_s", part->read.read_bytes, part->read.read_us);
    add_speed(disk, "cold_read_bytes_per_s", part->read_cold.read_bytes, part->read_cold.read_us);
    add(disk, "writes", (double)part->written.writes);
    add(disk, "written_blocks", (double)part->written.write_blocks);
    add(disk, "close_us", part->drain_us);
    cJSON *lookup = cJSON_AddObjectToObject(root, "lookup");
    add_figure(lookup, "ns_per_token", &part->lookup_ns, 1);
    if (!is_measured(lookup, part->lookup_missing)) return;
    add(lookup, "tokens", part->lookup_tokens);
    add(lookup, "found_tokens", part->lookup_found);
}

static void add_turns(cJSON *root, const struct kv_bench *bench) {
    const bool states = bench->harness.info.state_bytes > 0;
    cJSON *array = cJSON_AddArrayToObject(root, "turns");
    for (int32_t i = 0; i < TURN_LINES; i++) {
        const struct turns_line *line = &bench->turns[i];
        cJSON *object = add_item(array);
        cJSON_AddStringToObject(object, "device", line->tight ? "tight" : "roomy");
        add(object, "conversations", line->conversations);
        add(object, "turns", line->turns);
        if (!is_measured(object, line->missing)) continue;
        add(object, "sealed_blocks", (double)line->sealed_blocks);
        add(object, "tails", (double)line->tails);
        add(object, "wanted_bytes", (double)line->wanted_bytes);
        add(object, "payload_bytes", (double)line->payload_bytes);
        add(object, "written_bytes", (double)line->written_bytes);
        add(object, states ? "state_payload_bytes" : "window_payload_bytes",
            (double)line->window_bytes);
        add(object, states ? "state_written_bytes" : "window_written_bytes",
            (double)line->window_written_bytes);
        if (line->system_knows)
            add(object, "system_written_bytes", (double)line->system_bytes);
        else
            cJSON_AddNullToObject(object, "system_written_bytes");
        add(object, "folder_bytes", (double)line->folder_bytes);
        add(object, "written_of_payload",
            (double)line->written_bytes / (double)line->payload_bytes);
        add(object, "written_of_wanted", (double)line->written_bytes / (double)line->wanted_bytes);
        add(object, "write_calls", (double)line->writes);
        add(object, "write_blocks", (double)line->write_blocks);
        add(object, "evicted_blocks", (double)line->evicted_blocks);
        add(object, "lost_blocks", (double)line->lost_blocks);
        add(object, "prefilled_tokens", (double)line->prefilled);
        add(object, "least_tokens", (double)line->least);
        add(object, "decoded_tokens", (double)line->decoded);
    }
}

static void add_pair_turns(cJSON *object, const struct pair_line *line) {
    cJSON *array = cJSON_AddArrayToObject(object, "turns");
    for (int32_t i = 0; i < PAIR_TURNS; i++) {
        const struct pair_turn *turn = &line->turns[i];
        cJSON *item = add_item(array);
        add(item, "prompt_tokens", turn->prompt);
        add(item, "new_tokens", turn->new_tokens);
        add(item, "device_tokens", (double)turn->device_tokens);
        add(item, "host_tokens", (double)turn->host_tokens);
        add(item, "prefilled_tokens", (double)turn->prefilled);
        add(item, "first_token_ms", turn->first_token_us / 1e3);
    }
}

static void add_pairs(cJSON *root, const struct kv_bench *bench) {
    cJSON *array = cJSON_AddArrayToObject(root, "pairs");
    for (int32_t i = 0; i < PAIR_LINES; i++) {
        const struct pair_line *line = &bench->pairs[i];
        cJSON *object = add_item(array);
        cJSON_AddBoolToObject(object, "kept_as_sequences", line->kept);
        if (!is_measured(object, line->missing)) continue;
        add(object, "pool_blocks", line->pool_blocks);
        add(object, "largest_blocks", line->largest_blocks);
        add(object, "computed_again_tokens", (double)line->excess);
        add(object, "swap_out_bytes", (double)line->swap_out_bytes);
        add(object, "swap_in_bytes", (double)line->swap_in_bytes);
        add_pair_turns(object, line);
    }
}

bool cache_print_json(const struct kv_bench *bench) {
    cJSON *root = cJSON_CreateObject();
    add_machine(root, bench);
    add_forks(root, bench);
    add_sharing(root, bench);
    add_resume(root, bench);
    add_turns(root, bench);
    add_pairs(root, bench);
    return json_put(root, bench->options->one_line);
}
