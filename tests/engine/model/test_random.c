// tests/engine/model/test_random.c — random weights at a shape: as many as the model has, in the
// types that its files have, and a forward pass runs through them.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <math.h>
#include <string.h>

#include "engine/model/model.h"
#include "engine/model/shape.h"
#include "kernels/cost.h"

#define DIMS                                                                                 \
    "'hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,'intermediate_size':32," \
    "'vocab_size':96,'max_position_embeddings':64,'rms_norm_eps':1e-5,"

// Small ones of some families, with rows that are no multiple of 256.
static const struct shape qwen3moe = {
    .name = "small",
    .family = "qwen3moe",
    .config = "{" DIMS "'num_key_value_heads':2,'head_dim':16,'num_experts':8,"
              "'num_experts_per_tok':2,'moe_intermediate_size':32}",
};

static const struct shape gpt_oss = {
    .name = "small",
    .family = "gpt-oss",
    .config = "{" DIMS "'num_key_value_heads':2,'head_dim':16,'sliding_window':8,'num_experts':8,"
              "'num_experts_per_tok':2}",
};

static const struct shape gemma4 = {
    .name = "small",
    .family = "gemma4",
    .tied = true,
    .config = "{" DIMS "'num_key_value_heads':4,'head_dim':8,'num_global_key_value_heads':2,"
              "'global_head_dim':16,'attention_k_eq_v':true,'sliding_window':8,"
              "'sliding_window_pattern':2,'num_experts':8,'top_k_experts':2,"
              "'moe_intermediate_size':32,"
              "'rope_parameters':{'full_attention':{'rope_type':'proportional'}}}",
};

static const struct shape hybrid = {
    .name = "small",
    .family = "granitehybrid",
    .config =
        "{" DIMS "'num_key_value_heads':2,'num_local_experts':8,'num_experts_per_tok':2,"
        "'shared_intermediate_size':32,'full_attn_idxs':[1],'mamba_n_heads':4,'mamba_expand':1,"
        "'mamba_d_state':16,'mamba_n_groups':1,'mamba_d_conv':4}",
};

static struct model make_model(const struct shape *shape, enum dtype type, struct device *device) {
    struct model model;
    struct error err = {0};
    if (model_random(&model, shape, type,
                     &(struct model_options){.backend = backend_cpu(), .device = device},
                     &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return model;
}

static struct device *open_device(void) {
    struct device *device;
    const struct device_options options = {.threads = 1};
    assert_int_equal(backend_cpu()->open(&options, &device, NULL), STATUS_OK);
    return device;
}

static void named_shapes_have_the_published_parameter_counts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double billions; // as published
    } table[] = {
        {"llama-3-8b", 8.03},       {"qwen3-0.6b", 0.596},     {"qwen3-30b-a3b", 30.5},
        {"gpt-oss-20b", 20.9},      {"gemma-4-26b-a4b", 25.2}, {"lfm2-1.2b", 1.17},
        {"granite-4-h-tiny", 6.94}, {"llama-3-70b", 70.6},     {"gpt-oss-120b", 116.8},
        {"llama-3-8b:16", 4.54},    {"llama-3-8b:32", 8.03},
    };
    static const char *const wrong[] = {
        "llama-3-8",     "llama-3-8b:",   "llama-3-8b:0", "llama-3-8b:33",
        "llama-3-8b:-1", "llama-3-8b:1x", ":1",           ""};
    struct shape shape;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(shape_find(wrong[i], &shape));
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct error err = {0};
        struct placement_need need;
        assert_true(shape_find(table[i].name, &shape));
        assert_int_equal(model_random_need(&shape, DTYPE_BF16, backend_cpu(), &need, &err),
                         STATUS_OK);
        const double billions = (double)placement_need_bytes(&need) / 2e9;
        if (fabs(billions / table[i].billions - 1) > 0.01)
            fail_msg("%s: %.2f billions, expected %.2f", table[i].name, billions,
                     table[i].billions);
    }
}

static void the_predicted_bytes_equal_those_allocated(void **state) {
    (void)state;
    const struct shape *const shapes[] = {&qwen3moe, &gpt_oss, &gemma4, &hybrid};
    struct device *device = open_device();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct error err = {0};
        struct placement_need need;
        struct model model = make_model(shapes[i], DTYPE_Q8_0, device);
        assert_int_equal(model_random_need(shapes[i], DTYPE_Q8_0, backend_cpu(), &need, &err),
                         STATUS_OK);
        const size_t pointers = 3 * 2 * 8 * sizeof(void *); // of the experts
        assert_int_equal(placement_need_bytes(&need), model.weight_bytes + pointers);
        model_close(&model);
    }
    backend_cpu()->close(device);
}

static void random_models_use_the_types_that_files_use(void **state) {
    (void)state;
    struct device *device = open_device();
    struct model model = make_model(&gpt_oss, DTYPE_MXFP4, device);
    assert_int_equal(model.layers[0].q.type, DTYPE_Q8_0);
    assert_int_equal(model.layers[0].expert_gate.type, DTYPE_MXFP4);
    assert_int_equal(model.layers[0].router.type, DTYPE_F32);
    assert_int_equal(model.main_type, DTYPE_MXFP4);
    model_close(&model);
    model = make_model(&gpt_oss, DTYPE_Q4_K, device); // of rows of 64 and 32
    assert_int_equal(dtype_block_elements(model.layers[1].q.type), 32);
    assert_true(dtype_row_bytes(model.layers[1].q.type, 256) >= dtype_row_bytes(DTYPE_Q4_K, 256));
    model_close(&model);
    model = make_model(&gpt_oss, DTYPE_Q6_K, device);
    assert_int_equal(model.layers[1].expert_down.type, DTYPE_Q8_0);
    model_close(&model);
    backend_cpu()->close(device);
}

static void a_random_mixture_has_all_tensors_of_its_family(void **state) {
    (void)state;
    struct device *device = open_device();
    struct model model = make_model(&gpt_oss, DTYPE_Q8_0, device);
    const struct layer *layer = &model.layers[1];
    assert_true(layer->sinks && layer->o_bias && layer->router_bias && layer->expert_down.bias);
    assert_int_equal(model.config.specs[0].attention.window, 8);
    assert_int_equal(model.config.specs[1].attention.window, 0);
    model_close(&model);
    model = make_model(&gemma4, DTYPE_Q8_0, device);
    layer = &model.layers[1];
    assert_true(layer->router_norm && layer->expert_norm && layer->dense_post_norm && model.ones);
    assert_true(layer->gate.data && layer->expert_gate.data && !layer->v.data);
    assert_int_equal(model.config.specs[0].attention.head_size, 8);
    assert_true(model.layers[0].v.data != NULL);
    model_close(&model);
    model = make_model(&hybrid, DTYPE_Q8_0, device);
    layer = &model.layers[0];
    assert_true(layer->conv && layer->decay && layer->skip && layer->o_norm && layer->up.data);
    assert_int_equal(model.config.specs[0].mixer, MIXER_RECURRENCE);
    assert_int_equal(model.config.specs[1].mixer, MIXER_ATTENTION);
    assert_true(model.layers[1].k.data && model.config.specs[1].attention.no_rope);
    model_close(&model);
    backend_cpu()->close(device);
}

// Of 8 experts 2 are chosen: one row reads 2, many rows all.
static void step_bytes_count_the_experts_that_rows_choose(void **state) {
    (void)state;
    struct device *device = open_device();
    struct model model = make_model(&qwen3moe, DTYPE_Q8_0, device);
    size_t expert = 0;
    for (int i = 0; i < 2; i++)
        expert += expert_bytes(&model.layers[i].expert_gate) +
                  expert_bytes(&model.layers[i].expert_up) +
                  expert_bytes(&model.layers[i].expert_down);
    const size_t all = model.weight_bytes - weight_bytes(&model.embedding);
    assert_int_equal(model_step_bytes(&model, 1), all - 6 * expert);
    const size_t two = model_step_bytes(&model, 2); // 8 (1 - (6/8)^2) = 3.5
    assert_int_equal(two, all - 4 * expert - expert / 2);
    assert_true(all - model_step_bytes(&model, 200) < 10);
    assert_false(model_step_bytes_vary(&model, 1));
    assert_true(model_step_bytes_vary(&model, 2));
    model.config.specs[0].ffn.experts_used = 8; // all of them, so nothing is left to chance
    assert_true(model_step_bytes_vary(&model, 2));
    model.config.specs[1].ffn.experts_used = 8;
    assert_false(model_step_bytes_vary(&model, 2));
    model_close(&model);
    backend_cpu()->close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_shapes_have_the_published_parameter_counts),
        cmocka_unit_test(the_predicted_bytes_equal_those_allocated),
        cmocka_unit_test(random_models_use_the_types_that_files_use),
        cmocka_unit_test(a_random_mixture_has_all_tensors_of_its_family),
        cmocka_unit_test(step_bytes_count_the_experts_that_rows_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
