// tests/fuzz/fuzz_structure.c — any bytes as GBNF and as a JSON Schema: refused with a reason, or a
// grammar in which every text can be finished.
#include <stdint.h>
#include <string.h>

#include "engine/grammar/automaton.h"
#include "engine/grammar/gbnf.h"
#include "engine/grammar/schema.h"
#include "kernels/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

// Walks at random, as the input says: a state is dead, or a byte leads on, or the text is whole.
static void walk(struct automaton *automaton, const uint8_t *bytes, size_t length) {
    int32_t state = AUTOMATON_START;
    for (size_t i = 0; i < length && i < 64 && !automaton_is_full(automaton); i++) {
        int32_t next = automaton_step(automaton, state, bytes[i]);
        for (int byte = 0; byte < 256 && next == AUTOMATON_DEAD; byte++)
            next = automaton_step(automaton, state, (unsigned char)(bytes[i] + byte));
        if (next == AUTOMATON_DEAD) {
            ASSERT(automaton_accepts(automaton, state) || automaton_is_full(automaton));
            return;
        }
        state = next;
    }
}

static void read_gbnf(const char *gbnf, size_t length, const uint8_t *steps, size_t step_count) {
    struct network network;
    struct automaton *automaton;
    struct error err = {0};
    if (gbnf_read(gbnf, length, "root", &network, &err) != STATUS_OK) {
        ASSERT(err.text[0]);
        return;
    }
    ASSERT(automaton_create(&network, &automaton) == STATUS_OK);
    walk(automaton, steps, step_count);
    automaton_destroy(automaton);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct text gbnf = {0};
    struct error err = {0};
    if (length > 1 << 12) return 0;
    read_gbnf((const char *)bytes, length, bytes, length);
    if (schema_to_gbnf((const char *)bytes, length, &gbnf, &err) == STATUS_OK)
        read_gbnf(text_string(&gbnf), gbnf.length, bytes, length);
    else
        ASSERT(err.text[0] && gbnf.length == 0);
    text_deinit(&gbnf);
    return 0;
}
