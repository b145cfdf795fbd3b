#include "tests/harness/day.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/chat/chat_kv.h"
#include "app/chat/chat_move.h"
#include "app/chat/chat_turn.h"
#include "engine/draft/draft.h"
#include "kernels/base/clock.h"
#include "store/disk_cache/disk_cache.h"

enum { QUESTION_BYTES = 1024, PRESET_BYTES = 8192, PATH_BYTES = 256, RESTORE_MS = 20000 };

static const struct hash128 DIGEST = {3, 5};

static const char *const WORDS[] = {
    "dog",   "river", "house", "small", "green", "walks",  "under",  "garden",
    "never", "seven", "light", "music", "cold",  "mother", "window", "stone",
    "what",  "tells", "about", "night", "water", "old",    "story",  "bread",
};

static void give_up(const char *what, enum status status, const struct error *err) {
    fprintf(stderr, "%s: %s: %s\n", what, status_text(status), err->text);
    exit(1);
}

static void need(const char *what, enum status status, const struct error *err) {
    if (status != STATUS_OK) give_up(what, status, err);
}

static uint32_t draw_below(uint32_t *random, uint32_t below) {
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % below;
}

struct maker {
    struct day_script *script;
    uint32_t random;
    int32_t turns[DAY_TALKS]; // of each conversation, as far as the script has come
    int32_t current;
};

static void add_step(struct maker *maker, struct day_step step) {
    struct day_script *script = maker->script;
    script->steps[script->count++] = step;
    maker->current = step.talk;
}

static void add_send(struct maker *maker, int32_t talk) {
    const struct day_plan *plan = &maker->script->plan;
    const uint32_t words = (uint32_t)(plan->most_words - plan->least_words + 1);
    add_step(maker, (struct day_step){.act = DAY_SEND,
                                      .talk = talk,
                                      .words = plan->least_words +
                                               (int32_t)draw_below(&maker->random, words)});
    const int32_t turns = ++maker->turns[talk];
    const uint32_t luck = draw_below(&maker->random, 10);
    if (luck == 0) {
        add_step(maker, (struct day_step){.act = DAY_REGENERATE, .talk = talk});
    } else if (luck == 1 && turns > 1) { // one turn, so that it can be asked again where it was
        maker->turns[talk] = turns - 1;
        add_step(maker,
                 (struct day_step){.act = DAY_REWIND, .talk = talk, .turns = maker->turns[talk]});
    }
}

// One that has room for a turn more; most often the one that the person is in.
static int32_t choose_talk(struct maker *maker) {
    const int32_t most = maker->script->plan.most_turns, count = maker->script->talk_count;
    if (draw_below(&maker->random, 10) < 5 && maker->turns[maker->current] < most)
        return maker->current;
    const int32_t first = (int32_t)draw_below(&maker->random, (uint32_t)count);
    for (int32_t i = 0; i < count; i++)
        if (maker->turns[(first + i) % count] < most) return (first + i) % count;
    return first;
}

static void add_fork(struct maker *maker) {
    const int32_t talk = maker->script->talk_count++;
    const int32_t from = (int32_t)draw_below(&maker->random, (uint32_t)talk);
    const bool all = draw_below(&maker->random, 2) == 0;
    const int32_t turns = maker->turns[from];
    const int32_t kept = all ? turns : (int32_t)draw_below(&maker->random, (uint32_t)turns);
    add_step(maker,
             (struct day_step){.act = draw_below(&maker->random, 2) ? DAY_FORK : DAY_FORK_FROM,
                               .talk = talk,
                               .from = from,
                               .turns = all ? -1 : kept});
    maker->turns[talk] = kept;
    add_send(maker, talk);
}

void day_script_init(struct day_script *script, const struct day_plan *plan) {
    struct maker maker = {.script = script, .random = plan->seed};
    int32_t talks = plan->talks, forks = plan->forks, sends = plan->sends - talks - forks;
    *script = (struct day_script){.plan = *plan};
    script->steps = calloc((size_t)(plan->sends * 3 + plan->leaves), sizeof *script->steps);
    if (!script->steps || sends < 0 || talks + forks > DAY_TALKS) exit(1);
    const int32_t all = talks + forks + sends;
    for (int32_t done = 0; done < all; done++) {
        const int32_t chosen =
            (int32_t)draw_below(&maker.random, (uint32_t)(talks + forks + sends));
        if (done == 0 || chosen < talks) {
            talks--;
            const int32_t talk = script->talk_count++;
            add_step(&maker, (struct day_step){.act = DAY_NEW, .talk = talk});
            add_send(&maker, talk);
        } else if (chosen < talks + forks) {
            forks--;
            add_fork(&maker);
        } else {
            sends--;
            add_send(&maker, choose_talk(&maker));
        }
        const int32_t part = all / (plan->leaves + 1);
        if (part > 0 && (done + 1) % part == 0 && (done + 1) / part <= plan->leaves)
            add_step(&maker, (struct day_step){.act = DAY_LEAVE, .talk = maker.current});
    }
}

void day_script_deinit(struct day_script *script) { free(script->steps); }

void day_talk_name(int32_t talk, char name[DAY_NAME_BYTES]) {
    snprintf(name, DAY_NAME_BYTES, "talk-%d", (int)talk);
}

static void add_words(char *text, size_t bytes, uint32_t random, int32_t words) {
    size_t length = strlen(text);
    for (int32_t i = 0; i < words; i++) {
        const char *word = WORDS[draw_below(&random, sizeof WORDS / sizeof WORDS[0])];
        const int added = snprintf(text + length, bytes - length, "%s%s", length ? " " : "", word);
        if (added < 0 || (size_t)added >= bytes - length) exit(1);
        length += (size_t)added;
    }
}

static void make_question(const struct day_script *script, size_t step, char text[QUESTION_BYTES]) {
    snprintf(text, QUESTION_BYTES, "%zu:", step);
    add_words(text, QUESTION_BYTES, script->plan.seed * 31 + (uint32_t)step,
              script->steps[step].words);
}

void day_paths(const char *folder, char *db_path, char *kv_path, size_t bytes) {
    snprintf(db_path, bytes, "%s/quire.db", folder);
    snprintf(kv_path, bytes, "%s/kv", folder);
}

// In all layers.
static size_t bytes_of_block(const struct engine_options *options) {
    struct engine_options plain = *options;
    struct engine *engine;
    struct error err = {0};
    struct kv_usage usage;
    plain.disk = NULL;
    need("the engine", engine_open(&plain, &engine, &err), &err);
    engine_kv_usage(engine, &usage);
    engine_close(engine);
    size_t bytes = 0;
    for (int32_t i = 0; i < usage.group_count; i++)
        bytes += usage.groups[i].block_bytes;
    return bytes;
}

static void write_bytes(FILE *file, const void *bytes, size_t size) {
    if (fwrite(bytes, size, 1, file) != 1) exit(1);
}

static void put_key(FILE *file, const char *key, uint32_t type) {
    const uint64_t length = strlen(key);
    write_bytes(file, &length, sizeof length);
    write_bytes(file, key, length);
    write_bytes(file, &type, sizeof type);
}

// The demo model with windows, which its weights know nothing of: three more keys at the beginning
// of its metadata, as long together as what they move is aligned to.
static void write_windowed(const char *path, int32_t window) {
    enum { LAYERS = 11, HEAD = 24, KEYS_AT = 16, TYPE_U8 = 0, TYPE_U32 = 4, TYPE_BOOL = 7 };
    enum { TYPE_ARRAY = 9 };
    static char rest[1 << 20];
    const uint32_t element = TYPE_BOOL;
    const uint64_t count = LAYERS;
    char head[HEAD], slides[LAYERS];
    uint64_t keys;
    FILE *in = fopen(DEMO_MODEL, "rb"), *out = fopen(path, "wb");
    if (!in || !out || fread(head, HEAD, 1, in) != 1) exit(1);
    memcpy(&keys, head + KEYS_AT, sizeof keys);
    keys += 3;
    memcpy(head + KEYS_AT, &keys, sizeof keys);
    write_bytes(out, head, HEAD);
    put_key(out, "llama.attention.sliding_window", TYPE_U32);
    write_bytes(out, &window, sizeof window);
    put_key(out, "llama.attention.sliding_window_pattern", TYPE_ARRAY);
    for (int i = 0; i < LAYERS; i++)
        slides[i] = i % 3 != 2;
    write_bytes(out, &element, sizeof element);
    write_bytes(out, &count, sizeof count);
    write_bytes(out, slides, LAYERS);
    put_key(out, "of.no.meaning.but.its.length", TYPE_U8);
    write_bytes(out, "", 1);
    for (size_t got; (got = fread(rest, 1, sizeof rest, in)) > 0;)
        write_bytes(out, rest, got);
    fclose(in);
    if (fclose(out) != 0) exit(1);
}

static void open_engine(struct day *day, const char *kv_path) {
    const struct day_place *place = &day->place;
    struct error err = {0};
    char windowed[PATH_BYTES], part[PATH_BYTES], golden[PATH_BYTES];
    snprintf(golden, sizeof golden, GOLDEN "/%s", place->model ? place->model : "");
    snprintf(windowed, sizeof windowed, "%s/windowed.gguf", place->folder);
    snprintf(part, sizeof part, "%s/windowed.part", place->folder);
    if (place->window > 0 && access(windowed, F_OK) != 0) {
        write_windowed(part, place->window); // a kill may come in the middle
        if (rename(part, windowed) != 0) exit(1);
    }
    struct engine_options options = {
        .model_path = place->model        ? golden
                      : place->window > 0 ? windowed
                                          : DEMO_MODEL,
        .backend = "cpu",
        .threads = 2,
        .context = place->context,
        .draft_path = !place->drafts ? NULL
                      : place->model ? golden
                                     : DRAFTER_MODEL,
        .beyond_training = place->model,
        .deterministic = true, // what is computed again has another shape
        .kv_type = place->kv_type,
        .digest = &DIGEST,
        .kv_restore = KV_RESTORE_ALWAYS,
        .io_deadline_ms = RESTORE_MS, // a slow machine is no failure here
    };
    const size_t block_bytes = bytes_of_block(&options);
    options.kv_device_bytes = place->device_blocks * block_bytes;
    options.kv_host_bytes = place->host_blocks * block_bytes;
    if (place->disk)
        options.disk = disk_cache_create(&(struct disk_cache_options){
            .folder = kv_path, .limit_bytes = place->disk_limit_bytes});
    need("the engine", engine_open(&options, &day->engine, &err), &err);
}

void day_open(struct day *day, const struct day_place *place) {
    char db_path[PATH_BYTES], kv_path[PATH_BYTES];
    struct error err = {0};
    *day = (struct day){.place = *place};
    day_paths(place->folder, db_path, kv_path, PATH_BYTES);
    need("the database", db_open(db_path, &day->db, &err), &err);
    open_engine(day, kv_path);
    struct session_options options = {
        .engine = day->engine,
        .db = day->db,
        .digest = DIGEST,
        .settings = {.sampler = sampler_options_default(),
                     .max_tokens = place->answer_tokens,
                     .speculate = place->drafts ? DRAFT_MAX : 0},
    };
    options.settings.sampler.temperature = 0;
    need("the session", session_open(&options, &day->session, &err), &err);
    need("the chat", chat_open(day->session, &day->chat, &err), &err);
}

void day_close(struct day *day) {
    chat_close(day->chat);
    session_close(day->session);
    engine_close(day->engine);
    db_close(day->db);
}

// The step of the last question on the talk's path that has a whole answer; or -1.
static int64_t last_answered(struct db *db, int64_t tip) {
    struct error err = {0};
    struct message *path;
    size_t count;
    int64_t last = -1;
    need("a conversation", message_path(db, tip, &path, &count, &err), &err);
    for (size_t i = 0; i + 1 < count; i++)
        if (path[i].role == MESSAGE_USER && path[i + 1].role == MESSAGE_ASSISTANT &&
            path[i + 1].stop != STOP_INTERRUPTED)
            last = strtoll(path[i].text, NULL, 10);
    message_path_free(path, count);
    return last;
}

size_t day_progress(struct db *db, const struct day_script *script) {
    int64_t last = -1;
    for (size_t i = 0; i < script->count; i++) {
        const struct day_step *step = &script->steps[i];
        if (step->act != DAY_NEW && step->act != DAY_FORK && step->act != DAY_FORK_FROM) continue;
        char name[DAY_NAME_BYTES];
        struct conversation talk;
        struct error err = {0};
        day_talk_name(step->talk, name);
        const enum status status = conversation_find(db, name, &talk, &err);
        if (status == STATUS_NOT_FOUND) break;
        need(name, status, &err);
        const int64_t answered = last_answered(db, talk.tip);
        if (last < (int64_t)i) last = (int64_t)i;
        if (last < answered) last = answered;
    }
    return (size_t)(last + 1);
}

static void follow_turn(struct chat *chat) {
    const struct turn *turn = &chat->turn;
    struct turn_update update;
    while (turn->state != TURN_IDLE) {
        session_next(chat->session, 1000, &update);
        session_check(chat->session);
        chat_check(chat);
    }
    need("an answer", turn->status, &turn->err);
    if (!turn_first(turn).any) exit(1);
}

void day_ask(struct day *day, const char *question) {
    struct error err = {0};
    need(question,
         chat_send(day->chat, &(struct outgoing){.text = question, .length = strlen(question)},
                   &err),
         &err);
    follow_turn(day->chat);
}

// Half of the moves bring the KV back at once, as a person's screen does; the others leave it to
// the request.
static void go_to(struct day *day, int32_t talk, size_t step) {
    char name[DAY_NAME_BYTES];
    struct error err = {0};
    struct restore_report report;
    day_talk_name(talk, name);
    if (strcmp(day->chat->conversation.name, name) == 0) return;
    need(name, chat_resume(day->chat, name, &err), &err);
    if (step % 2) chat_restore(day->chat, RESTORE_MS, &report);
}

static void begin_talk(struct day *day, const char *name) {
    struct error err = {0};
    need(name, chat_new(day->chat, name, &err), &err);
}

static void fork_talk(struct day *day, const struct day_step *step, const char *name) {
    char original[DAY_NAME_BYTES];
    struct error err = {0};
    enum status status;
    day_talk_name(step->from, original);
    const int64_t began_us = clock_now_us();
    if (step->act == DAY_FORK_FROM)
        status =
            chat_fork_from(day->chat, original, step->turns < 0 ? 0 : step->turns + 1, name, &err);
    else if (step->turns < 0)
        status = chat_fork(day->chat, name, &err);
    else
        status = chat_fork_at(day->chat, step->turns + 1, name, &err);
    day->fork_us = clock_now_us() - began_us;
    need(name, status, &err);
}

static void rewind_to(struct day *day, int64_t turns) {
    struct text draft = {0};
    struct error err = {0};
    const int64_t back = chat_turn_count(day->chat) - turns;
    if (back > 0) need("a rewind", chat_rewind(day->chat, back, &draft, &err), &err);
    text_deinit(&draft);
}

// An answer that a kill has cut off is not continued: its question is asked again.
static void drop_interrupted(struct day *day) {
    const size_t count = chat_message_count(day->chat);
    if (count > 0 && chat_message(day->chat, count - 1)->stop == STOP_INTERRUPTED)
        rewind_to(day, chat_turn_count(day->chat) - 1);
}

static void send(struct day *day, const struct day_script *script, size_t step) {
    char text[PRESET_BYTES];
    struct error err = {0};
    if (chat_message_count(day->chat) == 0) {
        const int32_t preset = script->steps[step].talk % DAY_PRESETS;
        snprintf(text, PRESET_BYTES, "Preset %d.", (int)preset);
        add_words(text, PRESET_BYTES, (uint32_t)preset, script->plan.preset_words);
        need("a system prompt", chat_set_preamble(day->chat, text, &err), &err);
    }
    make_question(script, step, text);
    day_ask(day, text);
}

bool day_do(struct day *day, const struct day_script *script, size_t index) {
    const struct day_step *step = &script->steps[index];
    char name[DAY_NAME_BYTES];
    struct error err = {0};
    day_talk_name(step->talk, name);
    switch (step->act) {
    case DAY_NEW:
        begin_talk(day, name);
        return false;
    case DAY_FORK:
        go_to(day, step->from, index);
        fork_talk(day, step, name);
        return false;
    case DAY_FORK_FROM:
        fork_talk(day, step, name);
        return false;
    case DAY_SEND:
        go_to(day, step->talk, index);
        drop_interrupted(day);
        send(day, script, index);
        return true;
    case DAY_REGENERATE:
        go_to(day, step->talk, index);
        drop_interrupted(day); // of a later question
        need(name, chat_regenerate(day->chat, 1, 1, &err), &err);
        follow_turn(day->chat);
        return true;
    case DAY_REWIND:
        go_to(day, step->talk, index);
        rewind_to(day, step->turns);
        return false;
    case DAY_LEAVE:
        return false;
    }
    return false;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at) {
    (void)facts;
    (void)kind;
    (void)at;
    return remove(path);
}

void day_remove(const char *folder) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }
