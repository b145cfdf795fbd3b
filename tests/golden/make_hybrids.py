#!/usr/bin/env python3
"""tests/golden/make_hybrids.py — tiny random models whose layers do not all attend, and what they say.

usage: make_hybrids.py OUTDIR [NAME...]      (the standard library alone; some minutes)

The same way as make_families.py, whose arithmetic and writers these models use: an implementation
of its own in double precision and plain loops, one token after the other. LFM2 has gated short
convolutions in all layers but those of full_attn_idxs. Files have Gemma 4's small vocabulary, so that
conversations can be held with them.
"""
import math

import make_families as families
import make_mixtures as mixtures
from make_families import TYPE_F32, U32, Dice, config, times
from make_gemma4 import tokenizer_keys

HYBRIDS = ("lfm2", "lfm2_moe")
MODELS = [
    dict(name="lfm2", folder=True, lengths=(1, 17, 67),
         config=config("lfm2", num_hidden_layers=5, full_attn_idxs=[2, 4], conv_L_cache=3,
                       rope_theta=1000000.0, tie_word_embeddings=True)),
    dict(name="lfm2moe", folder=True, lengths=(1, 9, 17),
         config=config("lfm2_moe", num_hidden_layers=3, full_attn_idxs=[1], conv_L_cache=4,
                       rope_theta=1000000.0, n_routed_experts=6, num_experts_per_tok=2,
                       moe_intermediate_size=32, first_k_dense_replace=1, norm_topk_prob=True)),
]
families.HEAD_NORMED += HYBRIDS
families.ARCHITECTURES.update(lfm2_moe="lfm2moe")
families.NAMES += [(f"conv.{part}.", f"shortconv.{part}.") for part in ("in_proj", "conv", "out_proj")]


def convolves(c, layer):
    return layer not in c["full_attn_idxs"]


def base_of(spec):
    return mixtures if "n_routed_experts" in spec["config"] else families


def make_weights(spec, seed):
    c, dice, w = spec["config"], Dice(seed + 700), base_of(spec).make_weights(spec, seed)
    dim = c["hidden_size"]
    for layer in filter(lambda i: convolves(c, i), range(c["num_hidden_layers"])):
        p = f"model.layers.{layer}."
        for name in [name for name in w if name.startswith(p + "self_attn.")]:
            del w[name]
        w[p + "conv.in_proj.weight"] = dice.matrix(3 * dim, dim, 1.4 / math.sqrt(dim))
        w[p + "conv.conv.weight"] = dice.matrix(dim, c["conv_L_cache"], 1.0)
        w[p + "conv.out_proj.weight"] = dice.matrix(dim, dim, 2.0 / math.sqrt(dim))
    return w


class Convolving:
    """What b gates comes to the convolution, and c gates what it makes of the last few."""

    def attend(self, layer, x):
        if not convolves(self.c, layer):
            return super().attend(layer, x)
        w, p, dim = self.w, f"model.layers.{layer}.conv.", len(x)
        rows = times(w[p + "in_proj.weight"], x)
        b, c, x = rows[:dim], rows[dim:2 * dim], rows[2 * dim:]
        past = self.past[layer][0]
        past.append([u * v for u, v in zip(b, x)])
        seen = past[-self.c["conv_L_cache"]:]
        taps = [kernel[len(kernel) - len(seen):] for kernel in w[p + "conv.weight"]]
        y = [sum(k * u[i] for k, u in zip(kernel, seen)) for i, kernel in enumerate(taps)]
        return times(w[p + "out_proj.weight"], [u * v for u, v in zip(c, y)])


class Model(Convolving, families.Model):
    pass


class Mixture(Convolving, mixtures.Model):
    pass


def make_model(spec, weights):
    return (Mixture if base_of(spec) is mixtures else Model)(spec, weights)


def keys_of(spec):
    c, keys = spec["config"], base_of(spec).keys_of(spec)
    arch = families.ARCHITECTURES.get(c["model_type"], c["model_type"])
    heads = [0 if convolves(c, i) else c["num_key_value_heads"]
             for i in range(c["num_hidden_layers"])]
    keys = [(key, kind, heads if key.endswith(".head_count_kv") else value)
            for key, kind, value in keys]
    return keys + [(f"{arch}.shortconv.l_cache", U32, c["conv_L_cache"])] + tokenizer_keys()


def tensors_of(spec, weights):
    tensors = []
    for name, shape, kind, content in base_of(spec).tensors_of(spec, weights):
        if ".shortconv.conv." in name:  # of fp32 in files, as all that is small
            kind, content = TYPE_F32, b"".join(
                b"\0\0" + content[i:i + 2] for i in range(0, len(content), 2))
        name = name.replace("output_norm.", "token_embd_norm.")
        tensors.append((name, shape, kind, content))
    return tensors


THEIRS = [("model.norm.", "model.embedding_norm."), ("input_layernorm", "operator_norm"),
          ("post_attention_layernorm", "ffn_norm"), ("self_attn.o_proj", "self_attn.out_proj"),
          ("q_norm", "q_layernorm"), ("k_norm", "k_layernorm"), ("mlp.gate_proj", "feed_forward.w1"),
          ("mlp.up_proj", "feed_forward.w3"), ("mlp.down_proj", "feed_forward.w2"),
          ("mlp.gate.e_score_correction_bias", "feed_forward.expert_bias"),
          ("mlp.", "feed_forward.")] + mixtures.PARTS


def write_folder(path, spec, weights):
    """In the words of the family's own config.json, whose width is what is asked for."""
    c, theirs = dict(spec["config"]), {}
    for name, value in weights.items():
        for ours, other in THEIRS:
            name = name.replace(ours, other)
        theirs[name] = [[row] for row in value] if name.endswith("conv.conv.weight") else value
    c["norm_eps"], c["tie_embedding"] = c.pop("rms_norm_eps"), c.pop("tie_word_embeddings")
    if base_of(spec) is mixtures:
        c["num_experts"], c["num_dense_layers"] = c.pop("n_routed_experts"), c.pop("first_k_dense_replace")
        del c["full_attn_idxs"]
        c.update(use_expert_bias=True, conv_bias=False, routed_scaling_factor=1.0, layer_types=[
            "conv" if convolves(spec["config"], i) else "full_attention"
            for i in range(c["num_hidden_layers"])])
        return families.write_folder(path, dict(spec, config=c), theirs)
    c["block_ff_dim"] = c.pop("intermediate_size") * 3 // 2
    c.update(block_auto_adjust_ff_dim=True, block_multiple_of=16, block_ffn_dim_multiplier=1.0,
             block_use_swiglu=True, conv_bias=False, conv_dim=c["hidden_size"], use_pos_enc=True)
    families.write_folder(path, dict(spec, config=c), theirs)


class Maker:
    folder = write_folder
    weights, model, keys, tensors = make_weights, make_model, keys_of, tensors_of


if __name__ == "__main__":
    families.make_all(__doc__, MODELS, 90000, Maker)
