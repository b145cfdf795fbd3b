#!/usr/bin/env python3
"""tests/golden/make_mixtures.py — tiny random mixtures with DeepSeek's router, and what they say.

usage: make_mixtures.py OUTDIR [NAME...]      (the standard library alone; some minutes)

The same way as make_families.py, whose arithmetic and writers these models use: an implementation
of its own in double precision and plain loops, in the words of Hugging Face's config.json. Layers
have a dense feed-forward or experts, and maybe a shared one that every token asks; experts are
chosen by weight and bias, within the best groups, and their shares are the weights alone.
"""
import math

import make_families as families
from make_families import (BOOL, F32, ROUTER_GAIN, TYPE_BF16, U32, Dice, config, largest, pack_bf16,
                           sigmoid, silu, softmax, times)

families.SEEDS_TRIED = 200  # choices are seldom all clear
KEY_GAIN = 4  # a score's margin is that of a weight, which is next to its sigmoid, times this

MODELS = [
    dict(name="glm4moe", folder=True, lengths=(1, 9, 17),
         config=config("glm4_moe", head_dim=16, partial_rotary_factor=0.5, attention_bias=True,
                       use_qk_norm=False, n_routed_experts=6, num_experts_per_tok=2,
                       moe_intermediate_size=32, n_shared_experts=1, first_k_dense_replace=1,
                       routed_scaling_factor=1.5, norm_topk_prob=True, n_group=1, topk_group=1,
                       num_nextn_predict_layers=1)),
    dict(name="dots1", folder=True, lengths=(1, 9, 17),
         config=config("dots1", head_dim=16, num_hidden_layers=2, num_key_value_heads=4,
                       n_routed_experts=8, num_experts_per_tok=3, moe_intermediate_size=32,
                       n_shared_experts=2, first_k_dense_replace=1, routed_scaling_factor=0.7,
                       norm_topk_prob=False, n_group=4, topk_group=2, scoring_func="noaux_tc",
                       topk_method="noaux_tc")),
    dict(name="bailingmoe2", folder=True, lengths=(1, 9, 17),
         config=config("bailing_moe_v2", partial_rotary_factor=0.5, num_experts=8,
                       num_experts_per_tok=3, moe_intermediate_size=32, n_shared_experts=1,
                       first_k_dense_replace=2, routed_scaling_factor=2.5, norm_topk_prob=True,
                       n_group=4, topk_group=2)),
    dict(name="ernie4_5-moe", folder=True, lengths=(1, 9, 17),
         config=config("ernie4_5_moe", head_dim=16, rope_theta=500000.0, use_bias=False,
                       moe_num_experts=6, moe_k=2, moe_intermediate_size=32,
                       moe_num_shared_experts=2, moe_layer_start_index=1, moe_layer_end_index=2,
                       moe_layer_interval=1)),
    dict(name="minimax-m2", folder=True, lengths=(1, 9, 17),
         config=config("minimax_m2", head_dim=16, partial_rotary_factor=0.5, num_local_experts=8,
                       num_experts_per_tok=2, intermediate_size=32, moe_intermediate_size=32,
                       num_hidden_layers=2)),
    dict(name="granitemoe-shared", lengths=(1, 9, 17),
         config=config("granitemoeshared", embedding_multiplier=6.0, residual_multiplier=0.5,
                       attention_multiplier=0.25, logits_scaling=2.0, num_local_experts=6,
                       num_experts_per_tok=2, intermediate_size=32, moe_intermediate_size=32,
                       n_shared_experts=2, num_hidden_layers=2)),
    dict(name="hunyuan-moe", folder=True, lengths=(1, 9, 17),
         config=config("hunyuan_v1_moe", head_dim=16, num_local_experts=6, num_experts_per_tok=2,
                       intermediate_size=32, moe_intermediate_size=32, n_shared_experts=1,
                       num_hidden_layers=2)),
    dict(name="olmoe", folder=True, lengths=(1, 9, 17),
         config=config("olmoe", num_experts=8, num_experts_per_tok=3, intermediate_size=32,
                       num_key_value_heads=4, num_hidden_layers=2, norm_topk_prob=False)),
    dict(name="deepseek", lengths=(1, 9, 17),
         config=config("deepseek", n_routed_experts=6, num_experts_per_tok=2,
                       moe_intermediate_size=32, n_shared_experts=2, first_k_dense_replace=1,
                       norm_topk_prob=False)),
    # Keys of 8 bits must not ask another expert, since only one is asked.
    dict(name="llama4", clear=0.12, lengths=(1, 9, 17),
         config=config("llama4_text", head_dim=16, num_hidden_layers=5, num_local_experts=6,
                       num_experts_per_tok=1, moe_intermediate_size=32, n_shared_experts=1,
                       interleave_moe_layer_step=3, no_rope_layers=[1, 1, 1, 0, 1],
                       rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0,
                                         high_freq_factor=4.0,
                                         original_max_position_embeddings=64))),
]
UNBIASED = ("granitemoeshared", "hunyuan_v1_moe", "olmoe", "deepseek")
SOFTMAX = ("ernie4_5_moe",) + UNBIASED
UNBIASED += ("llama4_text",)
families.SIDE_BY_SIDE += ("llama4_text",)
families.PAIRED += ("granitemoeshared", "deepseek")
families.ARCHITECTURES.update(granitemoeshared="granitemoe", hunyuan_v1_moe="hunyuan-moe",
                              llama4_text="llama4",
                              glm4_moe="glm4moe", bailing_moe_v2="bailingmoe2",
                              ernie4_5_moe="ernie4_5-moe", minimax_m2="minimax-m2")


# ---- what a layer is

def first_of(c, names, otherwise=None):
    """The config's word for the same thing."""
    return next((c[name] for name in names if name in c), otherwise)


def experts_of(c):
    return first_of(c, ("n_routed_experts", "moe_num_experts", "num_experts", "num_local_experts"))


def used_of(c):
    return first_of(c, ("num_experts_per_tok", "moe_k"))


def shared_of(c):
    return first_of(c, ("n_shared_experts", "moe_num_shared_experts"), 0)


def dense_of(c):
    return first_of(c, ("first_k_dense_replace", "moe_layer_start_index"), 0)


def mixed(c):
    """Layers with experts."""
    if "E" in c.get("pattern", ""):
        return [i for i, does in enumerate(c["pattern"]) if does == "E"]
    step = c.get("interleave_moe_layer_step", 1)
    return [i for i in range(dense_of(c), c["num_hidden_layers"]) if (i + 1) % step == 0]


def width_of(c):
    return c.get("moe_intermediate_size", c["intermediate_size"])


def bias_name(c):
    return "moe_statics" if c["model_type"] == "ernie4_5_moe" else "gate"


def make_weights(spec, seed):
    """A dense model's, with experts in place of most feed-forwards."""
    c, dice, w = spec["config"], Dice(seed + 500), families.make_weights(spec, seed)
    dim, width = c["hidden_size"], width_of(c)

    def gated(prefix, rows):
        for part, shape in (("gate", (rows, dim)), ("up", (rows, dim)), ("down", (dim, rows))):
            w[f"{prefix}{part}_proj.weight"] = dice.matrix(*shape, 1.4 / math.sqrt(shape[1]))

    for layer in mixed(c):
        p = f"model.layers.{layer}.mlp."
        for part in ("gate", "up", "down"):
            del w[f"{p}{part}_proj.weight"]
        w[p + "gate.weight"] = dice.matrix(experts_of(c), dim, ROUTER_GAIN / 2 / math.sqrt(dim))
        if c["model_type"] not in UNBIASED:
            w[f"{p}{bias_name(c)}.e_score_correction_bias"] = dice.vector(experts_of(c), 0, 0.8)
        for e in range(experts_of(c)):
            gated(f"{p}experts.{e}.", width)
        if shared_of(c):
            gated(p + "shared_experts.", width * shared_of(c))
    return w


class Model(families.Model):
    def gap(self, keys, count):
        """How clear it is which are the `count` largest."""
        order = sorted(keys, reverse=True)
        if count < len(order):
            self.router_margin = min(self.router_margin, KEY_GAIN * (order[count - 1] - order[count]))

    def choose(self, keys):
        c, groups = self.c, self.c.get("n_group", 1)
        if groups > 1:
            each = len(keys) // groups
            best = 1 if self.kind == "deepseek_v2" else 2
            sums = [sum(sorted(keys[g * each:][:each])[-best:]) for g in range(groups)]
            self.gap(sums, c["topk_group"])
            kept = largest(sums, c["topk_group"])
            keys = [key if e // each in kept else -math.inf for e, key in enumerate(keys)]
        self.gap(keys, used_of(c))
        return largest(keys, used_of(c))

    def feed_forward(self, layer, x):
        c, w, p = self.c, self.w, f"model.layers.{layer}.mlp."

        def gated(prefix):
            if prefix + "gate_proj.weight" not in w:
                hidden = [max(u, 0.0) ** 2 for u in times(w[prefix + "up_proj.weight"], x)]
                return times(w[prefix + "down_proj.weight"], hidden)
            return self.gated(*(w[f"{prefix}{part}_proj.weight"] for part in ("gate", "up", "down")),
                              x, silu)

        if layer not in mixed(c):
            return gated(p)
        scores = times(w[p + "gate.weight"], x)
        weights = softmax(scores) if self.kind in SOFTMAX else [sigmoid(s) for s in scores]
        if self.kind in UNBIASED:  # the scores' order is the weights'
            chosen = self.choose([s / KEY_GAIN for s in scores])
        else:
            bias = w[f"{p}{bias_name(c)}.e_score_correction_bias"]
            chosen = self.choose([a + b for a, b in zip(weights, bias)])
        total = sum(weights[e] for e in chosen) if c.get("norm_topk_prob", True) else 1
        y = gated(p + "shared_experts.") if shared_of(c) else [0.0] * len(x)
        if p + "shared_expert_gate.weight" in w:
            gate = sigmoid(times(w[p + "shared_expert_gate.weight"], x)[0])
            y = [gate * v for v in y]
        if self.kind == "llama4_text":  # one expert, whose share is of what it reads
            x = [weights[chosen[0]] * v for v in x]
            return [a + b for a, b in zip(y, gated(f"{p}experts.{chosen[0]}."))]
        for e in chosen:
            share = weights[e] / total * c.get("routed_scaling_factor", 1)
            y = [a + share * b for a, b in zip(y, gated(f"{p}experts.{e}."))]
        return y


# ---- the GGUF file

def keys_of(spec):
    c = spec["config"]
    arch = families.ARCHITECTURES.get(c["model_type"], c["model_type"])
    keys = families.keys_of(spec)

    def add(name, kind, value):
        if value is not None and not any(key[0] == f"{arch}.{name}" for key in keys):
            keys.append((f"{arch}.{name}", kind, value))

    draft = c.get("num_nextn_predict_layers", 0)
    keys = [(key, kind, value + draft if key.endswith(".block_count") else value)
            for key, kind, value in keys]
    add("expert_count", U32, experts_of(c))
    add("expert_used_count", U32, used_of(c))
    add("expert_feed_forward_length", U32, c.get("moe_intermediate_size"))
    add("leading_dense_block_count", U32, dense_of(c))
    add("nextn_predict_layers", U32, draft or None)
    add("expert_shared_count", U32, shared_of(c) or None)
    add("expert_group_count", U32, c.get("n_group"))
    add("expert_group_used_count", U32, c.get("topk_group"))
    add("expert_weights_scale", F32, c.get("routed_scaling_factor"))
    add("expert_weights_norm", BOOL, c.get("norm_topk_prob"))
    add("interleave_moe_layer_step", U32,
        first_of(c, ("moe_layer_interval", "interleave_moe_layer_step")))
    if c["model_type"] == "llama4_text":  # whose files leave it to be known
        return [key for key in keys if not key[0].endswith((".expert_shared_count", "dense_block_count"))]
    if c["model_type"] in SOFTMAX:  # converters say how wide all shared ones are
        add("expert_shared_feed_forward_length", U32, width_of(c) * shared_of(c))
    else:
        add("expert_gating_func", U32, 2)
    return keys


def tensors_of(spec, weights):
    c, tensors = spec["config"], families.tensors_of(spec, weights)
    for layer in mixed(c):
        for part in ("gate", "up", "down"):
            if f"model.layers.{layer}.mlp.experts.0.{part}_proj.weight" not in weights:
                continue
            rows = [weights[f"model.layers.{layer}.mlp.experts.{e}.{part}_proj.weight"]
                    for e in range(experts_of(c))]
            tensors.append((f"blk.{layer}.ffn_{part}_exps.weight",
                            (len(rows), len(rows[0]), len(rows[0][0])), TYPE_BF16,
                            b"".join(pack_bf16(row) for matrix in rows for row in matrix)))
    if c.get("num_nextn_predict_layers"):
        tensors.append((f"blk.{c['num_hidden_layers']}.attn_norm.weight", (c["hidden_size"],),
                        families.TYPE_F32, bytes(4 * c["hidden_size"])))
    return families.fuse(tensors) if c["model_type"] == "bailing_moe_v2" else tensors


PARTS = [("gate_proj", "w1"), ("up_proj", "w3"), ("down_proj", "w2")]
HUNYUAN = [("q_norm", "query_layernorm"), ("k_norm", "key_layernorm"), ("mlp.gate.", "mlp.gate.wg."),
           ("shared_experts", "shared_mlp")]
PUBLISHED = {  # other words than ours, of tensors and of the configuration; None: it has none
    "bailing_moe_v2": ([("embed_tokens", "word_embeddings"), ("self_attn.o_proj", "attention.dense"),
                        ("self_attn.q_norm", "attention.query_layernorm"),
                        ("self_attn.k_norm", "attention.key_layernorm"),
                        ("e_score_correction_bias", "expert_bias")],
                       dict(n_shared_experts=None, num_shared_experts=1, score_function="sigmoid",
                            moe_shared_expert_intermediate_size=32, use_rmsnorm=True,
                            moe_router_enable_expert_bias=True, router_dtype="fp32")),
    "minimax_m2": ([("mlp.experts", "block_sparse_moe.experts"),
                    ("mlp.gate.weight", "block_sparse_moe.gate.weight"),
                    ("mlp.gate.e_score", "block_sparse_moe.e_score")] + PARTS,
                   dict(moe_intermediate_size=None, partial_rotary_factor=None, rotary_dim=8,
                        scoring_func="sigmoid", qk_norm_type="per_layer", attn_type_list=[1, 1],
                        use_routing_bias=True, shared_intermediate_size=0, num_mtp_modules=3,
                        layernorm_mlp_beta=1.0)),
    "hunyuan_v1_moe": (HUNYUAN, dict(n_shared_experts=None, num_shared_expert=[1, 1], num_experts=6,
                                     num_local_experts=None, num_experts_per_tok=None,
                                     moe_topk=[2, 2], moe_intermediate_size=[32, 32],
                                     use_qk_norm=True, use_mixed_mlp_moe=True, use_mla=False,
                                     kv_lora_rank=512, v_head_dim=128)),
}


def write_folder(path, spec, weights):
    c, published = spec["config"], {}
    if c.get("num_nextn_predict_layers"):
        name = f"model.layers.{c['num_hidden_layers']}.eh_proj.weight"
        weights = dict(weights, **{name: [[0.5, 0.25], [1.0, 2.0]]})
    names, changes = PUBLISHED.get(c["model_type"], ([], {}))
    for name, value in weights.items():
        if c["model_type"] == "bailing_moe_v2" and name.endswith((".k_proj.weight", ".v_proj.weight")):
            continue
        if c["model_type"] == "bailing_moe_v2" and name.endswith(".q_proj.weight"):
            value = [row for part in "qkv"
                     for row in weights[name.replace(".q_proj", f".{part}_proj")]]
            name = name.replace("self_attn.q_proj", "attention.query_key_value")
        for ours, theirs in names:
            name = name.replace(ours, theirs)
        published[name] = value
    c = {key: value for key, value in dict(c, **changes).items()
         if value is not None or key not in changes}
    families.write_folder(path, dict(spec, config=c), published)


class Maker:
    weights, model, keys, tensors = make_weights, Model, keys_of, tensors_of
    folder = write_folder


if __name__ == "__main__":
    families.make_all(__doc__, MODELS, 70000, Maker)
