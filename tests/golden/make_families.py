#!/usr/bin/env python3
"""tests/golden/make_families.py — tiny random models of more families, and what they say.

usage: make_families.py OUTDIR [NAME...]      (the standard library alone; some minutes)

An implementation of its own, in double precision and plain loops, written from each family's
published configuration and paper in the words of Hugging Face's config.json: weights have the
names, shapes and orders of a safetensors file, and only at the end are they renamed, reordered and
folded as converters to GGUF do. Numbers are rounded to bf16 before they run, so both sides hold
exactly the same ones.

For each model it writes NAME.gguf and NAME.golden (make_golden.py says its format), and for those
marked so NAME.hf/, the folder that the model would be published as.

Seeds are tried in order until no greedy choice is a near tie.
"""
import json
import math
import os
import random
import struct
import sys
from operator import mul

LOGIT_ROWS, CONTINUATION, CLEAR_MARGIN, MIN_DISTINCT, SEEDS_TRIED = 8, 16, 0.03, 4, 60
VOCABULARY = 96
ROUTER_GAIN, ROUTER_MARGIN = 6.0, 0.03  # far from where rounding would ask another expert

PLAIN = dict(vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=3,
             num_attention_heads=4, num_key_value_heads=2, head_dim=8, rms_norm_eps=1e-5,
             rope_theta=10000.0, max_position_embeddings=512, tie_word_embeddings=False)


def config(model_type, **changes):
    return dict(PLAIN, model_type=model_type, **changes)


def gpt_oss(**changes):
    yarn = dict(rope_type="yarn", factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
                original_max_position_embeddings=64)
    return config("gpt_oss", sliding_window=12, num_local_experts=4, intermediate_size=32,
                  num_hidden_layers=3, head_dim=16, rope_theta=150000.0, rope_scaling=yarn,
                  **changes)


def cohere(model_type, **changes):
    c = config(model_type, layer_norm_eps=1e-5, tie_word_embeddings=True, **changes)
    return {key: value for key, value in c.items() if key != "rms_norm_eps"}


MODELS = [
    dict(name="mistral", folder=True, lengths=(1, 17, 67),
         config=config("mistral", sliding_window=24)),
    dict(name="gemma", lengths=(1, 17, 40),
         config=config("gemma", tie_word_embeddings=True, hidden_act="gelu_pytorch_tanh")),
    dict(name="gemma2", folder=True, lengths=(1, 17, 67),
         config=config("gemma2", sliding_window=16, num_hidden_layers=4, query_pre_attn_scalar=8,
                       attn_logit_softcapping=5.0, final_logit_softcapping=6.0,
                       tie_word_embeddings=True)),
    dict(name="gemma3", folder=True, nested="gemma3", lengths=(1, 17, 67),
         config=config("gemma3_text", sliding_window=16, num_hidden_layers=7, sliding_window_pattern=6,
                       query_pre_attn_scalar=8, rope_theta=1000000.0, rope_local_base_freq=10000.0,
                       rope_scaling=dict(rope_type="linear", factor=8.0),
                       tie_word_embeddings=True)),
    dict(name="phi3", folder=True, lengths=(1, 17, 67),
         config=config("phi3", head_dim=16, num_hidden_layers=2, sliding_window=31,
                       partial_rotary_factor=0.75)),
    dict(name="phi3-long", lengths=(1, 17, 67),
         config=config("phi3", num_hidden_layers=2, original_max_position_embeddings=32,
                       rope_scaling=dict(type="longrope", short_factor=[1.0, 1.1, 1.3, 1.7],
                                         long_factor=[1.0, 2.0, 5.0, 9.0]))),
    dict(name="phi3-short", lengths=(1, 9), brief=True,
         config=config("phi3", num_hidden_layers=2, original_max_position_embeddings=32,
                       rope_scaling=dict(type="longrope", short_factor=[1.0, 1.1, 1.3, 1.7],
                                         long_factor=[1.0, 2.0, 5.0, 9.0]))),
    dict(name="smollm3", folder=True, lengths=(1, 17, 40),
         config=config("smollm3", num_hidden_layers=5, tie_word_embeddings=True,
                       no_rope_layers=[1, 1, 1, 0, 1])),
    dict(name="olmo2", folder=True, lengths=(1, 17, 67), config=config("olmo2")),
    dict(name="granite", folder=True, lengths=(1, 17, 40),
         config=config("granite", embedding_multiplier=12.0, residual_multiplier=0.22,
                       attention_multiplier=0.2, logits_scaling=4.0)),
    dict(name="granitemoe", folder=True, lengths=(1, 17, 40),
         config=config("granitemoe", embedding_multiplier=6.0, residual_multiplier=0.5,
                       attention_multiplier=0.25, logits_scaling=2.0, num_local_experts=5,
                       num_experts_per_tok=3, intermediate_size=32, num_hidden_layers=2)),
    dict(name="mixtral", folder=True, lengths=(1, 17, 40),
         config=config("mixtral", num_local_experts=4, num_experts_per_tok=2,
                       intermediate_size=32, num_hidden_layers=2)),
    dict(name="qwen3moe", folder=True, lengths=(1, 17, 40),
         config=config("qwen3_moe", num_experts=8, num_experts_per_tok=3, norm_topk_prob=True,
                       moe_intermediate_size=32, num_hidden_layers=2, head_dim=16)),
    dict(name="gpt-oss", lengths=(1, 17, 40), config=gpt_oss(num_experts_per_tok=2)),
    # Every expert is asked, or else what 8-bit activations change of a score may change an answer.
    dict(name="gpt-oss-mxfp4", folder=True, lengths=(1, 17, 40), mxfp4=True,
         config=gpt_oss(num_experts_per_tok=4, experts_per_token=4, swiglu_limit=7.0,
                        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
                        quantization_config=dict(quant_method="mxfp4"))),
    dict(name="qwen2vl", folder=True, nested=True, lengths=(1, 17, 40),
         config=config("qwen2_5_vl", rope_theta=1000000.0, use_sliding_window=False,
                       sliding_window=16, vision_config=dict(hidden_size=2),
                       rope_scaling=dict(type="mrope", mrope_section=[1, 1, 2]))),
    dict(name="seed_oss", folder=True, lengths=(1, 17, 40),
         config=config("seed_oss", head_dim=16, attention_bias=True, attention_out_bias=False,
                       mlp_bias=False, rope_theta=10000000.0)),
    dict(name="exaone4", folder=True, lengths=(1, 17, 67),
         config=config("exaone4", num_hidden_layers=5, sliding_window=16,
                       sliding_window_pattern="LLLG", rope_theta=1000000.0,
                       rope_scaling=dict(rope_type="llama3", factor=16.0, low_freq_factor=1.0,
                                         high_freq_factor=4.0,
                                         original_max_position_embeddings=64))),
    dict(name="olmo3", folder=True, lengths=(1, 17, 67),
         config=config("olmo3", num_hidden_layers=5, sliding_window=16,
                       layer_types=["sliding_attention"] * 3 + ["full_attention"] +
                       ["sliding_attention"],
                       rope_scaling=dict(rope_type="yarn", factor=8.0, beta_fast=32.0,
                                         beta_slow=1.0, attention_factor=1.2079441541679836,
                                         original_max_position_embeddings=64))),
    dict(name="llama-found", folder=True, fused=True, lengths=(1, 17, 40),
         config=config("llama", num_hidden_layers=2, attention_bias=True, mlp_bias=True,
                       max_position_embeddings=1 << 25)),
    dict(name="qwen3vl", folder=True, nested=True, lengths=(1, 17, 40),
         config=config("qwen3_vl", head_dim=16, rope_theta=5000000.0,
                       vision_config=dict(hidden_size=2),
                       rope_scaling=dict(rope_type="default", mrope_interleaved=True,
                                         mrope_section=[3, 3, 2]))),
    dict(name="ernie4_5", folder=True, lengths=(1, 17, 40),
         config=config("ernie4_5", head_dim=16, rope_theta=500000.0, use_bias=False)),
    dict(name="glm4", folder=True, lengths=(1, 17, 40),
         config=config("glm4", head_dim=16, partial_rotary_factor=0.5, attention_bias=True)),
    dict(name="mistral3", folder=True, nested="mistral3", lengths=(1, 17, 40),
         config=config("ministral3", head_dim=16, rope_theta=1000000.0,
                       rope_scaling=dict(rope_type="yarn", factor=8.0, beta_fast=32.0,
                                         beta_slow=1.0, mscale=1.0, mscale_all_dim=1.0,
                                         llama_4_scaling_beta=0.1,
                                         original_max_position_embeddings=64))),
    dict(name="arcee", folder=True, lengths=(1, 17, 67),
         config=config("arcee", hidden_act="relu2", head_dim=16,
                       rope_scaling=dict(rope_type="yarn", factor=20.0, beta_fast=32.0,
                                         beta_slow=1.0, mscale=1.0,
                                         original_max_position_embeddings=64))),
    dict(name="hunyuan-dense", folder=True, lengths=(1, 17, 40),
         config=config("hunyuan_v1_dense", head_dim=16, rope_theta=11158840.0,
                       tie_word_embeddings=True)),
    dict(name="command-r", folder=True, lengths=(1, 17, 40),
         config=cohere("cohere", logit_scale=0.5, rope_theta=8000000.0, use_qk_norm=False)),
    dict(name="cohere2", folder=True, lengths=(1, 17, 67),
         config=cohere("cohere2", num_hidden_layers=5, logit_scale=0.25, sliding_window=16,
                       sliding_window_pattern=4, rope_theta=50000.0, rotary_pct=1.0,
                       use_parallel_block=True, use_gated_activation=True, layer_switch=4)),
    dict(name="apertus", folder=True, lengths=(1, 17, 40),
         config=config("apertus", hidden_act="xielu", head_dim=16, rope_theta=12000000.0,
                       qk_norm=True, post_norm=False,
                       rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0,
                                         high_freq_factor=4.0,
                                         original_max_position_embeddings=64))),
    dict(name="gemma3-ollama", ollama=True, lengths=(1, 17, 40),
         config=config("gemma3_text", sliding_window=16, num_hidden_layers=7,
                       sliding_window_pattern=6, query_pre_attn_scalar=8, rms_norm_eps=1e-6,
                       rope_theta=1000000.0, rope_local_base_freq=20000.0,
                       tie_word_embeddings=True)),
]


# ---- numbers

def bf16(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Dice:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def vector(self, count, mean, deviation):
        return [bf16(self.random.gauss(mean, deviation)) for _ in range(count)]

    def matrix(self, rows, columns, deviation):
        return [self.vector(columns, 0, deviation) for _ in range(rows)]

    def mxfp4(self, rows, columns):
        """Rows of (exponent byte, 32 nibbles) blocks."""
        return [[(self.random.randint(121, 123), [self.random.randrange(16) for _ in range(32)])
                 for _ in range(columns // 32)] for _ in range(rows)]


FP4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def fp4_value(exponent, nibble):
    value = FP4[nibble & 7] * 2.0 ** (exponent - 127)
    return -value if nibble & 8 else value


def unpack_mxfp4(rows):
    return [[fp4_value(e, n) for e, nibbles in row for n in nibbles] for row in rows]


# ---- weights, named as in a safetensors file

XIELU = (("alpha_p", 0.2), ("alpha_n", -1.2), ("beta", 0.5))
ONE_PLUS = ("gemma", "gemma2", "gemma3_text")  # whose norms multiply with 1 + weight
HEAD_NORMED = ("gemma3_text", "qwen3_moe", "exaone4", "qwen3_vl", "dots1", "bailing_moe_v2",
               "apertus")
NORMED_LAST = ("hunyuan_v1_dense", "hunyuan_v1_moe")  # heads, after they have turned
CENTERED = ("cohere", "cohere2")  # whose norms are of what is left without the mean; parallel too
SIDE_BY_SIDE = ("ernie4_5", "ernie4_5_moe", "glm4") + CENTERED  # pairs that turn, in folders too
ROW_NORMED = ("olmo2", "olmo3", "minimax_m2", "olmoe")
POST_NORMED = ("olmo2", "olmo3", "exaone4")  # only what is added to the residual is normed
BIASED = {"gpt_oss": "qkvo", "llama": "qkvo", "qwen2_5_vl": "qkv", "seed_oss": "qkv",
          "glm4": "qkv", "glm4_moe": "qkv"}


def make_weights(spec, seed):
    c, dice, w = spec["config"], Dice(seed), {}
    kind, dim, ffn, size = c["model_type"], c["hidden_size"], c["intermediate_size"], c["head_dim"]
    heads, kv = c["num_attention_heads"], c["num_key_value_heads"]
    mean = 0.0 if kind in ONE_PLUS else 1.0

    def matrix(name, rows, columns, gain=1.4):
        if c["tie_word_embeddings"] and ("o_proj" in name or "down_proj" in name):
            gain = 5.0
        w[name] = dice.matrix(rows, columns, gain / math.sqrt(columns))

    def norm(name, count=dim):
        w[name] = [max(v, 0.25 - (1 - mean)) for v in dice.vector(count, mean, 0.3)]

    embedding = 1.0 / c.get("embedding_multiplier", math.sqrt(dim) if kind in ONE_PLUS else 1.0)
    if c["tie_word_embeddings"]:  # small, or else each token is answered by itself
        embedding = 0.1 if kind in ONE_PLUS else 0.2
    w["model.embed_tokens.weight"] = dice.matrix(VOCABULARY, dim, embedding)
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        if kind not in POST_NORMED:
            norm(p + "input_layernorm.weight")
        if kind not in CENTERED:
            norm(p + "post_attention_layernorm.weight")
        if kind == "glm4":
            norm(p + "post_self_attn_layernorm.weight")
            norm(p + "post_mlp_layernorm.weight")
        if kind in ("gemma2", "gemma3_text"):
            norm(p + "pre_feedforward_layernorm.weight")
        if kind in ("gemma2", "gemma3_text") + POST_NORMED:
            norm(p + "post_feedforward_layernorm.weight")
        if kind == "phi3":
            matrix(p + "self_attn.qkv_proj.weight", (heads + 2 * kv) * size, dim)
        else:
            matrix(p + "self_attn.q_proj.weight", heads * size, dim)
            matrix(p + "self_attn.k_proj.weight", kv * size, dim)
            matrix(p + "self_attn.v_proj.weight", kv * size, dim)
        matrix(p + "self_attn.o_proj.weight", dim, heads * size)
        if kind in BIASED:
            for part, rows in (("q", heads * size), ("k", kv * size), ("v", kv * size), ("o", dim)):
                if part in BIASED[kind]:
                    w[p + f"self_attn.{part}_proj.bias"] = dice.vector(rows, 0, 0.3)
        if kind == "gpt_oss":
            w[p + "self_attn.sinks"] = dice.vector(heads, 0, 1.5)
        if kind in HEAD_NORMED + NORMED_LAST:
            norm(p + "self_attn.q_norm.weight", size)
            norm(p + "self_attn.k_norm.weight", size)
        if kind in ROW_NORMED:
            norm(p + "self_attn.q_norm.weight", heads * size)
            norm(p + "self_attn.k_norm.weight", kv * size)
        if kind == "mixtral":
            matrix(p + "block_sparse_moe.gate.weight", c["num_local_experts"], dim, ROUTER_GAIN)
            for e in range(c["num_local_experts"]):
                for part, rows, columns in (("w1", ffn, dim), ("w3", ffn, dim), ("w2", dim, ffn)):
                    matrix(p + f"block_sparse_moe.experts.{e}.{part}.weight", rows, columns)
        elif kind == "granitemoe":
            experts = c["num_local_experts"]
            matrix(p + "block_sparse_moe.router.layer.weight", experts, dim, ROUTER_GAIN)
            w[p + "block_sparse_moe.input_linear.weight"] = [
                dice.matrix(2 * ffn, dim, 1.4 / math.sqrt(dim)) for _ in range(experts)]
            w[p + "block_sparse_moe.output_linear.weight"] = [
                dice.matrix(dim, ffn, 1.4 / math.sqrt(ffn)) for _ in range(experts)]
        elif kind == "qwen3_moe":
            width = c["moe_intermediate_size"]
            matrix(p + "mlp.gate.weight", c["num_experts"], dim, ROUTER_GAIN)
            for e in range(c["num_experts"]):
                matrix(p + f"mlp.experts.{e}.gate_proj.weight", width, dim)
                matrix(p + f"mlp.experts.{e}.up_proj.weight", width, dim)
                matrix(p + f"mlp.experts.{e}.down_proj.weight", dim, width)
        elif kind == "gpt_oss":
            experts = c["num_local_experts"]
            matrix(p + "mlp.router.weight", experts, dim, ROUTER_GAIN)
            w[p + "mlp.router.bias"] = dice.vector(experts, 0, 0.5)
            # Rows as they are packed: 2 ffn of them, gate and up in turn.
            for name, rows, columns in (("gate_up_proj", 2 * ffn, dim), ("down_proj", dim, ffn)):
                w[f"{p}mlp.experts.{name}_{'blocks' if spec.get('mxfp4') else 'rows'}"] = [
                    dice.mxfp4(rows, columns) if spec.get("mxfp4")
                    else dice.matrix(rows, columns, 1.4 / math.sqrt(columns))
                    for _ in range(experts)]
            w[p + "mlp.experts.gate_up_proj_bias"] = dice.matrix(experts, 2 * ffn, 0.5)
            w[p + "mlp.experts.down_proj_bias"] = dice.matrix(experts, dim, 0.3)
        elif kind in ("phi3", "glm4"):
            matrix(p + "mlp.gate_up_proj.weight", 2 * ffn, dim)
            matrix(p + "mlp.down_proj.weight", dim, ffn)
        else:
            if kind not in ("arcee", "apertus"):
                matrix(p + "mlp.gate_proj.weight", ffn, dim)
            matrix(p + "mlp.up_proj.weight", ffn, dim)
            matrix(p + "mlp.down_proj.weight", dim, ffn)
        if kind == "apertus":
            w.update({f"{p}mlp.act_fn.{part}": dice.vector(1, mean, 0.3) for part, mean in XIELU})
        if c.get("mlp_bias"):
            for part, rows in (("gate", ffn), ("up", ffn), ("down", dim)):
                w[p + f"mlp.{part}_proj.bias"] = dice.vector(rows, 0, 0.3)
    norm("model.norm.weight")
    if c["tie_word_embeddings"]:
        w["model.norm.weight"] = [bf16(v + 3) for v in w["model.norm.weight"]]
    if not c["tie_word_embeddings"]:
        gain = 2.0 * c.get("logits_scaling", 1.0)
        w["lm_head.weight"] = dice.matrix(VOCABULARY, dim, gain / math.sqrt(dim))
    return w


# ---- the model

def dot(a, b):
    return sum(map(mul, a, b))


def times(matrix, x, bias=None):
    y = [dot(row, x) for row in matrix]
    return [a + b for a, b in zip(y, bias)] if bias else y


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def silu(x):
    return x * sigmoid(x)


def gelu_tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def xielu(x, alpha_p, alpha_n, beta):
    positive, negative = math.log1p(math.exp(alpha_p)), beta + math.log1p(math.exp(alpha_n))
    return (positive * x * x if x > 0 else negative * (math.expm1(x) - x)) + beta * x


def softmax(scores):
    top = max(scores)
    powers = [math.exp(s - top) for s in scores]
    return [p / sum(powers) for p in powers]


def largest(scores, count):
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:count]


def llama3_divisors(angles, scaling):
    """Slow pairs are divided by the factor, fast ones are not, and those between by a blend."""
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    divisors = []
    for angle in angles:
        length = 2 * math.pi / angle
        turns = scaling["original_max_position_embeddings"] / length
        smooth = min(max((turns - low) / (high - low), 0), 1)
        divisors.append(1 / ((1 - smooth) / scaling["factor"] + smooth))
    return divisors


def yarn(plain, base, scaling):
    """The same pairs stretched, and what cosine and sine are multiplied by (arXiv 2309.00071)."""
    size = 2 * len(plain)

    def pair(turns):
        return size * math.log(scaling["original_max_position_embeddings"] /
                               (turns * 2 * math.pi)) / (2 * math.log(base))
    low, high = pair(scaling["beta_fast"]), pair(scaling["beta_slow"])
    if scaling.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, size - 1)
    kept = [1 - min(max((i - low) / max(high - low, 0.001), 0), 1) for i in range(size // 2)]
    return ([f / scaling["factor"] * (1 - k) + f * k for f, k in zip(plain, kept)],
            scaling.get("attention_factor", (0.1 * math.log(scaling["factor"]) + 1) /
                        (0.1 * scaling.get("mscale_all_dim", 0) * math.log(scaling["factor"]) + 1)))


class Model:
    """One sequence: step() takes a token and returns the logits after it."""

    def __init__(self, spec, weights):
        self.c, self.w = dict(spec["config"]), dict(weights)
        self.kind, self.brief = self.c["model_type"], spec.get("brief", False)
        self.past = [([], []) for _ in range(self.c["num_hidden_layers"])]
        for name in list(self.w):
            if name.endswith("_blocks"):
                self.w[name[:-len("blocks")] + "rows"] = [unpack_mxfp4(rows)
                                                          for rows in self.w[name]]
        self.turns, self.router_margin = {}, math.inf

    def norm(self, name, x):
        weight = self.w[name]
        if self.kind in CENTERED:
            mean = sum(x) / len(x)
            x = [v - mean for v in x]
        eps = self.c["layer_norm_eps" if self.kind in CENTERED else "rms_norm_eps"]
        scale = 1 / math.sqrt(dot(x, x) / len(x) + eps)
        extra = 1.0 if self.kind in ONE_PLUS else 0.0
        return [v * scale * (extra + g) for v, g in zip(x, weight)]

    def unit(self, x):
        scale = 1 / math.sqrt(dot(x, x) / len(x) + self.c["rms_norm_eps"])
        return [v * scale for v in x]

    # -- what a layer is

    def window(self, layer):
        c, width = self.c, self.c.get("sliding_window")
        if not c.get("use_sliding_window", True):
            return None
        if self.kind in ("gemma2", "gpt_oss"):
            return width if layer % 2 == 0 else None
        if "layer_types" in c and self.kind != "gpt_oss":  # whose files leave it to be known
            return width if c["layer_types"][layer] == "sliding_attention" else None
        if self.kind == "exaone4":
            pattern = c["sliding_window_pattern"]
            return width if pattern[layer % len(pattern)] == "L" else None
        if self.kind in ("gemma3_text", "cohere2"):
            return width if (layer + 1) % c["sliding_window_pattern"] else None
        return width

    def frequencies(self, layer):
        """Angles a position, and what cosine and sine are multiplied by."""
        c = self.c
        size = int(c["head_dim"] * c.get("partial_rotary_factor", 1.0))
        base, scaling = c["rope_theta"], c.get("rope_scaling") or {}
        if self.kind == "gemma3_text" and self.window(layer):
            base, scaling = c["rope_local_base_freq"], {}
        if self.kind == "olmo3" and self.window(layer):
            scaling = {}
        if self.kind in ("smollm3", "llama4_text") and not c["no_rope_layers"][layer]:
            return None
        if self.kind in ("exaone4", "cohere2") and not self.window(layer):
            return None
        plain = [base ** (-2 * i / size) for i in range(size // 2)]
        kind = scaling.get("rope_type", scaling.get("type"))
        if kind == "llama3":
            return [f / d for f, d in zip(plain, llama3_divisors(plain, scaling))], 1.0
        if kind == "linear":
            return [f / scaling["factor"] for f in plain], 1.0
        if kind == "longrope":
            original = c["original_max_position_embeddings"]
            factors = scaling["short_factor" if self.brief else "long_factor"]
            ratio = c["max_position_embeddings"] / original
            return ([f / s for f, s in zip(plain, factors)],
                    math.sqrt(1 + math.log(ratio) / math.log(original)))
        if kind == "yarn":
            return yarn(plain, base, scaling)
        return plain, 1.0

    def places(self, position, pairs):
        """By which position each pair turns: of the time, the height or the width of an image's
        patch, in sections; a token of text has one for all three."""
        sections = (self.c.get("rope_scaling") or {}).get("mrope_section", [pairs])
        of_token = dict(time=position, height=position, width=position)
        return [place for section, place in zip(sections, of_token.values())
                for _ in range(section)]

    def rotate(self, head, position, layer):
        """The first half of the rotated part turns with the second."""
        if layer not in self.turns:
            self.turns[layer] = self.frequencies(layer)
        if self.turns[layer] is None:
            return head
        angles, magnitude = self.turns[layer]
        half, out = len(angles), list(head)
        places = self.places(position, half)
        if self.kind in SIDE_BY_SIDE:
            for i, angle in enumerate(angles):
                turn = complex(math.cos(position * angle), math.sin(position * angle)) * magnitude
                turned = complex(head[2 * i], head[2 * i + 1]) * turn
                out[2 * i:2 * i + 2] = turned.real, turned.imag
            return out
        for i, angle in enumerate(angles):
            cosine = math.cos(places[i] * angle) * magnitude
            sine = math.sin(places[i] * angle) * magnitude
            out[i] = head[i] * cosine - head[i + half] * sine
            out[i + half] = head[i + half] * cosine + head[i] * sine
        return out

    # -- attention

    def project(self, prefix, x):
        c, w = self.c, self.w
        size, heads, kv = c["head_dim"], c["num_attention_heads"], c["num_key_value_heads"]
        if self.kind == "phi3":
            all_rows = times(w[prefix + "qkv_proj.weight"], x)
            q, rest = all_rows[:heads * size], all_rows[heads * size:]
            k, v = rest[:kv * size], rest[kv * size:]
        else:
            q, k, v = (times(w[f"{prefix}{part}_proj.weight"], x,
                             w.get(f"{prefix}{part}_proj.bias")) for part in "qkv")
        if self.kind in ROW_NORMED:
            q, k = self.norm(prefix + "q_norm.weight", q), self.norm(prefix + "k_norm.weight", k)
        q, k, v = ([rows[h * size:(h + 1) * size] for h in range(len(rows) // size)]
                   for rows in (q, k, v))
        if self.kind in HEAD_NORMED:
            q = [self.norm(prefix + "q_norm.weight", head) for head in q]
            k = [self.norm(prefix + "k_norm.weight", head) for head in k]
        return q, k, v

    def attend(self, layer, x):
        c, prefix = self.c, f"model.layers.{layer}.self_attn."
        q, k, v = self.project(prefix, x)
        keys, values = self.past[layer]
        position = len(keys)
        q = [self.rotate(head, position, layer) for head in q]
        k = [self.rotate(head, position, layer) for head in k]
        if self.kind in NORMED_LAST:
            q = [self.norm(prefix + "q_norm.weight", head) for head in q]
            k = [self.norm(prefix + "k_norm.weight", head) for head in k]
        if self.kind == "llama4_text" and self.turns[layer]:
            q, k = ([self.unit(head) for head in heads] for heads in (q, k))
        keys.append(k)
        values.append(v)
        scale = c.get("attention_multiplier", c.get("query_pre_attn_scalar", c["head_dim"]) ** -0.5)
        width, cap = self.window(layer), c.get("attn_logit_softcapping")
        first = max(0, position + 1 - width) if width else 0
        group, out = len(q) // len(k), []
        for h, head in enumerate(q):
            scores = [dot(head, key[h // group]) * scale for key in keys[first:]]
            if cap:
                scores = [math.tanh(s / cap) * cap for s in scores]
            if self.kind == "gpt_oss":
                scores.append(self.w[prefix + "sinks"][h])
            shares = softmax(scores)
            seen = [value[h // group] for value in values[first:]]
            out += [dot(shares, column) for column in zip(*seen)]
        return times(self.w[prefix + "o_proj.weight"], out, self.w.get(prefix + "o_proj.bias"))

    # -- feed-forward

    def gated(self, gate, up, down, x, act, biases=(None, None, None)):
        pairs = zip(times(gate, x, biases[0]), times(up, x, biases[1]))
        return times(down, [act(g) * u for g, u in pairs], biases[2])

    def experts(self, layer, x):
        c, w, prefix = self.c, self.w, f"model.layers.{layer}."
        router = {"mixtral": "block_sparse_moe.gate", "granitemoe": "block_sparse_moe.router.layer",
                  "qwen3_moe": "mlp.gate", "gpt_oss": "mlp.router"}[self.kind]
        scores = times(w[f"{prefix}{router}.weight"], x, w.get(f"{prefix}{router}.bias"))
        order, used = sorted(scores, reverse=True), c["num_experts_per_tok"]
        if used < len(order):
            self.router_margin = min(self.router_margin, order[used - 1] - order[used])
        if self.kind in ("mixtral", "qwen3_moe"):
            shares = softmax(scores)
            chosen = largest(shares, c["num_experts_per_tok"])
            total = sum(shares[e] for e in chosen)
            shares = [shares[e] / total for e in chosen]
        else:
            chosen = largest(scores, c["num_experts_per_tok"])
            shares = softmax([scores[e] for e in chosen])
        y = [0.0] * len(x)
        for e, share in zip(chosen, shares):
            y = [a + share * b for a, b in zip(y, self.expert(prefix, e, x))]
        return y

    def expert(self, prefix, e, x):
        w = self.w
        if self.kind == "mixtral":
            at = f"{prefix}block_sparse_moe.experts.{e}."
            return self.gated(w[at + "w1.weight"], w[at + "w3.weight"], w[at + "w2.weight"], x, silu)
        if self.kind == "qwen3_moe":
            at = f"{prefix}mlp.experts.{e}."
            return self.gated(w[at + "gate_proj.weight"], w[at + "up_proj.weight"],
                              w[at + "down_proj.weight"], x, silu)
        if self.kind == "granitemoe":
            both = w[prefix + "block_sparse_moe.input_linear.weight"][e]
            half = len(both) // 2
            return self.gated(both[:half], both[half:],
                              w[prefix + "block_sparse_moe.output_linear.weight"][e], x, silu)
        both = times(w[prefix + "mlp.experts.gate_up_proj_rows"][e], x,
                     w[prefix + "mlp.experts.gate_up_proj_bias"][e])
        gate = [min(g, 7.0) for g in both[0::2]]
        up = [min(max(u, -7.0), 7.0) for u in both[1::2]]
        hidden = [(u + 1) * g * sigmoid(1.702 * g) for g, u in zip(gate, up)]
        return times(w[prefix + "mlp.experts.down_proj_rows"][e], hidden,
                     w[prefix + "mlp.experts.down_proj_bias"][e])

    def feed_forward(self, layer, x):
        w, prefix = self.w, f"model.layers.{layer}.mlp."
        if self.kind in ("mixtral", "granitemoe", "qwen3_moe", "gpt_oss"):
            return self.experts(layer, x)
        act = gelu_tanh if self.kind in ONE_PLUS else silu
        if self.kind == "arcee":
            hidden = [max(u, 0.0) ** 2 for u in times(w[prefix + "up_proj.weight"], x)]
            return times(w[prefix + "down_proj.weight"], hidden)
        if self.kind == "apertus":
            up, down = w[prefix + "up_proj.weight"], w[prefix + "down_proj.weight"]
            numbers = [w[f"{prefix}act_fn.{part}"][0] for part, _ in XIELU]
            return times(down, [xielu(u, *numbers) for u in times(up, x)])
        if self.kind in ("phi3", "glm4"):
            both = w[prefix + "gate_up_proj.weight"]
            gate, up = both[:len(both) // 2], both[len(both) // 2:]
        else:
            gate, up = w[prefix + "gate_proj.weight"], w[prefix + "up_proj.weight"]
        return self.gated(gate, up, w[prefix + "down_proj.weight"], x, act,
                          [w.get(f"{prefix}{part}_proj.bias") for part in ("gate", "up", "down")])

    # -- all of it

    def layer(self, i, x):
        p, kind = f"model.layers.{i}.", self.kind
        scale = self.c.get("residual_multiplier", 1.0)

        def add(x, y):
            return [a + scale * b for a, b in zip(x, y)]

        if kind in POST_NORMED:
            x = add(x, self.norm(p + "post_attention_layernorm.weight", self.attend(i, x)))
            return add(x, self.norm(p + "post_feedforward_layernorm.weight",
                                    self.feed_forward(i, x)))
        normed = self.norm(p + "input_layernorm.weight", x)
        y = self.attend(i, normed)
        if kind in CENTERED:
            return add(add(x, y), self.feed_forward(i, normed))
        if kind == "glm4":
            x = add(x, self.norm(p + "post_self_attn_layernorm.weight", y))
            y = self.feed_forward(i, self.norm(p + "post_attention_layernorm.weight", x))
            return add(x, self.norm(p + "post_mlp_layernorm.weight", y))
        if kind in ("gemma2", "gemma3_text"):
            x = add(x, self.norm(p + "post_attention_layernorm.weight", y))
            y = self.feed_forward(i, self.norm(p + "pre_feedforward_layernorm.weight", x))
            return add(x, self.norm(p + "post_feedforward_layernorm.weight", y))
        x = add(x, y)
        return add(x, self.feed_forward(i, self.norm(p + "post_attention_layernorm.weight", x)))

    def step(self, token):
        c, w = self.c, self.w
        x = w["model.embed_tokens.weight"][token]
        scale = c.get("embedding_multiplier", 1.0)
        if self.kind in ONE_PLUS:
            scale = math.sqrt(c["hidden_size"])
        x = [v * scale for v in x]
        for i in range(c["num_hidden_layers"]):
            x = self.layer(i, x)
        x = self.norm("model.norm.weight", x)
        y = times(w.get("lm_head.weight", w["model.embed_tokens.weight"]), x)
        y = [v * c.get("logit_scale", 1.0) / c.get("logits_scaling", 1.0) for v in y]
        cap = c.get("final_logit_softcapping")
        return [cap * math.tanh(v / cap) for v in y] if cap else y


def run(spec, weights, prompts, model_class):
    results, margin, distinct = [], math.inf, CONTINUATION
    for prompt in prompts:
        model, rows, greedy = model_class(spec, weights), [], []
        for token in prompt:
            rows.append(model.step(token))
        if model.router_margin < spec.get("clear_prompts", 0):
            return None, 0, 0
        logits = rows[-1]
        for _ in range(CONTINUATION):
            first, second = largest(logits, 2)
            margin = min(margin, logits[first] - logits[second])
            greedy.append(first)
            logits = model.step(first)
        if model.router_margin < spec.get("clear", ROUTER_MARGIN):
            return None, 0, 0
        distinct = min(distinct, len(set(greedy)))
        results.append((prompt, rows[-LOGIT_ROWS:], greedy))
    return results, margin, distinct


# ---- the GGUF file

U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
TYPE_F32, TYPE_BF16, TYPE_MXFP4 = 0, 30, 39
ALIGNMENT = 32


def pack_string(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def pack_key(name, kind, value):
    values, head = [value], struct.pack("<I", kind)
    if isinstance(value, list):  # of `kind`
        values, head = value, struct.pack("<IIQ", ARRAY, kind, len(value))
    if kind == STRING:
        return pack_string(name) + head + b"".join(pack_string(v) for v in values)
    form = {U32: "I", F32: "f", BOOL: "?", I32: "i"}[kind]
    return pack_string(name) + head + struct.pack(f"<{len(values)}{form}", *values)


def pack_bf16(values):
    return b"".join(struct.pack("<f", v)[2:] for v in values)


def pack_mxfp4(rows):
    """Low nibbles are elements 0 to 15 of a block, high ones 16 to 31."""
    out = bytearray()
    for row in rows:
        for exponent, nibbles in row:
            out.append(exponent)
            out += bytes(nibbles[i] | nibbles[i + 16] << 4 for i in range(16))
    return bytes(out)


def write_gguf(path, keys, tensors):
    """tensors: (name, shape as rows of rows, type, bytes)."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys))
    head += b"".join(pack_key(*key) for key in keys)
    data = b""
    for name, shape, kind, content in tensors:
        head += pack_string(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *shape[::-1])
        head += struct.pack("<IQ", kind, len(data))
        data += content + bytes(-len(content) % ALIGNMENT)
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT) + data)


ARCHITECTURES = {"mistral": "llama", "qwen2_5_vl": "qwen2vl", "mixtral": "llama", "gemma3_text": "gemma3",
                 "qwen3_moe": "qwen3moe", "olmo3": "olmo2", "hunyuan_v1_dense": "hunyuan-dense",
                 "cohere": "command-r",
                 "qwen3_vl": "qwen3vl", "ministral3": "mistral3", "gpt_oss": "gpt-oss"}
PAIRED = ("llama", "ministral3", "arcee", "mistral", "mixtral", "smollm3", "granite", "granitemoe")  # whose files pair neighbours


def keys_of(spec):
    c = spec["config"]
    kind = c["model_type"]
    arch, scaling = ARCHITECTURES.get(kind, kind), c.get("rope_scaling") or {}
    keys = [("general.architecture", STRING, arch), ("general.name", STRING, spec["name"])]

    def add(name, type_, value):
        if value is not None:
            keys.append((f"{arch}.{name}", type_, value))

    add("block_count", U32, c["num_hidden_layers"])
    add("context_length", U32, c["max_position_embeddings"])
    add("embedding_length", U32, c["hidden_size"])
    add("feed_forward_length", U32, c["intermediate_size"] if kind != "gpt_oss" else None)
    add("attention.head_count", U32, c["num_attention_heads"])
    add("attention.head_count_kv", U32, c["num_key_value_heads"])
    add("attention.key_length", U32, c["head_dim"])
    add("attention.value_length", U32, c["head_dim"])
    add("attention.layer_norm_rms_epsilon", F32, c.get("rms_norm_eps"))
    add("attention.layer_norm_epsilon", F32, c.get("layer_norm_eps"))
    if c.get("use_sliding_window", True):
        add("attention.sliding_window", U32, c.get("sliding_window"))
    if "mrope_section" in scaling:
        add("rope.dimension_sections", I32, scaling["mrope_section"] + [0])
    if isinstance(c.get("sliding_window_pattern"), str):
        pattern = c["sliding_window_pattern"]
        add("attention.sliding_window_pattern", BOOL,
            [pattern[i % len(pattern)] == "L" for i in range(c["num_hidden_layers"])])
    if "layer_types" in c and kind != "gpt_oss":  # whose files leave it to be known
        add("attention.sliding_window_pattern", BOOL,
            [kind == "sliding_attention" for kind in c["layer_types"]])
    add("rope.freq_base", F32, c["rope_theta"])
    if "partial_rotary_factor" in c:
        add("rope.dimension_count", U32, int(c["head_dim"] * c["partial_rotary_factor"]))
    add("attn_logit_softcapping", F32, c.get("attn_logit_softcapping"))
    add("final_logit_softcapping", F32, c.get("final_logit_softcapping"))
    add("embedding_scale", F32, c.get("embedding_multiplier"))
    add("residual_scale", F32, c.get("residual_multiplier"))
    add("attention.scale", F32, c.get("attention_multiplier"))
    add("logit_scale", F32, c.get("logits_scaling", c.get("logit_scale")))
    add("expert_count", U32, c.get("num_local_experts", c.get("num_experts")))
    add("expert_used_count", U32, c.get("num_experts_per_tok"))
    if kind in ("qwen3_moe", "gpt_oss"):
        add("expert_feed_forward_length", U32,
            c.get("moe_intermediate_size", c["intermediate_size"]))
    if spec.get("fused"):  # as files are found: a list of one number, and 0 for what there is not
        layers = c["num_hidden_layers"]
        keys = [(key, kind, [value] * layers if key.endswith(
            ("head_count", "head_count_kv", "feed_forward_length")) else value)
                for key, kind, value in keys]
        add("attention.sliding_window", U32, 0)
        add("expert_count", U32, 0)
        add("expert_used_count", U32, 0)
        add("rope.scaling.factor", F32, 0.0)
    if scaling.get("rope_type") in ("linear", "yarn"):
        add("rope.scaling.type", STRING, scaling["rope_type"])
        add("rope.scaling.factor", F32, scaling["factor"])
        add("rope.scaling.original_context_length", U32,
            scaling.get("original_max_position_embeddings"))
        add("rope.scaling.yarn_attn_factor", F32, scaling.get("attention_factor"))
        add("rope.scaling.yarn_log_multiplier", F32, scaling.get("mscale_all_dim"))
        add("attention.temperature_scale", F32, scaling.get("llama_4_scaling_beta"))
    if scaling.get("type") == "longrope":
        original = c["original_max_position_embeddings"]
        ratio = c["max_position_embeddings"] / original
        add("rope.scaling.original_context_length", U32, original)
        add("rope.scaling.attn_factor", F32, math.sqrt(1 + math.log(ratio) / math.log(original)))
    return keys


def xielu_keys(c, weights):
    """Under no family's name, a number a layer."""
    layers = range(c["num_hidden_layers"] if c.get("model_type") == "apertus" else 0)
    keys = [(f"xielu.{part}", F32, [weights[f"model.layers.{i}.mlp.act_fn.{part}"][0]
                                    for i in layers]) for part, _ in XIELU]
    return keys + [("xielu.eps", F32, [bf16(-1e-6) for _ in layers])] if layers else []


NAMES = [("self_attn.qkv_proj.", "attn_qkv."), ("self_attn.q_proj.", "attn_q."),
         ("self_attn.k_proj.", "attn_k."), ("self_attn.v_proj.", "attn_v."),
         ("self_attn.o_proj.", "attn_output."), ("self_attn.q_norm.", "attn_q_norm."),
         ("self_attn.k_norm.", "attn_k_norm."), ("self_attn.sinks", "attn_sinks.weight"),
         ("input_layernorm.", "attn_norm."), ("pre_feedforward_layernorm.", "ffn_norm."),
         ("post_feedforward_layernorm.", "post_ffw_norm."),
         ("post_self_attn_layernorm.", "post_attention_norm."),
         ("post_mlp_layernorm.", "post_ffw_norm."), ("mlp.gate_up_proj.", "ffn_up."),
         ("mlp.gate_proj.", "ffn_gate."), ("mlp.up_proj.", "ffn_up."),
         ("mlp.down_proj.", "ffn_down."), ("mlp.router.", "ffn_gate_inp."),
         ("mlp.gate.e_score_correction_bias", "exp_probs_b.bias"),
         ("mlp.moe_statics.e_score_correction_bias", "exp_probs_b.bias"),
         ("mlp.shared_experts.gate_proj.", "ffn_gate_shexp."),
         ("mlp.shared_experts.up_proj.", "ffn_up_shexp."),
         ("mlp.shared_experts.down_proj.", "ffn_down_shexp."),
         ("mlp.gate.", "ffn_gate_inp."), ("block_sparse_moe.gate.", "ffn_gate_inp."),
         ("block_sparse_moe.router.layer.", "ffn_gate_inp.")]


def gguf_name(kind, name):
    for theirs, ours in (("model.embed_tokens.", "token_embd."), ("model.norm.", "output_norm."),
                         ("lm_head.", "output.")):
        if name.startswith(theirs):
            return ours + name[len(theirs):]
    _, _, layer, rest = name.split(".", 3)
    if rest.startswith("post_attention_layernorm."):
        keeps = kind in ("gemma2", "gemma3_text", "gpt_oss", "seed_oss", "glm4_moe") + POST_NORMED
        return f"blk.{layer}." + ("post_attention_norm.weight" if keeps else "ffn_norm.weight")
    for theirs, ours in NAMES:
        if rest.startswith(theirs):
            return f"blk.{layer}.{ours}{rest[len(theirs):]}"
    raise KeyError(name)


def pair_rows(rows, heads):
    """The halves of each head interleaved, row by row."""
    size = len(rows) // heads
    return [rows[h * size + i // 2 + i % 2 * (size // 2)] for h in range(heads)
            for i in range(size)]


def expert_tensors(spec, weights, layer):
    c, p, out = spec["config"], f"model.layers.{layer}.", []
    kind, ours = c["model_type"], f"blk.{layer}."

    def add(name, matrices):
        shape = (len(matrices), len(matrices[0]), len(matrices[0][0]))
        out.append((f"{ours}{name}.weight", shape, TYPE_BF16,
                    b"".join(pack_bf16(row) for m in matrices for row in m)))

    if kind in ("mixtral", "qwen3_moe"):
        at = p + ("block_sparse_moe" if kind == "mixtral" else "mlp") + ".experts."
        parts = ("w1", "w3", "w2") if kind == "mixtral" else ("gate_proj", "up_proj", "down_proj")
        count = c.get("num_local_experts", c.get("num_experts"))
        for part, name in zip(parts, ("ffn_gate_exps", "ffn_up_exps", "ffn_down_exps")):
            add(name, [weights[f"{at}{e}.{part}.weight"] for e in range(count)])
    if kind == "granitemoe":
        both = weights[p + "block_sparse_moe.input_linear.weight"]
        half = c["intermediate_size"]
        add("ffn_gate_exps", [m[:half] for m in both])
        add("ffn_up_exps", [m[half:] for m in both])
        add("ffn_down_exps", weights[p + "block_sparse_moe.output_linear.weight"])
    if kind == "gpt_oss":
        packed = "blocks" if spec.get("mxfp4") else "rows"
        both = weights[f"{p}mlp.experts.gate_up_proj_{packed}"]
        down = weights[f"{p}mlp.experts.down_proj_{packed}"]
        for name, matrices in (("ffn_gate_exps", [m[0::2] for m in both]),
                               ("ffn_up_exps", [m[1::2] for m in both]), ("ffn_down_exps", down)):
            if packed == "rows":
                add(name, matrices)
                continue
            shape = (len(matrices), len(matrices[0]), 32 * len(matrices[0][0]))
            out.append((f"{ours}{name}.weight", shape, TYPE_MXFP4,
                        b"".join(pack_mxfp4(m) for m in matrices)))
        both = weights[p + "mlp.experts.gate_up_proj_bias"]
        for name, rows in (("ffn_gate_exps", [b[0::2] for b in both]),
                           ("ffn_up_exps", [b[1::2] for b in both]),
                           ("ffn_down_exps", weights[p + "mlp.experts.down_proj_bias"])):
            flat = [v for row in rows for v in row]
            out.append((f"{ours}{name}.bias", (len(rows), len(rows[0])), TYPE_F32,
                        struct.pack(f"<{len(flat)}f", *flat)))
    return out


def tensors_of(spec, weights):
    c, tensors = spec["config"], []
    kind, scaling = c["model_type"], c.get("rope_scaling") or {}
    for length in ("long", "short"):
        if f"{length}_factor" in scaling:
            factors = scaling[f"{length}_factor"]
            tensors.append((f"rope_factors_{length}.weight", (len(factors),), TYPE_F32,
                            struct.pack(f"<{len(factors)}f", *factors)))
    if scaling.get("rope_type") == "llama3":
        size = c["head_dim"]
        plain = [c["rope_theta"] ** (-2 * i / size) for i in range(size // 2)]
        divisors = llama3_divisors(plain, scaling)
        tensors.append(("rope_freqs.weight", (len(divisors),), TYPE_F32,
                        struct.pack(f"<{len(divisors)}f", *divisors)))
    for name, value in weights.items():
        if ".experts." in name or "put_linear" in name or ".act_fn." in name:
            continue
        ours = gguf_name(kind, name)
        if not isinstance(value[0], list):
            extra = 1.0 if kind in ONE_PLUS and "norm" in name else 0.0
            value = [f32(v + extra) for v in value]
            if kind in PAIRED and (".attn_q." in ours or ".attn_k." in ours):
                value = pair_rows(value, len(value) // c["head_dim"])
            tensors.append((ours, (len(value),), TYPE_F32, struct.pack(f"<{len(value)}f", *value)))
            continue
        if kind in PAIRED and ".attn_q." in ours:
            value = pair_rows(value, c["num_attention_heads"])
        if kind in PAIRED and ".attn_k." in ours:
            value = pair_rows(value, c["num_key_value_heads"])
        tensors.append((ours, (len(value), len(value[0])), TYPE_BF16,
                        b"".join(pack_bf16(row) for row in value)))
    for layer in range(c["num_hidden_layers"]):
        tensors += expert_tensors(spec, weights, layer)
    return fuse(tensors) if spec.get("fused") else tensors


def fuse(tensors):
    """q, k and v of a layer as one matrix, as some converters write them."""
    fused, out = {}, []
    for name, shape, kind, content in tensors:
        part = name.replace(".attn_q.", ".attn_qkv.").replace(".attn_k.", ".attn_qkv.")
        part = part.replace(".attn_v.", ".attn_qkv.")
        if ".attn_qkv." not in part:
            out.append((name, shape, kind, content))
            continue
        rows, before = fused.get(part, ((0,), b""))[:2]
        fused[part] = ((rows[0] + shape[0],) + shape[1:], before + content, kind)
    return out + [(name, shape, kind, content) for name, (shape, content, kind) in fused.items()]


# ---- the folder

def write_safetensors(path, names, weights):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    def add(name, kind, shape, content):
        nonlocal data
        header[name] = dict(dtype=kind, shape=shape,
                            data_offsets=[len(data), len(data) + len(content)])
        data += content

    for name in names:
        if name.endswith("_blocks"):  # neighbours in one byte, exponents apart
            blocks = [block for matrix in weights[name] for row in matrix for block in row]
            shape = [len(weights[name]), len(weights[name][0]), len(weights[name][0][0])]
            add(name, "U8", shape + [16], b"".join(
                bytes(n[i] | n[i + 1] << 4 for i in range(0, 32, 2)) for _, n in blocks))
            add(name.replace("_blocks", "_scales"), "U8", shape, bytes(e for e, _ in blocks))
            continue
        flat = inner = weights[name]
        shape = [len(inner)]
        while isinstance(inner[0], list):
            inner = inner[0]
            shape.append(len(inner))
            flat = [v for part in flat for v in part]
        if all(bf16(v) == v for v in flat):
            add(name, "BF16", shape, pack_bf16(flat))
        else:
            add(name, "F32", shape, struct.pack(f"<{len(flat)}f", *flat))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


OTHER_WORDS = {"apertus": {"input_layernorm": "attention_layernorm",
                           "post_attention_layernorm": "feedforward_layernorm"},
               "hunyuan_v1_dense": {"q_norm": "query_layernorm", "k_norm": "key_layernorm"}}


def write_folder(path, spec, weights):
    """In two shards, as large models are."""
    kind = spec["config"]["model_type"]
    weights = {name.replace(old := name.split(".")[-2], OTHER_WORDS.get(kind, {}).get(old, old)): value
               for name, value in weights.items()}
    if kind == "hunyuan_v1_dense":  # the base is told by a factor of another one
        alpha = (spec["config"]["rope_theta"] / 10000) ** (14 / 16)
        scaling = dict(type="dynamic", alpha=alpha, factor=1.0, mscale=1.0, mscale_all_dim=1.0)
        spec = dict(spec, config=dict(spec["config"], rope_theta=10000.0, rope_scaling=scaling))
    os.makedirs(path, exist_ok=True)
    names = list(weights)
    shards = [names[:len(names) // 2], names[len(names) // 2:]]
    index = {"metadata": {"total_size": 0}, "weight_map": {}}
    for i, part in enumerate(shards):
        file = f"model-{i + 1:05d}-of-{len(shards):05d}.safetensors"
        write_safetensors(os.path.join(path, file), part, weights)
        index["weight_map"].update({name: file for name in part})
    for name, content in (("model.safetensors.index.json", index), ("config.json", spec["config"])):
        with open(os.path.join(path, name), "w") as file:
            json.dump(content, file, indent=1)
            file.write("\n")


def write_golden(path, results):
    with open(path, "wb") as file:
        file.write(b"QGOLDEN1" + struct.pack("<ii", VOCABULARY, len(results)))
        for prompt, rows, greedy in results:
            file.write(struct.pack("<iii", len(prompt), len(rows), len(greedy)))
            file.write(struct.pack(f"<{len(prompt)}i", *prompt))
            for row in rows:
                file.write(struct.pack(f"<{VOCABULARY}f", *row))
            file.write(struct.pack(f"<{len(greedy)}i", *greedy))


def write_folders(path, spec, weights):
    """Of a model with an encoder of images also with the text's part under names of its own."""
    c, images = spec["config"], [[0.5, 0.25], [1.0, 2.0]]
    if not spec.get("nested"):
        return write_folder(path, spec, weights)
    if isinstance(spec["nested"], str):
        write_folder(path, spec, weights)
        return write_older_nest(path.replace(".hf", ".nested.hf"), spec, weights)
    write_folder(path, spec, dict(weights, **{"visual.patch_embed.proj.weight": images}))
    whole = {name.replace("model.", "model.language_model.", 1): value
             for name, value in weights.items()}
    whole["model.visual.patch_embed.proj.weight"] = images
    text = {key: value for key, value in c.items() if key != "vision_config"}
    outer = dict(model_type=c["model_type"], vision_config=c["vision_config"],
                 tie_word_embeddings=c["tie_word_embeddings"], text_config=text)
    write_folder(path.replace(".hf", ".nested.hf"), dict(spec, config=outer), whole)


def write_older_nest(path, spec, weights):
    """The text's part as such models were first published, without what transformers supposes."""
    supposed = dict(sliding_window_pattern=6, rope_theta=1000000.0, rope_local_base_freq=10000.0)
    c = spec["config"]
    text = {key: value for key, value in c.items()
            if not (spec["nested"] == "gemma3" and supposed.get(key) == value)}
    outer = dict(model_type=spec["nested"], text_config=text, image_token_index=7,
                 vision_config=dict(hidden_size=2))
    if spec["nested"] == "gemma3":
        outer.update(boi_token_index=8, mm_tokens_per_image=4)
    else:
        outer.update(spatial_merge_size=2, vision_feature_layer=-1, projector_hidden_act="gelu",
                     multimodal_projector_bias=False)
    whole = {"language_model." + name: value for name, value in weights.items()}
    whole["vision_tower.embeddings.weight"] = [[0.5, 0.25], [1.0, 2.0]]
    whole["multi_modal_projector.linear_1.weight"] = [[1.0, 2.0], [0.5, 0.25]]
    write_folder(path, dict(spec, config=outer), whole)


class Maker:
    """Of weights, of what they say, of a GGUF file's keys and tensors, and of a folder."""
    weights, model, keys, tensors = make_weights, Model, keys_of, tensors_of
    folder = write_folders


def make(spec, folder, first_seed, maker=Maker):
    dice, best = random.Random(first_seed), None
    prompts = [[dice.randrange(VOCABULARY) for _ in range(length)] for length in spec["lengths"]]
    for seed in range(first_seed, first_seed + SEEDS_TRIED):
        weights = maker.weights(spec, seed)
        results, margin, distinct = run(spec, weights, prompts, maker.model)
        if distinct >= MIN_DISTINCT and (best is None or margin > best[0]):
            best = (margin, distinct, seed, weights, results)
        if best and best[0] >= CLEAR_MARGIN * (5 if spec.get("mxfp4") or spec.get("nvfp4") else 1):
            break
    if not best:
        sys.exit(f"{spec['name']}: every seed repeats itself")
    margin, distinct, seed, weights, results = best
    print(f"{spec['name']}: seed {seed}, margin {margin:.3f}, distinct ids {distinct}", flush=True)
    path = os.path.join(folder, spec["name"])
    keys = maker.keys(spec)
    if spec.get("ollama"):  # whose files have fewer names, and one of their own
        keys = [key for key in keys if not key[0].endswith(
            ("rms_epsilon", "rope.freq_base", "window_pattern"))]
        keys.append(("gemma3.rope.local.freq_base", F32, spec["config"]["rope_local_base_freq"]))
    keys += xielu_keys(spec.get("config", {}), weights)
    write_gguf(path + ".gguf", keys, maker.tensors(spec, weights))
    write_golden(path + ".golden", results)
    if spec.get("folder"):
        maker.folder(path + ".hf", spec, weights)


def make_all(usage, models, first_seed, maker=Maker):
    """A maker's command line: a folder, and the names of models where only some are wanted."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    os.makedirs(sys.argv[1], exist_ok=True)
    for index, spec in enumerate(models):
        if len(sys.argv) == 2 or spec["name"] in sys.argv[2:]:
            make(spec, sys.argv[1], first_seed + 1000 * index, maker)


if __name__ == "__main__":
    make_all(__doc__, MODELS, 1000)
