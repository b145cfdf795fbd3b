#!/usr/bin/env python3
"""tests/golden/make_folders.py — folders as transformers writes them, and what its models say.

usage: make_folders.py OUTDIR [NAME...]      (needs torch and transformers; no network)

For each family of the table that this transformers knows it writes OUTDIR/NAME.hf, a tiny random
model saved by save_pretrained(), and OUTDIR/NAME.golden (make_golden.py says its format) with the
logits after each token of one prompt and a greedy continuation, whose ids are no near ties.
QUIRE_FOLDER=OUTDIR/NAME golden_test_golden compares one of them with what quire makes of the
folder. A family that fails is named, and the others go on.

Every number is random that a file has, or else a model of the library's own small weights would
hardly attend at all, and answer the same with any rotation.
"""
import copy
import inspect
import os
import struct
import sys
import warnings

import torch
import transformers

LENGTH, VOCABULARY, ORIGINAL = 48, 96, 32
CONTINUATION = 16
CLEAR_MARGIN = 0.03  # between the best and the second logit, at every greedy step
KEPT = (".beta", ".eps")  # constants of an activation, which files have as they are

PLAIN = dict(vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=4,
             num_attention_heads=4, num_key_value_heads=2, head_dim=16,
             max_position_embeddings=512, pad_token_id=0, bos_token_id=1, eos_token_id=2)


def rope(kind="default", theta=10000.0, **more):
    return dict(rope_parameters=dict(rope_type=kind, rope_theta=theta, **more))


def stretched(kind, **more):
    return rope(kind, **dict(dict(factor=8.0, original_max_position_embeddings=ORIGINAL), **more))


def windows(letters, width=16, **more):
    names = {"s": "sliding_attention", "f": "full_attention"}
    return dict(sliding_window=width, layer_types=[names[c] for c in letters], **more)


def by_layers(full, sliding=dict(rope_type="default", rope_theta=10000.0)):
    return dict(rope_parameters=dict(full_attention=full, sliding_attention=sliding))


LLAMA3 = stretched("llama3", low_freq_factor=1.0, high_freq_factor=4.0)
YARN = stretched("yarn", beta_fast=32.0, beta_slow=1.0)
PARTLY = dict(rope_type="default", rope_theta=50000.0, partial_rotary_factor=0.5)
GLOBAL = dict(rope_type="default", rope_theta=1000000.0)
MROPE = rope("default", mrope_section=[1, 1, 2])
MIXTURE = dict(moe_intermediate_size=32, num_experts_per_tok=2)
ROUTED = dict(MIXTURE, n_routed_experts=8, n_shared_experts=1, first_k_dense_replace=1, n_group=4,
              topk_group=2, routed_scaling_factor=2.5, norm_topk_prob=True)
SIGMOID = dict(MIXTURE, num_experts=8, num_shared_experts=1, n_group=1, topk_group=1)
LATENT = dict(ROUTED, kv_lora_rank=32, q_lora_rank=24, qk_rope_head_dim=8, qk_nope_head_dim=16,
              v_head_dim=24, num_key_value_heads=4, head_dim=8)
GEMMA4 = dict(global_head_dim=16, head_dim=8, num_global_key_value_heads=1,
              vocab_size_per_layer_input=VOCABULARY, final_logit_softcapping=6.0,
              **by_layers(dict(rope_type="proportional", partial_rotary_factor=0.25,
                               rope_theta=1000000.0)))
EYES = dict(depth=1, hidden_size=16, intermediate_size=16, num_heads=2, out_hidden_size=32)
SIGLIP = dict(hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
              image_size=28, patch_size=14)

SHARED = dict(MIXTURE, num_experts=8, shared_expert_intermediate_size=48)
DELTA = dict(linear_conv_kernel_dim=4, linear_key_head_dim=8, linear_value_head_dim=8,
             linear_num_key_heads=2, linear_num_value_heads=4,
             layer_types=["linear_attention", "full_attention"] * 2)
QUARTER = rope("default", partial_rotary_factor=0.25)
SEEN_QUARTER = rope("default", partial_rotary_factor=0.25, mrope_section=[1, 1, 0],
                    mrope_interleaved=True)
GRANITE_H = dict(mamba_n_heads=4, mamba_d_head=16, mamba_n_groups=1, mamba_d_state=24,
                 mamba_d_conv=4, mamba_expand=2, shared_intermediate_size=48,
                 embedding_multiplier=6.0, residual_multiplier=0.5, attention_multiplier=0.25,
                 logits_scaling=2.0, layer_types=["mamba", "mamba", "attention", "mamba"])
FALCON_H1 = dict(head_dim=16, mamba_d_ssm=48, mamba_n_heads=4, mamba_d_head=12, mamba_n_groups=1,
                 mamba_d_state=24, mamba_d_conv=4, mamba_norm_before_gate=False,
                 embedding_multiplier=1.7, lm_head_multiplier=0.6, attention_in_multiplier=1.2,
                 attention_out_multiplier=0.9, key_multiplier=0.4, ssm_in_multiplier=1.25,
                 ssm_out_multiplier=0.7, mlp_multipliers=[0.9, 0.6],
                 ssm_multipliers=[0.35, 0.25, 1.35, 0.5, 0.8])
# The library's plain loops keep steps above time_step_min, as nobody's kernels do.
NEMOTRON_H = dict(mamba_num_heads=4, mamba_head_dim=16, ssm_state_size=24, n_groups=2,
                  conv_kernel=4, time_step_min=1e-6)

# Name, model_type, what it changes; `text` is of a model that also sees.
MODELS = [
    ("llama", "llama", LLAMA3),
    ("llama-biased", "llama", dict(attention_bias=True, mlp_bias=True, tie_word_embeddings=True)),
    ("mistral", "mistral", dict(sliding_window=16)),
    ("mixtral", "mixtral", dict(num_local_experts=4, num_experts_per_tok=2)),
    ("qwen2", "qwen2", YARN),
    ("qwen3", "qwen3", YARN),
    ("qwen3-moe", "qwen3_moe", dict(MIXTURE, num_experts=8, norm_topk_prob=True)),
    ("gemma", "gemma", {}),
    ("gemma2", "gemma2", windows("sfsf", query_pre_attn_scalar=8, attn_logit_softcapping=5.0,
                                 final_logit_softcapping=6.0)),
    ("gemma3", "gemma3_text", dict(windows("ssfs", query_pre_attn_scalar=8), **by_layers(
        dict(rope_type="linear", rope_theta=1000000.0, factor=8.0)))),
    ("gemma4", "gemma4_text", dict(GEMMA4, **windows("ssfssf", num_hidden_layers=6),
                                   attention_k_eq_v=True, hidden_size_per_layer_input=0,
                                   num_kv_shared_layers=0)),
    ("gemma4-e", "gemma4_text", dict(GEMMA4, **windows("ssfssf", num_hidden_layers=6),
                                     num_kv_shared_layers=3, hidden_size_per_layer_input=8,
                                     use_double_wide_mlp=True)),
    ("gemma4-moe", "gemma4_text", dict(GEMMA4, **windows("ssf", num_hidden_layers=3),
                                       enable_moe_block=True, num_experts=4, top_k_experts=2,
                                       moe_intermediate_size=32, hidden_size_per_layer_input=0)),
    ("phi3", "phi3", dict(rope("default", partial_rotary_factor=0.5), sliding_window=16)),
    ("phi3-long", "phi3", dict(rope("longrope", short_factor=[1.0, 1.1, 1.3, 1.7],
                                    long_factor=[1.0, 2.0, 5.0, 9.0],
                                    original_max_position_embeddings=ORIGINAL),
                               original_max_position_embeddings=ORIGINAL)),
    ("smollm3", "smollm3", dict(no_rope_layers=[1, 1, 1, 0])),
    ("olmo2", "olmo2", {}),
    ("olmo3", "olmo3", dict(by_layers(YARN["rope_parameters"]), **windows("sssf"))),
    ("olmoe", "olmoe", dict(num_experts=8, num_experts_per_tok=3, norm_topk_prob=False)),
    ("granite", "granite", dict(embedding_multiplier=12.0, residual_multiplier=0.22,
                                attention_multiplier=0.2, logits_scaling=4.0)),
    ("granitemoe", "granitemoe", dict(embedding_multiplier=6.0, residual_multiplier=0.5,
                                      attention_multiplier=0.25, logits_scaling=2.0,
                                      num_local_experts=5, num_experts_per_tok=3)),
    ("gpt-oss", "gpt_oss", dict(stretched("yarn", truncate=False), **windows("sfsf"),
                                num_local_experts=4, num_experts_per_tok=2)),
    ("seed-oss", "seed_oss", dict(attention_bias=True, attention_out_bias=False)),
    ("ernie4_5", "ernie4_5", dict(use_bias=False)),
    ("ernie4_5-moe", "ernie4_5_moe", dict(moe_num_experts=6, moe_k=2, moe_intermediate_size=32,
                                          moe_num_shared_experts=2, moe_layer_start_index=1,
                                          moe_layer_end_index=3, moe_layer_interval=1)),
    ("exaone4", "exaone4", dict(LLAMA3, **windows("sssf"), sliding_window_pattern="LLLG")),
    ("glm4", "glm4", dict(rope("default", partial_rotary_factor=0.5), attention_bias=True)),
    ("glm4-moe", "glm4_moe", dict(ROUTED, **rope("default", partial_rotary_factor=0.5),
                                  attention_bias=True, use_qk_norm=True)),
    ("glm4-moe-lite", "glm4_moe_lite", LATENT),
    ("dots1", "dots1", ROUTED),
    ("deepseek-v2", "deepseek_v2", dict(LATENT, topk_method="group_limited_greedy",
                                        norm_topk_prob=False)),
    ("deepseek-v2-lite", "deepseek_v2", dict(LATENT, topk_method="greedy", q_lora_rank=None,
                                             n_group=1, topk_group=1, norm_topk_prob=False)),
    ("deepseek-v3", "deepseek_v3", dict(LATENT, **stretched(
        "yarn", beta_fast=32.0, beta_slow=1.0, mscale=1.0, mscale_all_dim=1.0))),
    ("arcee", "arcee", YARN),
    ("ministral3", "ministral3", stretched(
        "yarn", beta_fast=32.0, beta_slow=1.0, mscale=1.0, mscale_all_dim=1.0,
        llama_4_scaling_beta=0.1, original_max_position_embeddings=64)),
    ("command-r", "cohere", dict(logit_scale=0.5, use_qk_norm=False)),
    ("cohere2", "cohere2", windows("sssf", logit_scale=0.25)),
    ("lfm2", "lfm2", dict(layer_types=["conv", "conv", "full_attention", "conv"],
                          block_multiple_of=16)),
    ("lfm2-moe", "lfm2_moe", dict(MIXTURE, layer_types=["conv", "conv", "full_attention", "conv"],
                                  num_experts=6, num_dense_layers=1, norm_topk_prob=True,
                                  use_expert_bias=True, routed_scaling_factor=1.5)),
    ("qwen3-next", "qwen3_next", dict(DELTA, **SHARED, **QUARTER, norm_topk_prob=True)),
    ("qwen3_5", "qwen3_5_text", dict(DELTA, **SEEN_QUARTER)),
    ("qwen3_5-moe", "qwen3_5_moe_text", dict(DELTA, **SHARED, **SEEN_QUARTER)),
    ("granite-h", "granitemoehybrid", dict(GRANITE_H, num_local_experts=0,
                                           position_embedding_type="rope")),
    ("granite-h-moe", "granitemoehybrid", dict(GRANITE_H, num_local_experts=5,
                                               num_experts_per_tok=3)),
    ("falcon-h1", "falcon_h1", dict(FALCON_H1, mamba_rms_norm=False)),
    ("falcon-h1-normed", "falcon_h1", dict(FALCON_H1, mamba_rms_norm=True)),
    ("nemotron-h", "nemotron_h", dict(NEMOTRON_H, hybrid_override_pattern="M-M*-M")),
    ("nemotron-h-moe", "nemotron_h", dict(
        NEMOTRON_H, hybrid_override_pattern="ME*E", n_routed_experts=8, n_shared_experts=1,
        num_experts_per_tok=3, n_group=4, topk_group=2, moe_intermediate_size=32,
        moe_shared_expert_intermediate_size=48, routed_scaling_factor=2.5, norm_topk_prob=True)),
    ("apertus", "apertus", LLAMA3),
    ("llama4", "llama4_text", dict(num_local_experts=4, num_experts_per_tok=1,
                                   intermediate_size_mlp=48, interleave_moe_layer_step=2,
                                   attention_chunk_size=16, floor_scale=8, attn_scale=0.1,
                                   attn_temperature_tuning=True, no_rope_layers=[1, 1, 1, 0])),
    ("gemma3n", "gemma3n_text", dict(windows("ssfssf", num_hidden_layers=6),
                                     **by_layers(GLOBAL), num_kv_shared_layers=2,
                                     hidden_size_per_layer_input=8, laurel_rank=8,
                                     vocab_size_per_layer_input=VOCABULARY,
                                     intermediate_size=[64] * 6,
                                     activation_sparsity_pattern=[0.95, 0.95, 0.0, 0.0, 0.0, 0.0])),
    ("minimax-m2", "minimax_m2", dict(rope("default", partial_rotary_factor=0.5),
                                      num_local_experts=8, num_experts_per_tok=2,
                                      intermediate_size=32)),
    ("hunyuan-dense", "hunyuan_v1_dense", {}),
    ("hunyuan-moe", "hunyuan_v1_moe", dict(num_experts=6, moe_topk=2)),
    ("qwen2-moe", "qwen2_moe", dict(SHARED, norm_topk_prob=False, decoder_sparse_step=1)),
    ("afmoe", "afmoe", dict(SIGMOID, **windows("sssf"), num_dense_layers=1, route_norm=True,
                            route_scale=1.5, score_func="sigmoid", mup_enabled=True,
                            global_attn_every_n_layers=4)),
    ("exaone-moe", "exaone_moe", dict(SIGMOID, **windows("sssf"), first_k_dense_replace=1,
                                      sliding_window_pattern="LLLG", norm_topk_prob=True,
                                      routed_scaling_factor=1.5,
                                      mlp_layer_types=["dense"] + ["sparse"] * 3)),
    ("hy-v3", "hy_v3", dict(SIGMOID, route_norm=True, router_scaling_factor=1.5,
                            first_k_dense_replace=1)),
    ("laguna", "laguna", dict(MIXTURE, num_experts=8, shared_expert_intermediate_size=32,
                              gating="per-head", moe_routed_scaling_factor=1.5,
                              num_attention_heads_per_layer=[4, 6, 6, 6],
                              mlp_layer_types=["dense"] + ["sparse"] * 3, sliding_window=16,
                              layer_types=["full_attention"] + ["sliding_attention"] * 3,
                              **by_layers(dict(YARN["rope_parameters"],
                                               partial_rotary_factor=0.5)))),
    ("starcoder2", "starcoder2", dict(sliding_window=16)),
    ("phi", "phi", rope("default", partial_rotary_factor=0.5)),
    ("phimoe", "phimoe", dict(num_local_experts=6, num_experts_per_tok=2, attention_bias=True,
                              lm_head_bias=True)),
    ("cohere2-moe", "cohere2_moe", dict(MIXTURE, **windows("sssf"), logit_scale=0.25,
                                        num_experts=8, num_shared_experts=1,
                                        first_k_dense_replace=1, norm_topk_prob=True)),
    ("mellum", "mellum", dict(MIXTURE, **windows("sf", num_hidden_layers=2), num_experts=6)),
    ("granite-swa", "granite_swa", windows("ssf", num_hidden_layers=3)),
    ("mimo-v2", "mimo_v2_flash", dict(MIXTURE, **windows("fssf"), n_routed_experts=8, v_head_dim=8,
                                      attention_value_scale=0.7, routed_scaling_factor=1.5,
                                      norm_topk_prob=True, **by_layers(PARTLY, PARTLY))),
    ("muse-glimmer", "muse_glimmer", dict(
        text=dict(windows("fsssf", num_hidden_layers=5), qk_scale_factor=3.0,
                  final_logit_softcapping=6.0, output_multiplier=0.4),
        out_hidden_size=64, projector_hidden_size=16, vision_config=dict(
            hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
            pos_emb_height=4, pos_emb_width=4, max_position_embeddings=16))),
    ("step3p7", "step3p7", dict(
        text=dict(MIXTURE, **windows("fssf"), n_routed_experts=8, share_expert_dim=48,
                  num_sliding_attention_heads=6, moe_router_scaling_factor=1.5,
                  mlp_layer_types=["dense", "sparse", "sparse", "sparse"],
                  swiglu_limits=[None, None, 0.5, 0.25],
                  swiglu_limits_shared=[None, 0.5, None, 0.25],
                  **by_layers(dict(LLAMA3["rope_parameters"], partial_rotary_factor=0.5),
                              dict(rope_type="default", rope_theta=20000.0))),
        vision_config=dict(SIGLIP, mlp_ratio=1.0))),
    ("qwen2-vl", "qwen2_vl", dict(text=MROPE, vision_config=dict(
        depth=1, embed_dim=16, num_heads=2, hidden_size=32))),
    ("qwen2_5-vl", "qwen2_5_vl", dict(text=MROPE, vision_config=dict(
        EYES, fullatt_block_indexes=[0]))),
    ("qwen3-vl", "qwen3_vl", dict(text=rope("default", mrope_section=[3, 3, 2],
                                            mrope_interleaved=True), vision_config=dict(
        EYES, deepstack_visual_indexes=[0], num_position_embeddings=16))),
    ("qwen3_5-sees", "qwen3_5", dict(text=dict(DELTA, **SEEN_QUARTER), vision_config=dict(
        EYES, num_position_embeddings=16))),
    ("qwen3_5-moe-sees", "qwen3_5_moe", dict(text=dict(DELTA, **SHARED, **SEEN_QUARTER),
                                             vision_config=dict(EYES, num_position_embeddings=16))),
    ("gemma3-sees", "gemma3", dict(text=dict(windows("ssfs"), **by_layers(GLOBAL)),
                                   vision_config=SIGLIP, mm_tokens_per_image=4)),
    ("mistral3-sees", "mistral3", dict(text=dict(model_type="ministral3"), vision_config=dict(
        SIGLIP, model_type="pixtral", head_dim=8))),
]


def known_by(config_class, values):
    """Without those that it would keep without having them."""
    names = set(inspect.signature(config_class.__init__).parameters)
    names |= set(getattr(config_class, "__dataclass_fields__", ()))
    return {key: value for key, value in values.items() if key in names}


def build(model_type, changes):
    config_class = type(transformers.AutoConfig.for_model(model_type))
    changes = copy.deepcopy(changes)  # the library writes into it
    text = changes.get("text")
    if text is None:
        values = dict(known_by(config_class, PLAIN), **changes)
        auto = transformers.AutoModelForCausalLM
    else:
        inner = config_class.sub_configs["text_config"]
        if inner is transformers.AutoConfig:
            inner = type(transformers.AutoConfig.for_model(text["model_type"]))
        changes["text_config"] = dict(known_by(inner, PLAIN), **changes.pop("text"))
        values, auto = changes, transformers.AutoModelForImageTextToText
    config = config_class(**values)
    return auto.from_config(config, attn_implementation="eager", dtype=torch.float32).eval()


def shake(model):
    seen = set()
    for name, tensor in model.state_dict().items():
        if not tensor.is_floating_point() or tensor.data_ptr() in seen or name.endswith(KEPT):
            continue
        seen.add(tensor.data_ptr())
        noise = torch.randn(tensor.shape)
        if tensor.dim() < 2:  # norms begin with what leaves a number as it is
            tensor += 0.3 * noise
        elif "embed_tokens" in name:
            tensor.copy_(0.5 * noise)
        else:
            tensor.copy_(1.4 * noise / tensor.shape[-1] ** 0.5)


def greedy(model, ids):
    """CONTINUATION ids, each the best after those before, and the smallest lead that one had."""
    lead = float("inf")
    for _ in range(CONTINUATION):
        best = model(input_ids=ids, use_cache=False).logits[0, -1].topk(2)
        lead = min(lead, float(best.values[0] - best.values[1]))
        ids = torch.cat([ids, best.indices[:1].view(1, 1)], dim=1)
    return ids[0, -CONTINUATION:], lead


def make(name, model_type, changes, folder):
    for seed in range(7, 71):
        torch.manual_seed(seed)
        model = build(model_type, changes)
        ids = torch.randint(3, VOCABULARY, (1, LENGTH))
        with torch.no_grad():
            shake(model)
            logits = model(input_ids=ids).logits[0].float().numpy()
            chosen, lead = greedy(model, ids)
        if lead >= CLEAR_MARGIN:
            break
    path = os.path.join(folder, name)
    model.save_pretrained(path + ".hf")
    with open(path + ".golden", "wb") as file:
        file.write(b"QGOLDEN1" + struct.pack("<5i", VOCABULARY, 1, LENGTH, LENGTH, CONTINUATION))
        file.write(ids.numpy().astype("<i4").tobytes() + logits.astype("<f4").tobytes())
        file.write(chosen.numpy().astype("<i4").tobytes())
    print(f"{name}: seed {seed}, largest logit {abs(logits).max():.2f}, smallest lead {lead:.3f}",
          flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    os.makedirs(sys.argv[1], exist_ok=True)
    failed = 0
    for name, model_type, changes in MODELS:
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        try:
            make(name, model_type, changes, sys.argv[1])
        except Exception as error:  # of the library, whose versions differ
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
