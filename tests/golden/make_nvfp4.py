#!/usr/bin/env python3
"""tests/golden/make_nvfp4.py — tiny random models in NVFP4, and what they say.

usage: make_nvfp4.py OUTDIR [NAME...]      (the standard library alone; a minute)

The same way as make_families.py, whose arithmetic and writers it uses. Matrices but for the router
and the embedding, which one model has so too, are rounded as a quantiser does it: a scale of the
matrix, an e4m3 for each 16 weights, and the nearest numbers of four bits. The model runs with what
they came to. A file has a matrix's scale next to it, and one for each expert. Here the output has
none, as in files of quantisers that know no such scale, and all others have one of activations as
well. Of a model with latent attention only the matrix of keys and values is so, of whose rows each
head has some, and of Gemma 4 only the experts, whose scales have the gains of what they add.
"""
import struct

import make_families as families
import make_gemma4 as gemma4
import make_latent as latent
from make_families import FP4, TYPE_F32, config, f32, gguf_name

TYPE_NVFP4 = 40
GROUP, BLOCK = 16, 64
GAIN = 0.15  # of what a layer adds, so that roundings of 8-bit activations do not add up to more
ROUTER, EMBEDDING = "mlp.gate.weight", "embed_tokens.weight"

# Every expert is asked, or else what 8-bit activations change of a score may change an answer.
MODEL = dict(name="qwen3moe-nvfp4", nvfp4=True, lengths=(1, 17, 40),
             config=config("qwen3_moe", hidden_size=64, num_experts=4, num_experts_per_tok=4,
                           norm_topk_prob=True, moe_intermediate_size=64, num_hidden_layers=2,
                           head_dim=16))
WHOLE = dict(name="qwen3moe-nvfp4-whole", nvfp4=True, embedding=True, lengths=(1, 9),
             config=dict(MODEL["config"], num_experts=2, num_experts_per_tok=2,
                         num_hidden_layers=1))
LATENT = dict(name="minicpm3-nvfp4", nvfp4=True, whole=True, lengths=(1, 17, 40),
              config=dict(latent.MODELS[-1]["config"], kv_lora_rank=64))
GEMMA4 = dict(name="gemma4-moe-nvfp4", lengths=(1, 9),
              config=gemma4.gemma4("sf", attention_k_eq_v=True, num_global_key_value_heads=1,
                                   hidden_size=64, enable_moe_block=True, num_experts=4,
                                   top_k_experts=3, moe_intermediate_size=64))


def e4m3(code):
    exponent, fraction = code >> 3, code & 7
    return (8 + fraction) * 2.0 ** (exponent - 10) if exponent else fraction * 2.0 ** -9


E4M3 = [e4m3(code) for code in range(0x7F)]
NUMBERS = FP4 + [-value for value in FP4]


def nearest(values, wanted):
    return min(range(len(values)), key=lambda i: abs(values[i] - wanted))


class Packed(list):
    """The rows that a matrix of NVFP4 stands for."""

    def __init__(self, rows, scale):
        super().__init__()
        self.scale, self.blocks = scale, bytearray()
        for row in rows:
            self.append([])
            for at in range(0, len(row), BLOCK):
                self.add_block(row[at:at + BLOCK])

    def add_block(self, values):
        scales, quants = [], []
        for at in range(0, BLOCK, GROUP):
            group = [v / self.scale for v in values[at:at + GROUP]]
            code = nearest(E4M3, max(map(abs, group)) / FP4[-1])
            q = [nearest(NUMBERS, v / E4M3[code]) if code else 0 for v in group]
            scales.append(code)
            quants += [q[i] | q[i + 8] << 4 for i in range(8)]
            self[-1] += [NUMBERS[i] * E4M3[code] * self.scale for i in q]
        self.blocks += bytes(scales + quants)


def make_weights(spec, seed):
    weights = families.make_weights(spec, seed)
    alone = (ROUTER,) if spec.get("embedding") else (ROUTER, EMBEDDING)
    for name, rows in weights.items():
        if not isinstance(rows[0], list) or name.endswith(alone):  # as models are published
            continue
        if "o_proj" in name or "down_proj" in name:
            rows = [[v * GAIN for v in row] for row in rows]
        most = max(abs(v) for row in rows for v in row)
        scale = 1.0 if name == "lm_head.weight" else f32(most / (FP4[-1] * E4M3[-1]))
        weights[name] = Packed(rows, scale)
    return weights


def gguf_matrices(spec, weights):
    """Each tensor's matrices by its name in a GGUF file."""
    named = {}
    for name, matrix in weights.items():
        if not isinstance(matrix, Packed):
            continue
        part = name.split(".")
        ours = (f"blk.{part[2]}.ffn_{part[6].removesuffix('_proj')}_exps.weight"
                if "experts" in part else gguf_name(spec["config"]["model_type"], name))
        named.setdefault(ours, []).append(matrix)
    return named


def tensors_of(spec, weights):
    rounded, tensors = gguf_matrices(spec, weights), []

    def add_numbers(name, numbers):
        tensors.append((name, (len(numbers),), TYPE_F32,
                        struct.pack(f"<{len(numbers)}f", *numbers)))

    for name, shape, kind, content in families.tensors_of(spec, weights):
        matrices = rounded.get(name)
        if not matrices:
            tensors.append((name, shape, kind, content))
            continue
        tensors.append((name, shape, TYPE_NVFP4, b"".join(m.blocks for m in matrices)))
        if name != "output.weight":
            add_numbers(name.replace("weight", "scale"), [m.scale for m in matrices])
            add_numbers(name.replace("weight", "input_scale"), [0.25] * len(matrices))
    return tensors


def packed(rows):
    most = max(abs(v) for row in rows for v in row)
    return Packed(rows, f32(most / (FP4[-1] * E4M3[-1])))


def make_latent_weights(spec, seed):
    weights = latent.make_weights(spec, seed)
    for name, rows in weights.items():
        if "kv_b_proj" in name:
            weights[name] = packed(rows)
        elif "o_proj" in name:  # as GAIN, and still bfloat16
            weights[name] = [[v / 4 for v in row] for row in rows]
    return weights


def latent_tensors_of(spec, weights):
    tensors = []
    for name, shape, kind, content in latent.tensors_of(spec, weights):
        if "attn_kv_b" in name:
            layer = name.split(".")[1]
            matrix = weights[f"model.layers.{layer}.self_attn.kv_b_proj.weight"]
            kind, content = TYPE_NVFP4, bytes(matrix.blocks)
            tensors.append((name.replace("weight", "scale"), (1,), TYPE_F32,
                            struct.pack("<f", matrix.scale)))
        tensors.append((name, shape, kind, content))
    return tensors


class LatentMaker:
    weights, model, keys = make_latent_weights, latent.Model, latent.keys_of
    tensors = latent_tensors_of


def make_gemma4_weights(spec, seed):
    weights = gemma4.make_weights(spec, seed)
    for name, experts in weights.items():
        if ".experts." in name:
            weights[name] = [packed(rows) for rows in experts]
    return weights


def gemma4_tensors_of(spec, weights):
    named, tensors = {gemma4.gguf_name(name): value for name, value in weights.items()}, []
    for name, shape, kind, content in gemma4.tensors_of(spec, weights):
        if name.endswith("_exps.weight"):
            scales = [f32(m.scale) for m in named[name]]
            kind, content = TYPE_NVFP4, b"".join(m.blocks for m in named[name])
            if "down" in name:
                gains = named[name.replace("weight", "scale")]
                scales = [f32(scale * gain) for scale, gain in zip(scales, gains)]
            tensors.append((name.replace("weight", "scale"), (len(scales),), TYPE_F32,
                            struct.pack(f"<{len(scales)}f", *scales)))
        if not name.endswith("_exps.scale"):
            tensors.append((name, shape, kind, content))
    return tensors


class Gemma4Maker:
    weights, model, keys = make_gemma4_weights, gemma4.Model, gemma4.keys_of
    tensors = gemma4_tensors_of


class Maker:
    weights, model, keys, tensors = make_weights, families.Model, families.keys_of, tensors_of


if __name__ == "__main__":
    families.make_all(__doc__, [MODEL, WHOLE], 90000, Maker)
    families.make_all(__doc__, [LATENT], 90000, LatentMaker)
    families.SEEDS_TRIED = families.MIN_DISTINCT = 1  # slow, and it repeats itself
    families.make_all(__doc__, [GEMMA4], 94000, Gemma4Maker)
