#!/usr/bin/env python3
"""tests/golden/make_parts.py — tiny random models of families that vary known parts.

usage: make_parts.py OUTDIR [NAME...]      (the standard library alone; some minutes)

The same way as make_families.py, whose arithmetic and writers these models use, but in the words of
GGUF files: a model is a list of layers, a layer is what differs from LAYER, and weights have the
names and orders of the file. One forward pass in double precision and plain loops serves them all.
A family that is published as a folder has a table of the names there.
"""
import math
import struct

import make_families as families
from make_families import (BOOL, F32, ROUTER_GAIN, STRING, TYPE_BF16, TYPE_F32, U32, VOCABULARY,
                           Dice, dot, gelu_tanh, largest, pack_bf16, sigmoid, silu, softmax,
                           times)
from make_gemma4 import tokenizer_keys

families.SEEDS_TRIED = 240  # choices are seldom all clear
KEY_GAIN = 4  # as in make_mixtures.py

# What a layer is where a model does not say otherwise. `rope` None: it is not rotated.
LAYER = dict(heads=4, kv=2, size=16, window=0, rope=dict(base=10000.0), qk_norm=False, gate=None,
             qkv_bias=False, post_norm=False, ffn="dense", width=64, act="silu", ungated=False,
             bias=False)
SHAPE = dict(dim=32, eps=1e-5, embedding_scale=1.0, logit_scale=1.0)
NEARNESS = 0.02  # of a sparse mixer: twice the noise in training
FAR_APART = 0.3  # of its scores: keys and values of 8 bits move them by less
EXPERTS = dict(ffn="experts", experts=8, used=2, expert_width=32, shared=0, gating="softmax",
               normed=True, scale=1.0)


def model(name, layers, **figures):
    """Layers are differences from LAYER, `common` those of all."""
    common = figures.pop("common", {})
    arch = figures.pop("arch", name)
    return dict(SHAPE, name=name, arch=arch, layers=[{**LAYER, **common, **own} for own in layers],
                **figures)


def config(model_type, **figures):
    """A folder's, of the models below."""
    whole = dict(dict(model_type=model_type, vocab_size=VOCABULARY, hidden_size=32,
                      intermediate_size=64, num_attention_heads=4, num_key_value_heads=2,
                      rms_norm_eps=1e-5, rope_theta=10000.0, max_position_embeddings=512,
                      tie_word_embeddings=False), **figures)
    if "norm_epsilon" in whole or "layer_norm_eps" in whole:
        del whole["rms_norm_eps"]
    return whole


FULL = dict(rope=None)  # a layer without a window, which is not rotated
SIGMOID = dict(EXPERTS, gating="sigmoid", choice_bias=True, shared=32, scale=1.5, qk_norm=True)
DENSE = dict(ffn="dense")
HALF = dict(base=500000.0, dimensions=8)
ROUTED = [("expert_gating_func", U32, 2), ("expert_weights_scale", F32, 1.5),
          ("expert_weights_norm", BOOL, True)]
YARN = dict(rope_type="yarn", factor=8.0, beta_fast=32.0, beta_slow=1.0,
            original_max_position_embeddings=64)
STRETCHED = [("rope.scaling.type", STRING, "yarn"), ("rope.scaling.factor", F32, 8.0),
             ("rope.scaling.original_context_length", U32, 64),
             ("rope.scaling.yarn_beta_fast", F32, 32.0), ("rope.scaling.yarn_beta_slow", F32, 1.0)]
FAR = dict(YARN, mscale_all_dim=1.0, original_max_position_embeddings=16)
PATTERN, PERIOD = "attention.sliding_window_pattern", [dict(window=16)] * 3 + [FULL]
KINDS = ["sliding_attention"] * 3 + ["full_attention"]
BOTH_ENDS = dict(layer_types=["full_attention"] + KINDS[1:])
COHERE2MOE = dict(
    side_by_side=True, parallel=True, averaged=True, shared_width=True, logit_scale=0.5,
    embedding_gain=0.3,
    common=dict(EXPERTS, gating="sigmoid", shared=32),
    keys=[("logit_scale", F32, 0.5), ("expert_gating_func", U32, 2), ("expert_shared_count", U32, 1),
          ("expert_weights_norm", BOOL, True)])

MODELS = [
    model("qwen2moe", [{}] * 2, lengths=(1, 9, 17), shared_width=True,
          common=dict(EXPERTS, size=8, qkv_bias=True, shared=48, shared_gate=True, normed=False),
          shared_name="shared_expert",
          config=config("qwen2_moe", num_hidden_layers=2, num_experts=8, num_experts_per_tok=2,
                        moe_intermediate_size=32, shared_expert_intermediate_size=48,
                        norm_topk_prob=False, decoder_sparse_step=1, mlp_only_layers=[],
                        use_sliding_window=False, sliding_window=16, max_window_layers=2,
                        qkv_bias=True)),
    model("afmoe", [dict(PERIOD[i], **(DENSE if i < 1 else {})) for i in range(4)],
          lengths=(1, 17, 40), embedding_scale=math.sqrt(32),
          common=dict(SIGMOID, gate=("sigmoid", "element"), post_norm=True), keys=ROUTED,
          names=[("post_attention_norm", "post_attention_layernorm"),
                 ("post_ffw_norm", "post_mlp_layernorm"), ("ffn_norm", "pre_mlp_layernorm"),
                 ("exp_probs_b.bias", "mlp.expert_bias"), ("ffn_gate_inp", "mlp.router.gate")],
          shared_name="shared_experts",
          config=config("afmoe", num_hidden_layers=4, head_dim=16, num_dense_layers=1,
                        num_experts=8, num_experts_per_tok=2, num_shared_experts=1,
                        moe_intermediate_size=32, route_norm=True, route_scale=1.5,
                        score_func="sigmoid", n_group=1, topk_group=1, mup_enabled=True,
                        global_attn_every_n_layers=4, sliding_window=16, layer_types=KINDS,
                        load_balance_coeff=1e-3, attention_dropout=0.0)),
    model("exaone-moe", [dict(PERIOD[i], **(DENSE if i < 1 else {})) for i in range(4)],
          lengths=(1, 9, 17), common=SIGMOID, shared_width=True,
          keys=ROUTED + [(PATTERN, BOOL, [True, True, True, False])],
          names=[("exp_probs_b.bias", "mlp.e_score_correction_bias")],
          shared_name="shared_experts",
          config=config("exaone_moe", num_hidden_layers=4, head_dim=16, first_k_dense_replace=1,
                        num_experts=8, num_experts_per_tok=2, num_shared_experts=1,
                        moe_intermediate_size=32, norm_topk_prob=True, routed_scaling_factor=1.5,
                        n_group=1, topk_group=1, sliding_window=16, sliding_window_pattern="LLLG",
                        layer_types=KINDS, mlp_layer_types=["dense"] + ["sparse"] * 3)),
    model("hy_v3", [DENSE, {}, {}], lengths=(1, 9, 17), common=SIGMOID, keys=ROUTED,
          shared_width=True, tensor_names=[("exp_probs_b.bias", "exp_probs_b")],
          names=[("exp_probs_b.bias", "mlp.expert_bias"), ("ffn_gate_inp", "mlp.router.gate")],
          shared_name="shared_mlp",
          config=config("hy_v3", num_hidden_layers=3, head_dim=16, num_experts=8,
                        num_experts_per_tok=2, num_shared_experts=1, moe_intermediate_size=32,
                        route_norm=True, router_scaling_factor=1.5, first_k_dense_replace=1,
                        enable_moe_fp32_combine=True)),
    model("muse-glimmer", PERIOD, lengths=(1, 17, 40), embedding_norm=True, post_eps=1e-8,
          side_by_side=True, logit_scale=0.25, softcap=6.0, tokens=True, query_scale=1.5,
          common=dict(gate=("sigmoid", "element"), qk_norm=True, post_norm=True),
          keys=[("logit_scale", F32, 0.25), ("final_logit_softcapping", F32, 6.0),
                (PATTERN, BOOL, [True, True, True, False])],
          names=[("post_attention_norm", "post_attention_layernorm"),
                 ("post_ffw_norm", "post_feedforward_layernorm"),
                 ("ffn_norm", "pre_feedforward_layernorm")],
          less_one="layernorm.weight",
          whole=("muse_glimmer", "model.language_model.", "model.vision_tower."),
          config=config("muse_glimmer_text", num_hidden_layers=4, head_dim=16, sliding_window=16,
                        layer_types=KINDS, rope_theta=None, attention_bias=False,
                        rope_parameters=dict(rope_type="default", rope_theta=10000.0),
                        layer_rope_theta=[10000.0] * 3 + [0], hidden_activation="silu",
                        qk_scale_factor=1.5, post_norm_eps=1e-8, output_multiplier=0.25,
                        final_logit_softcapping=6.0)),
    model("laguna", [dict(DENSE, gate=("softplus", "element"),
                          rope=dict(base=500000.0, dimensions=8, yarn=YARN))] +
          [dict(window=16, heads=6, gate=("softplus", "head"))] * 2, lengths=(1, 9, 17),
          common=SIGMOID, shared_width=True, tokens=True,
          keys=ROUTED + STRETCHED + [("rope.dimension_count", U32, 8),
                                     ("rope.dimension_count_swa", U32, 16),
                                     ("rope.freq_base_swa", F32, 10000.0),
                                     (PATTERN, BOOL, [False, True, True])],
          names=[("attn_gate", "self_attn.g_proj"),
                 ("exp_probs_b.bias", "mlp.experts.e_score_correction_bias")],
          shared_name="shared_experts",
          config=config("laguna", num_hidden_layers=3, head_dim=16, num_experts=8,
                        num_experts_per_tok=2, moe_intermediate_size=32, rope_theta=None,
                        shared_expert_intermediate_size=32, moe_routed_scaling_factor=1.5,
                        moe_router_logit_softcapping=0.0, moe_apply_router_weight_on_input=False,
                        gating="per-head", num_attention_heads_per_layer=[4, 6, 6],
                        sliding_window=16, mlp_layer_types=["dense", "sparse", "sparse"],
                        layer_types=["full_attention"] + ["sliding_attention"] * 2,
                        rope_parameters=dict(
                            full_attention=dict(YARN, rope_theta=500000.0,
                                                partial_rotary_factor=0.5),
                            sliding_attention=dict(rope_type="default",
                                                   rope_theta=10000.0)))),
    model("mistral3-far", [dict(rope=dict(base=1e6, yarn=FAR))] * 2, arch="mistral3",
          lengths=(1, 17, 40), side_by_side=True, temperature=(0.6, 16),
          keys=STRETCHED[:2] + [("rope.scaling.original_context_length", U32, 16),
                                ("rope.scaling.yarn_log_multiplier", F32, 1.0),
                                ("attention.temperature_scale", F32, 0.6)]),
    model("nanbeige", [{}] * 2, lengths=(1, 17, 40), side_by_side=True, passes=3, tokens=True,
          keys=[("num_loops", U32, 3), ("skip_loop_final_norm", BOOL, False)]),
    model("internlm2", [{}] * 2, lengths=(1, 17, 40), side_by_side=True, common=dict(size=8)),
    model("mellum", [dict(window=16), dict(rope=dict(base=10000.0, yarn=YARN))],
          lengths=(1, 9, 17), common=dict(EXPERTS, experts=6, qk_norm=True),
          keys=STRETCHED + [(PATTERN, BOOL, [True, False])]),
    model("granite_swa", [dict(window=16)] * 2 + [FULL], lengths=(1, 17, 40), side_by_side=True,
          common=dict(sinks=True, score_scale=0.2, residual_scale=0.4), embedding_scale=12.0,
          logit_scale=0.25,
          keys=[("embedding_scale", F32, 12.0), ("residual_scale", F32, 0.4),
                ("attention.scale", F32, 0.2), ("logit_scale", F32, 4.0),
                (PATTERN, BOOL, [True, True, False]),
                ("attention.rope_pattern", BOOL, [True, True, False])]),
    model("starcoder2", [{}] * 2, lengths=(1, 17, 40), norms="layer",
          common=dict(size=8, bias=True, qkv_bias=True, act="gelu", ungated=True),
          names=[("ffn_up", "mlp.c_fc"), ("ffn_down", "mlp.c_proj")],
          config=config("starcoder2", num_hidden_layers=2, hidden_act="gelu_pytorch_tanh",
                        norm_epsilon=1e-5, layer_norm_epsilon=1e-5, use_bias=True,
                        sliding_window=None,
                        attention_dropout=0.0, residual_dropout=0.0, embedding_dropout=0.0,
                        mlp_type="default", norm_type="layer_norm")),
    model("phi2", [{}] * 2, lengths=(1, 17, 40), norms="layer", parallel=True, output_bias=True,
          tokens=True,
          common=dict(heads=2, kv=2, bias=True, qkv_bias=True, act="gelu", ungated=True,
                      rope=dict(base=10000.0, dimensions=6)),
          keys=[("rope.dimension_count", U32, 6)],
          names=[("attn_output", "self_attn.dense"), ("output_norm", "model.final_layernorm"),
                 ("output.bias", "lm_head.bias"), ("ffn_up", "mlp.fc1"), ("ffn_down", "mlp.fc2")],
          config=config("phi", num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
                        hidden_act="gelu_new", layer_norm_eps=1e-5,
                        partial_rotary_factor=0.4, qk_layernorm=False, attention_dropout=0.0,
                        embd_pdrop=0.0, resid_pdrop=0.1, rope_scaling=None)),
    model("phimoe", [{}] * 2, lengths=(1, 5, 9), norms="layer", rms_key=True, output_bias=True,
          router_gain=4 * ROUTER_GAIN, tokens=True, clear_prompts=FAR_APART,
          common=dict(EXPERTS, experts=6, expert_width=64, gating="mixer", bias=True, qkv_bias=True,
                      normed=False),
          names=[("ffn_gate_inp", "block_sparse_moe.gate"),
                 ("attn_output", "self_attn.o_proj"), ("output.bias", "lm_head.bias")],
          expert_names=dict(gate="w1", up="w3", down="w2"),
          config=config("phimoe", num_hidden_layers=2, head_dim=16, num_local_experts=6,
                        num_experts_per_tok=2, attention_bias=True, lm_head_bias=True,
                        router_jitter_noise=0.01, input_jitter_noise=0.01, hidden_dropout=0.0,
                        attention_dropout=0.0, router_aux_loss_coef=0.0, sliding_window=512,
                        output_router_logits=False)),
    model("smallthinker", [FULL] + [dict(window=16)] * 2, lengths=(1, 9, 17), routed_first=True,
          tokens=True, common=dict(EXPERTS, experts=5, gating="sigmoid", act="relu"),
          keys=[("expert_gating_func", U32, 2)]),
    model("step35", [dict(DENSE, heads=6, rope=HALF), dict(window=16), dict(window=16, limits=(0, 0.7)),
                     dict(heads=6, rope=HALF, limits=(0.5, 0))], lengths=(1, 9, 17),
          shared_width=True, common=dict(SIGMOID, gate=("sigmoid", "head"), kv=2), tokens=True,
          keys=ROUTED + [("rope.dimension_count", U32, 16), ("rope.freq_base_swa", F32, 10000.0),
                         (PATTERN, BOOL, [False, True, True, False]),
                         ("swiglu_clamp_exp", F32, [0.0, 0.0, 0.7, 0.0]),
                         ("swiglu_clamp_shexp", F32, [0.0, 0.0, 0.0, 0.5])],
          names=[("attn_gate", "self_attn.g_proj"), ("exp_probs_b.bias", "moe.router_bias"),
                 ("ffn_gate_inp", "moe.gate")],
          shared_name="share_expert", less_one="norm.weight", stacked=True, whole=("step3p7", "model.", "vision_model."),
          config=config("step3p5", num_hidden_layers=4, head_dim=16, num_attention_heads=6,
                        num_sliding_attention_heads=4, rope_theta=None, query_pre_attn_scalar=16,
                        per_layer_config={"1": dict(num_attention_heads=4),
                                          "2": dict(num_attention_heads=4)},
                        sliding_window=16, n_routed_experts=8, num_experts_per_tok=2,
                        moe_intermediate_size=32, share_expert_dim=32,
                        moe_router_scaling_factor=1.5, swiglu_limits=[None, None, 0.7, None],
                        swiglu_limits_shared=[None, 0, 0, 0.5],
                        mlp_layer_types=["dense"] + ["sparse"] * 3, **BOTH_ENDS,
                        rope_parameters=dict(
                            full_attention=dict(rope_type="default", rope_theta=500000.0,
                                                partial_rotary_factor=0.5),
                            sliding_attention=dict(rope_type="default", rope_theta=10000.0)))),
    model("cohere2moe", [DENSE, dict(window=16), FULL], lengths=(1, 9, 17), norms="centered",
          **dict(COHERE2MOE, keys=COHERE2MOE["keys"] + [(PATTERN, BOOL, [False, True, False])])),
    model("mimo2", [dict(DENSE, kv=1, rope=HALF), dict(window=16, sinks=True), dict(window=16, sinks=True),
                    dict(kv=1, rope=HALF)], lengths=(1, 9, 17), tokens=True,
          common=dict(EXPERTS, gating="sigmoid", choice_bias=True, value_size=8, value_scale=0.6,
                      rope=dict(base=10000.0, dimensions=8)),
          keys=[("rope.dimension_count", U32, 8), ("rope.freq_base_swa", F32, 10000.0),
                ("attention.value_scale", F32, 0.6), (PATTERN, BOOL, [False, True, True, False])],
          names=[("attn_sinks.weight", "self_attn.attention_sink_bias")],
          config=config("mimo_v2_flash", num_hidden_layers=4, head_dim=16, v_head_dim=8,
                        num_key_value_heads=1, rope_theta=None, sliding_window=16,
                        attention_value_scale=0.6, n_routed_experts=8, num_experts_per_tok=2,
                        moe_intermediate_size=32, norm_topk_prob=True, routed_scaling_factor=1.0,
                        n_group=1, topk_group=1, mlp_layer_types=["dense"] + ["sparse"] * 3,
                        **BOTH_ENDS, rope_parameters=dict(
                            full_attention=dict(rope_type="default", rope_theta=500000.0,
                                                partial_rotary_factor=0.5),
                            sliding_attention=dict(rope_type="default", rope_theta=10000.0,
                                                   partial_rotary_factor=0.5)))),
    model("cohere2moe-rms", [dict(window=16), FULL], arch="cohere2moe", lengths=(1, 9, 17), tokens=True,
          **dict(COHERE2MOE, keys=COHERE2MOE["keys"] + [
              ("leading_dense_block_count", U32, 0), (PATTERN, BOOL, [True, False])])),
]


# ---- weights, named as in a GGUF file

def make_weights(spec, seed):
    dice, w, dim = Dice(seed), {}, spec["dim"]

    def matrix(name, rows, columns, gain=1.4):
        w[name + ".weight"] = dice.matrix(rows, columns, gain / math.sqrt(columns))

    def norm(name, count=dim):
        w[name + ".weight"] = [max(v, 0.25) for v in dice.vector(count, 1, 0.3)]
        if spec.get("norms") == "layer":
            biased(name, count)

    def biased(name, count):
        w[name + ".bias"] = dice.vector(count, 0, 0.3)

    def gated(prefix, end, width, c):
        for part, rows, columns in (("gate", width, dim), ("up", width, dim), ("down", dim, width)):
            if part == "gate" and c["ungated"]:
                continue
            matrix(f"{prefix}ffn_{part}{end}", rows, columns)
            if c["bias"] and not end:
                biased(f"{prefix}ffn_{part}", rows)

    w["token_embd.weight"] = dice.matrix(VOCABULARY, dim, spec.get("embedding_gain", 1.0) / spec["embedding_scale"])
    for i, c in enumerate(spec["layers"]):
        p, size = f"blk.{i}.", c["size"]
        norm(p + "attn_norm")
        value_size = c.get("value_size", size)
        for part, heads in (("q", c["heads"]), ("k", c["kv"]), ("v", c["kv"])):
            matrix(f"{p}attn_{part}", heads * (value_size if part == "v" else size), dim)
            if c["qkv_bias"]:
                w[f"{p}attn_{part}.bias"] = dice.vector(heads * size, 0, 0.3)
        matrix(p + "attn_output", dim, c["heads"] * value_size)
        if c["bias"]:
            biased(p + "attn_output", dim)
        if c["qk_norm"]:
            norm(p + "attn_q_norm", size)
            norm(p + "attn_k_norm", size)
        if "query_scale" in spec:
            w[p + "attn_q_norm.weight"] = [spec["query_scale"]] * size
            w[p + "attn_k_norm.weight"] = [1.0] * size
        if c["gate"]:
            matrix(p + "attn_gate", c["heads"] * (size if c["gate"][1] == "element" else 1), dim)
        if c.get("sinks"):
            w[p + "attn_sinks.weight"] = dice.vector(c["heads"], 0, 1.5)
        if c["post_norm"]:
            norm(p + "post_attention_norm")
            norm(p + "post_ffw_norm")
        if not spec.get("parallel"):
            norm(p + "ffn_norm")
        if c["ffn"] == "dense":
            gated(p, "", c["width"], c)
            continue
        matrix(p + "ffn_gate_inp", c["experts"], dim,
               spec.get("router_gain", ROUTER_GAIN) / (3 if spec.get("routed_first") else 2))
        if c.get("choice_bias"):
            w[p + "exp_probs_b.bias"] = dice.vector(c["experts"], 0, 0.8)
        for e in range(c["experts"]):
            gated(p, f".{e}", c["expert_width"], c)
        if c["shared"]:
            gated(p, "_shexp", c["shared"], c)
        if c.get("shared_gate"):
            w[p + "ffn_gate_inp_shexp.weight"] = dice.matrix(1, dim, 1.4 / math.sqrt(dim))
    norm("output_norm")
    matrix("output", VOCABULARY, dim, 2.0 / spec["logit_scale"])
    if spec.get("output_bias"):
        biased("output", VOCABULARY)
    return w


# ---- the model

def softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


GATES = dict(sigmoid=sigmoid, softplus=softplus)
ACTS = dict(silu=silu, gelu=gelu_tanh, relu=lambda x: max(x, 0.0))


def angles_of(c):
    """Angles a position, and what cosine and sine are multiplied by."""
    rope = c["rope"]
    size = rope.get("dimensions", c["size"])
    plain = [rope["base"] ** (-2 * i / size) for i in range(size // 2)]
    yarn = rope.get("yarn")
    return families.yarn(plain, rope["base"], yarn) if yarn else (plain, 1.0)


class Model:
    """One sequence: step() takes a token and returns the logits after it."""

    def __init__(self, spec, weights):
        self.spec, self.w = spec, weights
        self.past = [([], []) for _ in spec["layers"] * spec.get("passes", 1)]
        self.visit = 0  # of a layer, counted from the first
        self.turns = [c["rope"] and angles_of(c) for c in spec["layers"]]
        self.router_margin = math.inf

    def unit(self, x, eps=None):
        scale = 1 / math.sqrt(dot(x, x) / len(x) + (eps or self.spec["eps"]))
        return [v * scale for v in x]

    def norm(self, name, x, eps=None):
        if "norms" in self.spec:
            mean = sum(x) / len(x)
            x = [v - mean for v in x]
        bias = self.w.get(name + ".bias") or [0.0] * len(x)
        return [v * g + b for v, g, b in zip(self.unit(x, eps), self.w[name + ".weight"], bias)]

    def multiply(self, name, x):
        return times(self.w[name + ".weight"], x, self.w.get(name + ".bias"))

    # -- attention

    def rotate(self, head, position, i):
        if not self.turns[i]:
            return head
        (angles, magnitude), out = self.turns[i], list(head)
        half, beside = len(angles), self.spec.get("side_by_side")
        for n, angle in enumerate(angles):
            a, b = (2 * n, 2 * n + 1) if beside else (n, n + half)
            cosine = math.cos(position * angle) * magnitude
            sine = math.sin(position * angle) * magnitude
            out[a] = head[a] * cosine - head[b] * sine
            out[b] = head[b] * cosine + head[a] * sine
        return out

    def attend(self, i, x):
        c, p, size = self.spec["layers"][i], f"blk.{i}.", self.spec["layers"][i]["size"]
        rows = {part: self.multiply(f"{p}attn_{part}", x) for part in "qkv"}
        sizes = dict(q=size, k=size, v=c.get("value_size", size))
        q, k, v = ([rows[part][h * s:(h + 1) * s] for h in range(len(rows[part]) // s)]
                   for part, s in sizes.items())
        if c["qk_norm"]:
            q = [self.norm(p + "attn_q_norm", head) for head in q]
            k = [self.norm(p + "attn_k_norm", head) for head in k]
        keys, values = self.past[self.visit]
        position = len(keys)
        q = [self.rotate(head, position, i) for head in q]
        keys.append([self.rotate(head, position, i) for head in k])
        values.append(v)
        first = max(0, position + 1 - c["window"]) if c["window"] else 0
        out, group, scale = [], c["heads"] // c["kv"], c.get("score_scale", 1 / math.sqrt(size))
        if "temperature" in self.spec:
            share, length = self.spec["temperature"]
            scale *= 1 + share * math.log(1 + position // length)
        for h, head in enumerate(q):
            scores = [dot(head, key[h // group]) * scale for key in keys[first:]]
            if c.get("sinks"):
                scores.append(self.w[p + "attn_sinks.weight"][h])
            shares = softmax(scores)
            out += [dot(shares, column) for column in zip(*(v[h // group] for v in values[first:]))]
        if c["gate"]:
            act, _ = c["gate"]
            gate = [GATES[act](g) for g in self.multiply(p + "attn_gate", x)]
            each = len(out) // len(gate)
            out = [v * gate[n // each] for n, v in enumerate(out)]
        return [v * c.get("value_scale", 1) for v in self.multiply(p + "attn_output", out)]

    # -- feed-forward

    def gated(self, prefix, end, x, act):
        limits = self.spec["layers"][int(prefix.split(".")[1])].get("limits", (0, 0))
        up = self.multiply(f"{prefix}ffn_up{end}", x)
        if f"{prefix}ffn_gate{end}.weight" not in self.w:
            return self.multiply(f"{prefix}ffn_down{end}", [ACTS[act](u) for u in up])
        gate = self.multiply(f"{prefix}ffn_gate{end}", x)
        limit = limits[1 if "." in end else 0]
        if limit:
            gate = [min(ACTS[act](g), limit) * min(max(u, -limit), limit) for g, u in zip(gate, up)]
            return self.multiply(f"{prefix}ffn_down{end}", gate)
        return self.multiply(f"{prefix}ffn_down{end}", [ACTS[act](g) * u for g, u in zip(gate, up)])

    def choose(self, keys, used):
        order = sorted(keys, reverse=True)
        if used < len(order):
            self.router_margin = min(self.router_margin, KEY_GAIN * (order[used - 1] - order[used]))
        return largest(keys, used)

    def mix(self, scores, chosen):
        """Each one's softmax among those near it that were not chosen before; keyed by expert."""
        left, weights = list(range(len(scores))), {}
        for e in chosen:
            reach = {other: NEARNESS * max(abs(scores[other]), scores[e]) for other in left}
            powers = [math.exp(scores[other] - scores[e]) for other in left
                      if scores[e] - scores[other] <= reach[other]]
            weights[e] = 1 / sum(powers)
            left.remove(e)
            for other in left:  # another rounding must neither swap the two nor count one more
                gap = scores[e] - scores[other]
                self.router_margin = min(self.router_margin, gap, abs(gap - reach[other]))
        return weights

    def feed_forward(self, i, x, entered=None):
        c, p = self.spec["layers"][i], f"blk.{i}."
        if c["ffn"] == "dense":
            return self.gated(p, "", x, c["act"])
        scores = self.multiply(p + "ffn_gate_inp", entered or x)
        weights = [sigmoid(s) for s in scores] if c["gating"] == "sigmoid" else softmax(scores)
        bias = self.w.get(p + "exp_probs_b.bias")
        keys = [a + b for a, b in zip(weights, bias)] if bias else [s / KEY_GAIN for s in scores]
        chosen = self.choose(keys, c["used"])
        if c["gating"] == "mixer":
            weights = self.mix(scores, chosen)
        total = sum(weights[e] for e in chosen) if c["normed"] else 1
        y = [0.0] * len(x)
        if c["shared"]:
            y = self.gated(p, "_shexp", x, c["act"])
        if c.get("shared_gate"):
            gate = sigmoid(self.multiply(p + "ffn_gate_inp_shexp", x)[0])
            y = [gate * v for v in y]
        for e in chosen:
            share = weights[e] / total * c["scale"]
            y = [a + share * b for a, b in zip(y, self.gated(p, f".{e}", x, c["act"]))]
        if c["shared"] and self.spec.get("averaged"):
            y = [v / 2 for v in y]
        return y

    # -- all of it

    def layer(self, i, x):
        c, p = self.spec["layers"][i], f"blk.{i}."
        if self.spec.get("parallel"):
            y = self.norm(p + "attn_norm", x)
            return [a + b + c for a, b, c in zip(x, self.attend(i, y), self.feed_forward(i, y))]
        entered = [x] if self.spec.get("routed_first") else []
        for part, norm, post in ((self.attend, "attn_norm", "post_attention_norm"),
                                 (self.feed_forward, "ffn_norm", "post_ffw_norm")):
            y = part(i, self.norm(p + norm, x), *(entered if part == self.feed_forward else []))
            if c["post_norm"]:
                y = self.norm(p + post, y, self.spec.get("post_eps"))
            x = [a + c.get("residual_scale", 1) * b for a, b in zip(x, y)]
        return x

    def step(self, token):
        spec = self.spec
        x = [v * spec["embedding_scale"] for v in self.w["token_embd.weight"][token]]
        if spec.get("embedding_norm"):
            x = self.unit(x)
        blocks, passes = len(spec["layers"]), spec.get("passes", 1)
        for self.visit in range(blocks * passes):
            if self.visit and self.visit % blocks == 0:
                x = self.norm("output_norm", x)
            x = self.layer(self.visit % blocks, x)
        y = self.multiply("output", self.norm("output_norm", x))
        y, cap = [v * spec["logit_scale"] for v in y], spec.get("softcap")
        return [cap * math.tanh(v / cap) for v in y] if cap else y


# ---- the GGUF file

def keys_of(spec):
    arch, layers = spec["arch"], spec["layers"]
    keys = [("general.architecture", STRING, arch), ("general.name", STRING, spec["name"])]

    def add(name, kind, value):
        keys.append((f"{arch}.{name}", kind, value))

    def add_each(name, kind, values):
        if any(values):
            add(name, kind, values if len(set(values)) > 1 else values[0])

    def first(figure, where="experts"):
        return next((c[figure] for c in layers if where in c and c.get(figure)), None)

    add("block_count", U32, len(layers))
    add("context_length", U32, 512)
    add("embedding_length", U32, spec["dim"])
    add("feed_forward_length", U32, layers[0]["width"])
    add_each("attention.head_count", U32, [c["heads"] for c in layers])
    add_each("attention.head_count_kv", U32, [c["kv"] for c in layers])
    add("attention.key_length", U32, layers[0]["size"])
    add("attention.value_length", U32, layers[0].get("value_size", layers[0]["size"]))
    centered = "norms" in spec and not spec.get("rms_key")
    add("attention.layer_norm_epsilon" if centered else "attention.layer_norm_rms_epsilon", F32,
        spec["eps"])
    if any(c["window"] for c in layers):
        add("attention.sliding_window", U32, max(c["window"] for c in layers))
    add("rope.freq_base", F32, next(c["rope"]["base"] for c in layers if c["rope"]))
    if first("experts"):
        dense = next(i for i, c in enumerate(layers) if c["ffn"] == "experts")
        add("expert_count", U32, first("experts"))
        add("expert_used_count", U32, first("used"))
        add("expert_feed_forward_length", U32, first("expert_width"))
        if dense:
            add("leading_dense_block_count", U32, dense)
        if first("shared") and spec.get("shared_width"):
            add("expert_shared_feed_forward_length", U32, first("shared"))
        elif first("shared"):
            add("expert_shared_count", U32, first("shared") // first("expert_width"))
    keys += [(f"{arch}.{name}", kind, value) for name, kind, value in spec.get("keys", [])]
    return keys + (tokenizer_keys() if spec.get("tokens") else [])


def tensors_of(spec, weights):
    tensors = []
    for name, value in weights.items():
        for ours, theirs in spec.get("tensor_names", []):
            name = name.replace(ours, theirs)
        if not isinstance(value[0], list):
            tensors.append((name, (len(value),), TYPE_F32, struct.pack(f"<{len(value)}f", *value)))
            continue
        part, _, expert = name[:-len(".weight")].rpartition(".")
        if expert == "0" and ".ffn_" in part:
            count = sum(other.startswith(part + ".") for other in weights)
            matrices = [weights[f"{part}.{e}.weight"] for e in range(count)]
            tensors.append((part + "_exps.weight", (count, len(value), len(value[0])), TYPE_BF16,
                            b"".join(pack_bf16(row) for rows in matrices for row in rows)))
        elif not (expert.isdigit() and ".ffn_" in part):
            tensors.append((name, (len(value), len(value[0])), TYPE_BF16,
                            b"".join(pack_bf16(row) for row in value)))
    return tensors


# ---- the folder

# In the order in which they are tried.
NAMES = [("token_embd", "model.embed_tokens"), ("output_norm", "model.norm"),
         ("attn_output", "self_attn.o_proj"), ("output.weight", "lm_head.weight"),
         ("blk.", "model.layers."), ("attn_norm", "input_layernorm"), ("attn_q_norm", "self_attn.q_norm"),
         ("attn_k_norm", "self_attn.k_norm"), ("attn_gate", "self_attn.gate_proj"),
         ("attn_q", "self_attn.q_proj"),
         ("attn_k", "self_attn.k_proj"), ("attn_v", "self_attn.v_proj"),
         ("exp_probs_b.bias", "mlp.gate.e_score_correction_bias"), ("ffn_gate_inp_shexp", "mlp.shared_expert_gate"), ("ffn_gate_inp", "mlp.gate"),
         ("ffn_norm", "post_attention_layernorm")]


def folder_name(spec, name):
    for ours, theirs in spec.get("names", []) + NAMES:
        name = name.replace(ours, theirs)
    for part in ("gate", "up", "down"):
        if f"ffn_{part}." not in name and f"ffn_{part}_shexp" not in name:
            continue
        name = name.replace(f"ffn_{part}_shexp", f"mlp.{spec.get('shared_name')}.{part}_proj")
        at, _, expert = name[:-len(".weight")].partition(f"ffn_{part}.")
        name = name.replace(f"ffn_{part}.weight", f"mlp.{part}_proj.weight")
        if expert.isdigit() and "expert_names" in spec:
            name = f"{at}block_sparse_moe.experts.{expert}.{spec['expert_names'][part]}.weight"
        elif expert.isdigit():
            name = f"{at}mlp.experts.{expert}.{part}_proj.weight"
    return name


def halves(rows, size):
    """Each head's even rows above its odd ones."""
    return [row for at in range(0, len(rows), size)
            for row in rows[at:at + size:2] + rows[at + 1:at + size:2]]


def published(spec, weights):
    """What a folder has: pairs that rotate half a head apart, and some norms less 1."""
    for name, value in weights.items():
        if "query_scale" in spec and name.endswith(("attn_q_norm.weight", "attn_k_norm.weight")):
            continue
        if spec.get("side_by_side") and name.endswith(("attn_q.weight", "attn_k.weight")):
            value = halves(value, spec["layers"][0]["size"])
        theirs = folder_name(spec, name)
        if "less_one" in spec and theirs.endswith(spec["less_one"]):
            value = [v - 1 for v in value]
        yield theirs, value


def stack(tensors):
    """Each layer's experts in one tensor, and the one that all tokens ask apart."""
    out = {}
    for name, value in tensors.items():
        before, _, part = name.partition("mlp.experts.")
        if part:
            out.setdefault(f"{before}moe.{part.partition('.')[2]}", []).append(value)
        else:
            out[name.replace("mlp.share_expert.", "share_expert.")] = value
    return out


def write_folder(path, spec, weights):
    """Of a model that also sees the text is a part."""
    tensors, c = dict(published(spec, weights)), spec["config"]
    if spec.get("stacked"):
        tensors = stack(tensors)
    if "whole" in spec:
        kind, nest, eyes = spec["whole"]
        tensors = {name.replace("model.", nest, 1): value for name, value in tensors.items()}
        tensors[eyes + "layers.0.proj.weight"] = [[0.5, 0.25], [1.0, 2.0]]
        c = dict(model_type=kind, tie_word_embeddings=False, text_config=c,
                 vision_config=dict(hidden_size=2))
    families.write_folder(path, dict(config=c), tensors)


class Maker:
    weights, model, keys, tensors = make_weights, Model, keys_of, tensors_of
    folder = write_folder


if __name__ == "__main__":
    for spec in MODELS:
        spec["folder"] = "config" in spec
    families.make_all(__doc__, MODELS, 170000, Maker)
