// tests/kernels/test_huge_pages.c — bytes that move stay what and where they are.
//
// The file is mapped a page beyond a huge page's address. So its own pages cannot be mapped as huge
// ones nor joined, whatever the file system, and what is to move must be copied.
#include "tests/kernels/machine_root.h" // cmocka and the headers that it wants first

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "kernels/huge_pages.h"

static const size_t PAGE = 4096, HUGE_BYTES = (size_t)2 << 20, CHUNK = (size_t)16 << 20;
static const size_t LENGTH = ((size_t)38 << 20) + 777; // three chunks, the last one small
static const size_t MOVABLE = (size_t)36 << 20;        // all whole huge pages between the two edges

struct file {
    int descriptor;
    char *reserved; // the addresses that it may have
    char *bytes;
};

// Differs from page to page and within each.
static uint64_t word_at(size_t index) { return (index + 1) * 0x9e3779b97f4a7c15u; }

static struct file map_file(void) {
    char path[256];
    snprintf(path, sizeof path, "%s/weights", machine_root);
    struct file file = {.descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600)};
    assert_true(file.descriptor >= 0);
    uint64_t *words = malloc(LENGTH);
    assert_non_null(words);
    memset(words, 0, LENGTH);
    for (size_t i = 0; i < LENGTH / sizeof *words; i++)
        words[i] = word_at(i);
    assert_int_equal(write(file.descriptor, words, LENGTH), LENGTH);
    free(words);
    file.reserved =
        mmap(NULL, LENGTH + 2 * HUGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(file.reserved != MAP_FAILED);
    const size_t before = (HUGE_BYTES - (uintptr_t)file.reserved % HUGE_BYTES) % HUGE_BYTES;
    file.bytes = mmap(file.reserved + before + PAGE, LENGTH, PROT_READ, MAP_SHARED | MAP_FIXED,
                      file.descriptor, 0);
    assert_true(file.bytes != MAP_FAILED);
    return file;
}

static void unmap(struct file *file) {
    assert_int_equal(munmap(file->reserved, LENGTH + 2 * HUGE_BYTES), 0);
    close(file->descriptor);
}

static bool is_whole(const char *bytes, size_t length) {
    bool whole = true;
    for (size_t i = 0; i < length / sizeof(uint64_t) && whole; i++) {
        uint64_t word;
        memcpy(&word, bytes + i * sizeof word, sizeof word);
        whole = word == word_at(i);
    }
    return whole;
}

// Whether what was mapped there at first is mapped still.
static bool is_of_file(const void *address) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    bool found = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
        if ((uintptr_t)address >= begin && (uintptr_t)address < end)
            found = strstr(line, "/weights") != NULL;
    }
    (void)fclose(maps);
    return found;
}

// Whether a core dump leaves out what is mapped there (proc_pid_smaps(5)).
static bool is_not_dumped(const void *address) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false, found = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            inside = (uintptr_t)address >= begin && (uintptr_t)address < end;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, " dd") != NULL;
    }
    (void)fclose(maps);
    return found;
}

static struct huge_pages *start(const struct file *file, size_t budget) {
    const struct huge_pages_range range = {file->bytes, LENGTH};
    const struct huge_pages_memory memory = {.budget = budget};
    struct huge_pages *pages = huge_pages_start(&range, 1, &memory);
    assert_non_null(pages);
    return pages;
}

static void all_but_the_edges_moves_and_stays_equal(void **state) {
    (void)state;
    struct file file = map_file();
    struct huge_pages *pages = start(&file, SIZE_MAX);
    assert_int_equal(huge_pages_wait(pages), MOVABLE);
    huge_pages_stop(pages);
    assert_true(is_whole(file.bytes, LENGTH));
    const char *first = file.bytes + HUGE_BYTES - PAGE;
    assert_true(is_of_file(first - 1) && is_of_file(first + MOVABLE));
    assert_false(is_of_file(first) || is_of_file(first + MOVABLE - 1));
    assert_true(is_not_dumped(first) && is_not_dumped(first + MOVABLE - 1));
    unmap(&file);
}

struct reader {
    const char *bytes;
    atomic_bool *moved;
    bool whole;
};

static void *read_until_moved(void *argument) {
    struct reader *reader = argument;
    bool last = false;
    while (reader->whole && !last) {
        last = atomic_load(reader->moved); // then once more
        reader->whole = is_whole(reader->bytes, LENGTH);
    }
    return NULL;
}

static void readers_see_the_same_bytes_while_pages_move(void **state) {
    (void)state;
    enum { READERS = 3 };
    struct file file = map_file();
    atomic_bool moved = false;
    pthread_t threads[READERS];
    struct reader readers[READERS];
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){file.bytes, &moved, true};
        assert_int_equal(pthread_create(&threads[i], NULL, read_until_moved, &readers[i]), 0);
    }
    struct huge_pages *pages = start(&file, SIZE_MAX);
    assert_int_equal(huge_pages_wait(pages), MOVABLE);
    atomic_store(&moved, true);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(readers[i].whole);
    }
    huge_pages_stop(pages);
    unmap(&file);
}

static void weights_beyond_the_budget_stay_in_the_file(void **state) {
    (void)state;
    static const size_t BUDGETS[] = {0, (size_t)16 << 20, ((size_t)32 << 20) + 1};
    static const size_t COPIED[] = {0, (size_t)16 << 20, (size_t)32 << 20};
    for (size_t i = 0; i < sizeof BUDGETS / sizeof *BUDGETS; i++) {
        struct file file = map_file();
        struct huge_pages *pages = start(&file, BUDGETS[i]);
        assert_int_equal(huge_pages_wait(pages), COPIED[i]);
        huge_pages_stop(pages);
        assert_true(is_of_file(file.bytes + HUGE_BYTES - PAGE + COPIED[i]));
        assert_true(is_whole(file.bytes, LENGTH));
        unmap(&file);
    }
}

// Whatever the budget was when they began.
static void copies_leave_the_memory_that_is_kept(void **state) {
    (void)state;
    static const size_t KEPT[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 50, 1};
    const size_t COPIED[] = {0, 0, 0, MOVABLE};
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
        struct file file = map_file();
        const struct huge_pages_range range = {file.bytes, LENGTH};
        const struct huge_pages_memory memory = {.budget = SIZE_MAX, .kept = KEPT[i]};
        struct huge_pages *pages = huge_pages_start(&range, 1, &memory);
        assert_int_equal(huge_pages_wait(pages), COPIED[i]);
        huge_pages_stop(pages);
        assert_true(is_whole(file.bytes, LENGTH));
        unmap(&file);
    }
}

static void moving_pages_can_be_stopped_at_any_time(void **state) {
    (void)state;
    huge_pages_set_pace(NULL, HUGE_PAGES_PAUSED);
    huge_pages_stop(NULL);
    assert_int_equal(huge_pages_wait(NULL), 0);
    for (int i = 0; i < 8; i++) {
        struct file file = map_file();
        struct huge_pages *pages = start(&file, SIZE_MAX);
        if (i % 2)
            huge_pages_set_pace(pages, i % 4 == 1 ? HUGE_PAGES_SPARINGLY : HUGE_PAGES_PAUSED);
        if (i % 4 == 3) usleep(2000);
        huge_pages_stop(pages);
        assert_true(is_whole(file.bytes, LENGTH));
        unmap(&file);
    }
}

static void it_continues_after_a_pause_at_either_pace(void **state) {
    (void)state;
    static const enum huge_pages_pace paces[] = {HUGE_PAGES_FREELY, HUGE_PAGES_SPARINGLY};
    for (int i = 0; i < 2; i++) {
        struct file file = map_file();
        struct huge_pages *pages = start(&file, SIZE_MAX);
        huge_pages_set_pace(pages, HUGE_PAGES_PAUSED);
        huge_pages_set_pace(pages, paces[i]);
        assert_int_equal(huge_pages_wait(pages), MOVABLE);
        huge_pages_stop(pages);
        unmap(&file);
    }
}

// Touching what a file has lost would be a SIGBUS.
static void a_file_that_became_shorter_ends_it(void **state) {
    (void)state;
    const size_t left = CHUNK + 3 * HUGE_BYTES;
    struct file file = map_file();
    if (madvise(file.bytes, PAGE, 22) != 0) { // MADV_POPULATE_READ
        unmap(&file);
        skip();
    }
    assert_int_equal(ftruncate(file.descriptor, (off_t)left), 0);
    struct huge_pages *pages = start(&file, SIZE_MAX);
    assert_int_equal(huge_pages_wait(pages), CHUNK);
    huge_pages_stop(pages);
    assert_true(is_whole(file.bytes, left));
    unmap(&file);
}

static void small_ranges_are_not_moved(void **state) {
    (void)state;
    struct file file = map_file();
    const struct huge_pages_range ranges[] = {
        {NULL, 0},
        {file.bytes, HUGE_PAGES_LEAST_BYTES - 1},
        {file.bytes + (8 << 20), HUGE_PAGES_LEAST_BYTES},
    };
    const struct huge_pages_memory memory = {.budget = SIZE_MAX};
    assert_null(huge_pages_start(ranges, 0, &memory));
    struct huge_pages *pages = huge_pages_start(ranges, 3, &memory);
    assert_int_equal(huge_pages_wait(pages), HUGE_BYTES);
    huge_pages_stop(pages);
    assert_true(is_whole(file.bytes, LENGTH));
    unmap(&file);
}

static void the_budget_asks_the_system(void **state) {
    (void)state;
    static const char name[] = "sys/kernel/mm/transparent_hugepage/enabled";
    assert_int_equal(huge_pages_budget(machine_root, 0, 0), 0); // a system without them
    machine_root_write(name, "always madvise [never]\n");
    assert_int_equal(huge_pages_budget(machine_root, 0, 0), 0);
    machine_root_write(name, "[always] madvise never\n");
    assert_true(huge_pages_budget(machine_root, 0, 0) > 0);
    machine_root_write(name, "always [madvise] never\n");
    const size_t available = huge_pages_budget(machine_root, 0, 0), half = available / 2;
    assert_true(available > 0);
    assert_true(huge_pages_budget(machine_root, half, 0) < available / 4 * 3);
    assert_true(huge_pages_budget(machine_root, half, half / 2) < available / 2);
    assert_int_equal(huge_pages_budget(machine_root, SIZE_MAX, 0), 0);
    assert_int_equal(huge_pages_budget(machine_root, 0, SIZE_MAX), 0);
    assert_int_equal(huge_pages_budget(machine_root, SIZE_MAX / 2, SIZE_MAX / 2 + 2), 0);
    machine_root_write("proc/sys/vm/overcommit_memory", "2\n");
    assert_int_equal(huge_pages_budget(machine_root, 0, 0), 0);
    machine_root_write("proc/sys/vm/overcommit_memory", "0\n");
    assert_true(huge_pages_budget(machine_root, 0, 0) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_but_the_edges_moves_and_stays_equal),
        cmocka_unit_test(readers_see_the_same_bytes_while_pages_move),
        cmocka_unit_test(weights_beyond_the_budget_stay_in_the_file),
        cmocka_unit_test(copies_leave_the_memory_that_is_kept),
        cmocka_unit_test(moving_pages_can_be_stopped_at_any_time),
        cmocka_unit_test(it_continues_after_a_pause_at_either_pace),
        cmocka_unit_test(a_file_that_became_shorter_ends_it),
        cmocka_unit_test(small_ranges_are_not_moved),
        cmocka_unit_test(the_budget_asks_the_system),
    };
    return cmocka_run_group_tests(tests, machine_root_make, machine_root_remove);
}
