#!/usr/bin/env python3
"""tests/golden/make_delta.py — tiny random models with gated delta nets, and what they say.

usage: make_delta.py OUTDIR [NAME...]      (the standard library alone; some minutes)

The same way as make_families.py, whose arithmetic and writers these models use: an implementation
of its own in double precision and plain loops, one token after the other, written from arXiv
2412.06464 and the configurations of Qwen3-Next and Qwen3.5. All layers but each n-th have a state
in place of keys and values; the others' results are gated. Files have Gemma 4's small vocabulary.
"""
import math

import make_families as families
import make_mixtures as mixtures
from make_families import TYPE_F32, U32, Dice, config, dot, sigmoid, silu, times
from make_gemma4 import tokenizer_keys


def delta(model_type, **changes):
    return config(model_type, full_attention_interval=2, head_dim=16,
                  rms_norm_eps=1e-6, partial_rotary_factor=0.25, rope_theta=10000000.0, linear_num_key_heads=2,
                  linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=8,
                  linear_conv_kernel_dim=4, **changes)


def mixed(model_type):
    return delta(model_type, num_hidden_layers=2, num_experts=6, num_experts_per_tok=2, moe_intermediate_size=32,
                 n_shared_experts=1, norm_topk_prob=True)


MODELS = [
    dict(name="qwen35", folder=True, lengths=(1, 17, 67), config=delta("qwen3_5_text", num_hidden_layers=4)),
    dict(name="qwen35moe", folder=True, lengths=(1, 9, 17), config=mixed("qwen3_5_moe_text")),
    dict(name="qwen3next", folder=True, lengths=(1, 9, 17), config=mixed("qwen3_next")),
]
KINDS = ("qwen3_5_text", "qwen3_5_moe_text", "qwen3_next")
families.HEAD_NORMED += KINDS
mixtures.UNBIASED += KINDS
mixtures.SOFTMAX += KINDS
families.ARCHITECTURES.update(qwen3_5_text="qwen35", qwen3_5_moe_text="qwen35moe",
                              qwen3_next="qwen3next")
families.NAMES += [(f"linear_attn.{theirs}", ours) for theirs, ours in (
    ("in_proj_qkv.", "attn_qkv."), ("in_proj_z.", "attn_gate."), ("in_proj_a.", "ssm_alpha."),
    ("in_proj_b.", "ssm_beta."), ("in_proj_ba.", "ssm_ba."), ("conv1d.", "ssm_conv1d."),
    ("A_log", "ssm_a"), ("dt_bias", "ssm_dt.bias"), ("norm.", "ssm_norm."), ("out_proj.", "ssm_out."))]
families.NAMES += [("mlp.shared_expert_gate.", "ffn_gate_inp_shexp.")]


def recurs(c, layer):
    return (layer + 1) % c["full_attention_interval"] != 0


def sizes(c):
    """Key heads, value heads, their size, and the rows of all keys and of all values."""
    keys, values, size = (c[f"linear_{name}"] for name in (
        "num_key_heads", "num_value_heads", "key_head_dim"))
    return keys, values, size, keys * size, values * size


def base_of(spec):
    return mixtures if "num_experts" in spec["config"] else families


def make_weights(spec, seed):
    c, dice, w = spec["config"], Dice(seed + 900), base_of(spec).make_weights(spec, seed)
    dim, (_, heads, size, keys, values) = c["hidden_size"], sizes(c)
    gain = 1.4 / math.sqrt(dim)
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        if "num_experts" in c:
            w[p + "mlp.shared_expert_gate.weight"] = dice.matrix(1, dim, gain)
        if not recurs(c, layer):
            w[p + "self_attn.q_proj.weight"] = dice.matrix(
                2 * c["num_attention_heads"] * c["head_dim"], dim, gain)
            continue
        for name in [name for name in w if name.startswith(p + "self_attn.")]:
            del w[name]
        p += "linear_attn."
        w[p + "in_proj_qkv.weight"] = dice.matrix(2 * keys + values, dim, gain)
        w[p + "in_proj_z.weight"] = dice.matrix(values, dim, gain)
        w[p + "in_proj_a.weight"] = dice.matrix(heads, dim, gain)
        w[p + "in_proj_b.weight"] = dice.matrix(heads, dim, gain)
        w[p + "conv1d.weight"] = dice.matrix(2 * keys + values, c["linear_conv_kernel_dim"], 0.7)
        w[p + "A_log"] = dice.vector(heads, -1, 1)
        w[p + "dt_bias"] = dice.vector(heads, -1, 1)
        w[p + "norm.weight"] = dice.vector(size, 1, 0.3)
        w[p + "out_proj.weight"] = dice.matrix(dim, values, 1.4 / math.sqrt(values))
    return w


def unit(x):
    scale = 1 / math.sqrt(dot(x, x) + 1e-6)
    return [v * scale for v in x]


class Recurring:
    def project(self, prefix, x):
        """The gates of all heads are behind each head's query."""
        size = self.c["head_dim"]
        both, self.gates = self.w[prefix + "q_proj.weight"], []
        queries = [row for i, row in enumerate(both) if i // size % 2 == 0]
        self.gates = times([row for i, row in enumerate(both) if i // size % 2 == 1], x)
        self.w[prefix + "q_proj.weight"] = queries
        found = super().project(prefix, x)
        self.w[prefix + "q_proj.weight"] = both
        return found

    def attend(self, layer, x):
        if recurs(self.c, layer):
            return self.recur(layer, x)
        name = f"model.layers.{layer}.self_attn.o_proj.weight"
        o = self.w[name]
        self.w[name] = [[float(i == j) for j in range(len(o[0]))] for i in range(len(o[0]))]
        heads = super().attend(layer, x)
        self.w[name] = o
        return times(o, [v * sigmoid(g) for v, g in zip(heads, self.gates)])

    def recur(self, layer, x):
        w, p = self.w, f"model.layers.{layer}.linear_attn."
        key_heads, heads, size, keys, _ = sizes(self.c)
        past, states = self.past[layer]
        if not states:
            states += [[[0.0] * size for _ in range(size)] for _ in range(heads)]
        past.append(times(w[p + "in_proj_qkv.weight"], x))
        seen = past[-self.c["linear_conv_kernel_dim"]:]
        rows = [silu(sum(k * row[i] for k, row in zip(kernel[len(kernel) - len(seen):], seen)))
                for i, kernel in enumerate(w[p + "conv1d.weight"])]
        z = times(w[p + "in_proj_z.weight"], x)
        alphas, betas = (times(w[f"{p}in_proj_{part}.weight"], x) for part in "ab")
        out = []
        for h, state in enumerate(states):
            key = h // (heads // key_heads) * size
            q = [v / math.sqrt(size) for v in unit(rows[key:key + size])]
            k = unit(rows[keys + key:keys + key + size])
            v = rows[2 * keys + h * size:2 * keys + (h + 1) * size]
            step = math.log1p(math.exp(alphas[h] + w[p + "dt_bias"][h]))
            decay = math.exp(-math.exp(w[p + "A_log"][h]) * step)
            state[:] = [[decay * s for s in row] for row in state]
            change = [sigmoid(betas[h]) * (b - dot(k, column)) for b, column in zip(v, zip(*state))]
            for a, row in zip(k, state):
                row[:] = [s + a * d for s, d in zip(row, change)]
            o = [dot(q, column) for column in zip(*state)]
            scale = 1 / math.sqrt(dot(o, o) / size + self.c["rms_norm_eps"])
            out += [v * scale * g * silu(gate) for v, g, gate in
                    zip(o, w[p + "norm.weight"], z[h * size:])]
        return times(w[p + "out_proj.weight"], out)


class Model(Recurring, families.Model):
    pass


class Mixture(Recurring, mixtures.Model):
    pass


def make_model(spec, weights):
    return (Mixture if base_of(spec) is mixtures else Model)(spec, weights)


# ---- the GGUF file

def keys_of(spec):
    c = spec["config"]
    arch, (key_heads, heads, size, _, values) = families.ARCHITECTURES[c["model_type"]], sizes(c)
    keys = base_of(spec).keys_of(spec) + [(f"{arch}.{name}", U32, value) for name, value in (
        ("ssm.conv_kernel", c["linear_conv_kernel_dim"]), ("ssm.state_size", size),
        ("ssm.group_count", key_heads), ("ssm.time_step_rank", heads), ("ssm.inner_size", values),
        ("full_attention_interval", c["full_attention_interval"]))]
    if arch != "qwen3next":
        keys.append((f"{arch}.rope.dimension_sections", families.I32, [1, 1, 0, 0]))
    return keys + tokenizer_keys()


def tiled(rows, key_heads, each, size):
    """Value heads in the order of their keys' repetition."""
    heads = [rows[h * size:(h + 1) * size] for h in range(key_heads * each)]
    return [row for r in range(each) for g in range(key_heads) for row in heads[g * each + r]]


def stored(c, name, value):
    """A tensor of a delta net as converters store it."""
    key_heads, heads, size, keys, _ = sizes(c)
    each = heads // key_heads
    if name.endswith("A_log"):
        value = [-math.exp(v) for v in value]
    if c["model_type"] == "qwen3_next" or "linear_attn." not in name:
        return value
    if "in_proj_qkv" in name or "conv1d" in name:
        return value[:2 * keys] + tiled(value[2 * keys:], key_heads, each, size)
    if "out_proj" in name:
        return [tiled(row, key_heads, each, size) for row in value]
    if "in_proj_z" in name:
        return tiled(value, key_heads, each, size)
    return value if name.endswith("norm.weight") else tiled(value, key_heads, each, 1)


def tensors_of(spec, weights):
    c, shown = spec["config"], {}
    key_heads, heads = sizes(c)[:2]
    each = heads // key_heads
    for name, value in weights.items():
        value = stored(c, name, value)
        if c["model_type"] == "qwen3_next" and "in_proj_a." in name:
            continue
        if c["model_type"] == "qwen3_next" and "in_proj_b." in name:
            alphas = weights[name.replace("in_proj_b.", "in_proj_a.")]
            name, value = name.replace("in_proj_b.", "in_proj_ba."), [
                row for g in range(key_heads) for rows in (value, alphas)
                for row in rows[g * each:(g + 1) * each]]
        shown[name] = value[0] if "shared_expert_gate" in name else value
    tensors = []
    for name, shape, kind, content in base_of(spec).tensors_of(spec, shown):
        if "ssm_conv1d" in name:  # of fp32 in files, as all that is small
            kind, content = TYPE_F32, b"".join(
                b"\0\0" + content[i:i + 2] for i in range(0, len(content), 2))
        tensors.append((name.replace(".ffn_norm.", ".post_attention_norm."), shape, kind, content))
    return tensors


# ---- the folder

def fused(c, name, value, weights):
    """Qwen3-Next has q, k, v and z, and what gates, together head by head of the keys."""
    key_heads, heads, size, keys, _ = sizes(c)
    each, out = heads // key_heads, []
    other = weights[name.replace("_qkv.", "_z.").replace("_b.", "_a.")]
    for g in range(key_heads):
        if "in_proj_b." in name:
            parts = (value, g * each, each), (other, g * each, each)
        else:
            parts = ((value, g * size, size), (value, keys + g * size, size),
                     (value, 2 * keys + g * each * size, each * size), (other, g * each * size, each * size))
        out += [row for rows, begin, count in parts for row in rows[begin:begin + count]]
    return name.replace("_qkv.", "_qkvz.").replace("_b.", "_ba."), out


def write_folder(path, spec, weights):
    """Qwen3.5's also as the text's part of a model that sees, whose experts are all in one tensor."""
    c, published = dict(spec["config"]), {}
    kind, mixture = c["model_type"], base_of(spec) is mixtures
    for name, value in weights.items():
        if kind == "qwen3_next" and ("in_proj_z." in name or "in_proj_a." in name):
            continue
        if kind == "qwen3_next" and ("in_proj_qkv." in name or "in_proj_b." in name):
            name, value = fused(c, name, value, weights)
        elif "norm.weight" in name and "linear_attn." not in name:
            value = [v - 1 for v in value]
        elif "conv1d" in name:
            value = [[row] for row in value]
        elif ".experts." in name and kind == "qwen3_5_moe_text":
            name, expert, part = name.rsplit(".", 3)[0], int(name.split(".")[-3]), name.split(".")[-2]
            if part == "gate_proj":
                value = value + weights[f"{name}.{expert}.up_proj.weight"]
            if part != "up_proj":
                part = "gate_up_proj" if part == "gate_proj" else part
                published.setdefault(f"{name}.{part}", []).append(value)
            continue
        published[name.replace("shared_experts", "shared_expert")] = value
    published["mtp.fc.weight"] = [[0.5, 0.25], [1.0, 2.0]]
    if mixture:
        c["shared_expert_intermediate_size"] = c.pop("n_shared_experts") * c["moe_intermediate_size"]
        c.update(decoder_sparse_step=1, mlp_only_layers=[])
    if kind == "qwen3_next":
        return families.write_folder(path, dict(spec, config=c), published)
    c.update(attn_output_gate=True, mamba_ssm_dtype="float32", mtp_num_hidden_layers=1, layer_types=[
        "linear_attention" if recurs(c, i) else "full_attention" for i in range(c["num_hidden_layers"])])
    c["rope_parameters"] = dict(rope_type="default", rope_theta=c.pop("rope_theta"),
                                mrope_section=[1, 1, 0], mrope_interleaved=True)
    families.write_folder(path, dict(spec, config=c), published)
    published = {name.replace("model.", "model.language_model.", 1): value
                 for name, value in published.items()}
    published["model.visual.patch_embed.proj.weight"] = [[0.5, 0.25], [1.0, 2.0]]
    del c["partial_rotary_factor"]  # is a quarter unless another is stated
    outer = dict(model_type=kind.removesuffix("_text"), text_config=c, vision_config=dict(depth=1),
                 tie_word_embeddings=c["tie_word_embeddings"])
    families.write_folder(path.replace(".hf", ".nested.hf"), dict(spec, config=outer), published)


class Maker:
    folder = write_folder
    weights, model, keys, tensors = make_weights, make_model, keys_of, tensors_of


if __name__ == "__main__":
    families.make_all(__doc__, MODELS, 110000, Maker)
