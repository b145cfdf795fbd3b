// tests/kernels/test_attention_check.c — which attention kernels a card says that it has.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

#include "kernels/backend.h"

struct asked {
    enum attention_kernel kernel;
    enum dtype type;
    int32_t num_heads, num_kv_heads, head_size, block_size, context;
    const char *refusal; // words of it; NULL: it has the kernel
};

static void expect_answer(struct device *device, const struct asked *asked) {
    const struct kv_cache cache = {.type = asked->type,
                                   .layout = attention_layout(asked->kernel),
                                   .num_layers = 1,
                                   .num_kv_heads = asked->num_kv_heads,
                                   .head_size = asked->head_size,
                                   .block_size = asked->block_size,
                                   .num_blocks = 100};
    const struct paged_attention args = {
        .kernel = asked->kernel, .num_heads = asked->num_heads, .cache = &cache};
    struct error err = {0};
    const enum status status = backend_cuda()->attention_check(device, &args, asked->context, &err);
    assert_int_equal(status, asked->refusal ? STATUS_UNSUPPORTED : STATUS_OK);
    if (asked->refusal && !strstr(err.text, asked->refusal))
        fail_msg("\"%s\" lacks \"%s\"", err.text, asked->refusal);
    assert_null(strchr(err.text, '\n'));
}

static void a_card_names_missing_kernels_and_the_reason(void **state) {
    static const struct asked CASES[] = {
        {ATTENTION_AUTO, DTYPE_F32, 8, 8, 13, 7, 1 << 20, NULL},
        {ATTENTION_GATHER, DTYPE_F32, 8, 8, 13, 7, 1 << 20, NULL},
        {ATTENTION_FLASH, DTYPE_F16, 32, 8, 128, 16, 1 << 20, NULL},
        {ATTENTION_FLASH, DTYPE_F32, 32, 8, 128, 16, 512,
         "32 heads over 8 KV heads of size 128 and type f32"},
        {ATTENTION_FLASH, DTYPE_F16, 32, 8, 100, 16, 512, "of size 100 and type f16"},
        {ATTENTION_V1, DTYPE_F16, 32, 8, 128, 16, 8192, NULL},
        {ATTENTION_V1, DTYPE_F16, 32, 8, 128, 16, 1 << 20,
         "on this GPU, but the context is 1048576"},
        {ATTENTION_V2, DTYPE_F16, 32, 8, 128, 16, 1 << 20, NULL},
        {ATTENTION_V2, DTYPE_F16, 40, 40, 80, 8, 4096, NULL},
        {ATTENTION_V2, DTYPE_F16, 16, 1, 256, 32, 4096, NULL},
        {ATTENTION_V2, DTYPE_BF16, 32, 8, 128, 16, 512,
         "head size 128 with block size 16 and type bf16"},
        {ATTENTION_V2, DTYPE_F16, 32, 8, 72, 16, 512, "head size 72"},
        {ATTENTION_PAGED, DTYPE_F16, 32, 8, 128, 16, 1 << 20, NULL}, // v1 only where it is short
        {ATTENTION_PAGED, DTYPE_F16, 32, 8, 128, 5, 512, "attention paged does not support"},
    };
    const struct device_options options = {0};
    struct device *device;
    struct error err = {.text = "built without CUDA"};
    (void)state;
    if (!backend_cuda() || backend_cuda()->open(&options, &device, &err) != STATUS_OK) {
        printf("skipped: %s\n", err.text);
        skip();
    }
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        expect_answer(device, &CASES[i]);
    assert_int_equal(backend_cuda()->sync(device), STATUS_OK);
    backend_cuda()->close(device);
}

static void cpu_backends_have_no_attention_check(void **state) {
    (void)state;
    assert_null(backend_cpu()->attention_check);
    assert_null(backend_reference()->attention_check);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_names_missing_kernels_and_the_reason),
        cmocka_unit_test(cpu_backends_have_no_attention_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
