#!/usr/bin/env python3
"""tests/golden/make_nvfp4.py — a tiny random mixture in NVFP4, and what it says.

usage: make_nvfp4.py OUTDIR      (the standard library alone; a minute)

The same way as make_families.py, whose arithmetic and writers it uses. Matrices but for the router
and the embedding are rounded as a quantiser does it: a scale of the matrix, an e4m3 for each 16
weights, and the nearest numbers of four bits. The model runs with what they came to. A file has a
matrix's scale next to it, and one for each expert. Here the output has none, as in files of
quantisers that know no such scale, and all others have one of activations as well.
"""
import struct

import make_families as families
from make_families import FP4, TYPE_F32, config, f32, gguf_name

TYPE_NVFP4 = 40
GROUP, BLOCK = 16, 64
GAIN = 0.15  # of what a layer adds, so that roundings of 8-bit activations do not add up to more
ALONE = ("mlp.gate.weight", "embed_tokens.weight")  # as models are published

# Every expert is asked, or else what 8-bit activations change of a score may change an answer.
MODEL = dict(name="qwen3moe-nvfp4", nvfp4=True, lengths=(1, 17, 40),
             config=config("qwen3_moe", hidden_size=64, num_experts=4, num_experts_per_tok=4,
                           norm_topk_prob=True, moe_intermediate_size=64, num_hidden_layers=2,
                           head_dim=16))


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
    for name, rows in weights.items():
        if not isinstance(rows[0], list) or name.endswith(ALONE):
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
    packed, tensors = gguf_matrices(spec, weights), []

    def add_numbers(name, numbers):
        tensors.append((name, (len(numbers),), TYPE_F32,
                        struct.pack(f"<{len(numbers)}f", *numbers)))

    for name, shape, kind, content in families.tensors_of(spec, weights):
        matrices = packed.get(name)
        if not matrices:
            tensors.append((name, shape, kind, content))
            continue
        tensors.append((name, shape, TYPE_NVFP4, b"".join(m.blocks for m in matrices)))
        if name != "output.weight":
            add_numbers(name.replace("weight", "scale"), [m.scale for m in matrices])
            add_numbers(name.replace("weight", "input_scale"), [0.25] * len(matrices))
    return tensors


class Maker:
    weights, model, keys, tensors = make_weights, families.Model, families.keys_of, tensors_of


if __name__ == "__main__":
    families.make_all(__doc__, [MODEL], 90000, Maker)
