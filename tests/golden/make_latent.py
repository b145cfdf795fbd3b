#!/usr/bin/env python3
"""tests/golden/make_latent.py — tiny random models with latent attention, and what they say.

usage: make_latent.py OUTDIR [NAME...]      (the standard library alone; some minutes)

The same way as make_mixtures.py, whose feed-forwards these models have. Attention is the published
one: each head's keys and values are made from the compressed row before they are compared, so that
nothing here multiplies queries or results by those matrices instead.
"""
import math

import make_families as families
import make_mixtures as mixtures
from make_families import TYPE_BF16, U32, Dice, config, dot, pack_bf16, softmax, times
from make_gemma4 import tokenizer_keys

families.NAMES += [("self_attn.q_a_proj.", "attn_q_a."),
                   ("self_attn.q_a_layernorm.", "attn_q_a_norm."),
                   ("self_attn.q_b_proj.", "attn_q_b."),
                   ("self_attn.kv_a_proj_with_mqa.", "attn_kv_a_mqa."),
                   ("self_attn.kv_a_layernorm.", "attn_kv_a_norm."),
                   ("self_attn.kv_b_proj.", "attn_kv_b.")]
families.SIDE_BY_SIDE += ("deepseek_v2", "deepseek_v3", "mistral4")
families.ARCHITECTURES.update(deepseek_v2="deepseek2", deepseek_v3="deepseek2")
mixtures.UNBIASED += ("deepseek_v2", "mistral4")
mixtures.SOFTMAX += ("deepseek_v2", "mistral4")


def yarn(mscale):
    return dict(rope_type="yarn", factor=8.0, beta_fast=32.0, beta_slow=1.0, mscale=mscale,
                mscale_all_dim=mscale, original_max_position_embeddings=64)


SIZES = dict(head_dim=8, qk_rope_head_dim=8, num_key_value_heads=4, kv_lora_rank=32,
             n_routed_experts=8, moe_intermediate_size=32, first_k_dense_replace=1)
MODELS = [
    dict(name="deepseek2", lengths=(1, 9, 17),
         config=config("deepseek_v3", **SIZES, qk_nope_head_dim=16, v_head_dim=24, q_lora_rank=24,
                       rope_scaling=yarn(1.0), n_shared_experts=1, num_experts_per_tok=3,
                       routed_scaling_factor=2.5, norm_topk_prob=True, n_group=4, topk_group=2,
                       topk_method="noaux_tc", scoring_func="sigmoid",
                       num_nextn_predict_layers=1)),
    # As files were written first, with the matrices of keys and values as one.
    dict(name="deepseek2-lite", folder=True, whole=True, lengths=(1, 9, 17),
         config=config("deepseek_v2", **SIZES, qk_nope_head_dim=24, v_head_dim=16, q_lora_rank=None,
                       rope_scaling=yarn(0.707), n_shared_experts=2, num_experts_per_tok=2,
                       routed_scaling_factor=1.0, norm_topk_prob=False, n_group=1, topk_group=1,
                       topk_method="greedy", scoring_func="softmax", num_hidden_layers=2,
                       moe_layer_freq=1, aux_loss_alpha=0.001, seq_aux=True, ep_size=1)),
    dict(name="deepseek2-v2", folder=True, whole=True, lengths=(1, 9, 17),
         config=config("deepseek_v2", **SIZES, qk_nope_head_dim=24, v_head_dim=16, q_lora_rank=24,
                       rope_scaling=yarn(0.707), n_shared_experts=2, num_experts_per_tok=4,
                       routed_scaling_factor=2.0, norm_topk_prob=False, n_group=4, topk_group=2,
                       topk_method="group_limited_greedy", scoring_func="softmax",
                       num_hidden_layers=2)),
    # Queries grow with their positions, from the 16th on.
    dict(name="mistral4", folder=True, lengths=(1, 9, 17),
         config=config("mistral4", **dict(SIZES, first_k_dense_replace=0), qk_nope_head_dim=16,
                       v_head_dim=24, q_lora_rank=24, n_shared_experts=1, num_experts_per_tok=2,
                       rope_scaling=dict(yarn(1.0), llama_4_scaling_beta=0.6,
                                         original_max_position_embeddings=16),
                       routed_scaling_factor=1.0, norm_topk_prob=True, n_group=1, topk_group=1,
                       num_hidden_layers=2)),
    dict(name="minicpm3", whole=True, lengths=(1, 17, 40),
         config=config("minicpm3", head_dim=8, qk_rope_head_dim=8, qk_nope_head_dim=16,
                       num_key_value_heads=4, kv_lora_rank=32, v_head_dim=8, q_lora_rank=24,
                       rope_scaling=None, num_hidden_layers=2, first_k_dense_replace=2,
                       embedding_multiplier=12.0, residual_multiplier=1.4 / math.sqrt(2),
                       logit_scale=256 / 32, logits_scaling=1.0)),
]
NO_YARN = dict(factor=1.0, mscale_all_dim=1.0, original_max_position_embeddings=512)
mixtures.SOFTMAX += ("minicpm3",)
mixtures.UNBIASED += ("minicpm3",)
mixtures.PUBLISHED["mistral4"] = ([], dict(
    rope_scaling=None, rope_theta=None, rope_interleave=True, attention_bias=False,
    head_dim=24, rope_parameters=dict(MODELS[-2]["config"]["rope_scaling"], type="yarn",
                                      rope_theta=10000.0, max_position_embeddings=512,
                                      partial_rotary_factor=8 / 24)))


def sizes_of(c):
    return (c["num_attention_heads"], c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"],
            c["kv_lora_rank"])


def make_weights(spec, seed):
    c, dice, w = spec["config"], Dice(seed + 900), mixtures.make_weights(spec, seed)
    heads, plain, rotated, value, rank = sizes_of(c)
    dim, q_rank, out = c["hidden_size"], c["q_lora_rank"], {}

    def matrix(name, rows, columns):
        out[name] = dice.matrix(rows, columns, 1.4 / math.sqrt(columns))

    def norm(name, count):
        out[name] = [max(v, 0.25) for v in dice.vector(count, 1.0, 0.3)]

    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}.self_attn."
        for part in "qkvo":
            del w[f"{p}{part}_proj.weight"]
        if q_rank:
            matrix(p + "q_a_proj.weight", q_rank, dim)
            norm(p + "q_a_layernorm.weight", q_rank)
        matrix(p + ("q_b_proj.weight" if q_rank else "q_proj.weight"), heads * (plain + rotated),
               q_rank or dim)
        matrix(p + "kv_a_proj_with_mqa.weight", rank + rotated, dim)
        norm(p + "kv_a_layernorm.weight", rank)
        matrix(p + "kv_b_proj.weight", heads * (plain + value), rank)
        matrix(p + "o_proj.weight", dim, heads * value)
    return dict(w, **out)


class Model(mixtures.Model):
    def frequencies(self, layer):
        return super().frequencies(layer)[0], 1.0  # what YaRN adds is in the scores' scale

    def attend(self, layer, x):
        c, w, p = self.c, self.w, f"model.layers.{layer}.self_attn."
        heads, plain, rotated, value, rank = sizes_of(c)
        if c["q_lora_rank"]:
            q = times(w[p + "q_b_proj.weight"],
                      self.norm(p + "q_a_layernorm.weight", times(w[p + "q_a_proj.weight"], x)))
        else:
            q = times(w[p + "q_proj.weight"], x)
        row = times(w[p + "kv_a_proj_with_mqa.weight"], x)
        kv = times(w[p + "kv_b_proj.weight"], self.norm(p + "kv_a_layernorm.weight", row[:rank]))
        keys, values = self.past[layer]
        position, size, both = len(keys), plain + rotated, plain + value
        turned = self.rotate(row[rank:], position, layer)
        keys.append([kv[h * both:h * both + plain] + turned for h in range(heads)])
        values.append([kv[h * both + plain:(h + 1) * both] for h in range(heads)])
        scaling = c["rope_scaling"] or NO_YARN
        scale = (0.1 * scaling["mscale_all_dim"] * math.log(scaling["factor"]) + 1) ** 2
        length, out = scaling["original_max_position_embeddings"], []
        scale *= 1 + scaling.get("llama_4_scaling_beta", 0) * math.log(1 + position // length)
        for h in range(heads):
            head = q[h * size:(h + 1) * size]
            head = head[:plain] + self.rotate(head[plain:], position, layer)
            shares = softmax([dot(head, key[h]) * scale / math.sqrt(size) for key in keys])
            out += [dot(shares, column) for column in zip(*(v[h] for v in values))]
        return times(w[p + "o_proj.weight"], out)


def keys_of(spec):
    c, keys = spec["config"], mixtures.keys_of(spec)
    heads, plain, rotated, value, rank = sizes_of(c)
    whole = spec.get("whole", False)
    changed = {"attention.head_count_kv": heads if whole else 1,
               "attention.key_length": plain + rotated if whole else rank + rotated,
               "attention.value_length": value if whole else rank,
               "rope.scaling.yarn_log_multiplier":
               0.1 * (c["rope_scaling"] or NO_YARN)["mscale_all_dim"]}
    keys = [(key, kind, changed.get(key.partition(".")[2], old)) for key, kind, old in keys]
    more = [("attention.kv_lora_rank", rank), ("rope.dimension_count", rotated),
            ("attention.q_lora_rank", c["q_lora_rank"]),
            ("attention.key_length_mla", None if whole else plain + rotated),
            ("attention.value_length_mla", None if whole else value)]
    if c["model_type"] == "minicpm3":  # whose files leave it to be known
        unsaid = ("embedding_scale", "residual_scale", "logit_scale", "value_length")
        keys = [key for key in keys if not key[0].endswith(unsaid)]
    if "llama_4_scaling_beta" in (c["rope_scaling"] or {}):
        more.append(("attention.temperature_length",
                     c["rope_scaling"]["original_max_position_embeddings"]))
    arch = families.ARCHITECTURES.get(c["model_type"], c["model_type"])
    keys += [(f"{arch}.{key}", U32, new) for key, new in more if new]
    return keys + ([] if spec.get("whole") else tokenizer_keys())


def tensors_of(spec, weights):
    heads, plain, _, value, _ = sizes_of(spec["config"])
    tensors = mixtures.tensors_of(spec, weights)
    if spec.get("whole"):
        return tensors
    out = [tensor for tensor in tensors if "attn_kv_b" not in tensor[0]]
    for layer in range(spec["config"]["num_hidden_layers"]):
        rows = weights[f"model.layers.{layer}.self_attn.kv_b_proj.weight"]
        both = [rows[h * (plain + value):(h + 1) * (plain + value)] for h in range(heads)]
        for name, parts in (("attn_k_b", [list(zip(*head[:plain])) for head in both]),
                            ("attn_v_b", [head[plain:] for head in both])):
            shape = (heads, len(parts[0]), len(parts[0][0]))
            out.append((f"blk.{layer}.{name}.weight", shape, TYPE_BF16,
                        b"".join(pack_bf16(row) for part in parts for row in part)))
    return out


class Maker:
    weights, model, keys, tensors = make_weights, Model, keys_of, tensors_of
    folder = mixtures.write_folder


if __name__ == "__main__":
    families.make_all(__doc__, MODELS, 90000, Maker)
