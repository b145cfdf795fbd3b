#!/usr/bin/env python3
"""tests/golden/make_mamba.py — tiny random models with Mamba-2 in them, and what they say.

usage: make_mamba.py OUTDIR [NAME...]      (the standard library alone; some minutes)

The same way as make_families.py, whose arithmetic and writers these models use: an implementation
of its own in double precision and plain loops, one token after the other, written from arXiv
2405.21060 and the configurations of Granite 4's hybrids, Nemotron-H and Falcon-H1. `pattern` says
what a layer does, as Nemotron-H's configuration: M recurs, * attends, - is a feed-forward alone,
E is a mixture alone, H does both side by side; but for Nemotron-H each has a feed-forward too. Files have Gemma 4's small
vocabulary.
"""
import math

import make_families as families
import make_mixtures as mixtures
from make_families import TYPE_F32, U32, Dice, config, dot, silu, times
from make_gemma4 import tokenizer_keys


def mamba(model_type, pattern, **changes):
    return config(model_type, **dict(dict(
        pattern=pattern, num_hidden_layers=len(pattern), head_dim=16, mamba_n_heads=4, mamba_d_head=16,
        mamba_d_state=24, mamba_n_groups=2, mamba_d_conv=4), **changes))


GRANITE = dict(embedding_multiplier=6.0, residual_multiplier=0.5, attention_multiplier=0.25,
               logits_scaling=2.0)
MODELS = [
    dict(name="granitehybrid", folder=True, lengths=(1, 17, 67),
         config=mamba("granitemoehybrid", "MM*M", mamba_n_groups=1, **GRANITE)),
    dict(name="granitehybrid-moe", folder=True, lengths=(1, 9, 17),
         config=mamba("granitemoehybrid", "M*", mamba_n_groups=1, num_local_experts=6,
                      num_experts_per_tok=2, intermediate_size=32, moe_intermediate_size=32,
                      n_shared_experts=2, **GRANITE)),
    dict(name="nemotron_h", folder=True, lengths=(1, 17, 40),
         config=mamba("nemotron_h", "M-M*-M", layer_norm_eps=1e-5)),
    dict(name="falcon-h1", folder=True, lengths=(1, 17, 40),
         config=mamba("falcon_h1", "HHH", rope_theta=1e11, mamba_n_groups=1, mamba_d_head=8,
                      mamba_d_state=32, mamba_rms_norm=False, ssm_in_multiplier=2.0, key_multiplier=0.5,
                      attention_out_multiplier=0.5, ssm_out_multiplier=0.5,
                      mlp_multipliers=[0.5, 2.0], ssm_multipliers=[0.5, 1.0, 2.0, 0.5, 0.25])),
    dict(name="nemotron_h_moe", folder=True, lengths=(1, 9, 17),
         config=mamba("nemotron_h_moe", "ME*E", n_routed_experts=8, num_experts_per_tok=3, n_group=4,
                      topk_group=2, n_shared_experts=2, intermediate_size=32, moe_intermediate_size=32,
                      routed_scaling_factor=2.5, norm_topk_prob=True, layer_norm_eps=1e-5)),
]
ALONE = ("nemotron_h", "nemotron_h_moe")
mixtures.UNBIASED += ("granitemoehybrid",)
mixtures.SOFTMAX += ("granitemoehybrid",)
families.PAIRED += ("granitemoehybrid",)
families.ARCHITECTURES.update(granitemoehybrid="granitehybrid", falcon_h1="falcon-h1")
families.NAMES += [(f"mamba.{theirs}", ours) for theirs, ours in (
    ("in_proj.", "ssm_in."), ("conv1d.", "ssm_conv1d."), ("A_log", "ssm_a"), ("dt_bias", "ssm_dt.bias"),
    ("D", "ssm_d"), ("norm.", "ssm_norm."), ("out_proj.", "ssm_out."))]


def sizes(c):
    """Heads, their size, groups, the state's size, and the rows of all heads."""
    heads, size, groups, state = (c[f"mamba_{name}"] for name in (
        "n_heads", "d_head", "n_groups", "d_state"))
    return heads, size, groups, state, heads * size


def base_of(spec):
    mixture = {"num_local_experts", "n_routed_experts"} & set(spec["config"])
    return mixtures if mixture else families


def make_weights(spec, seed):
    c, dice, w = spec["config"], Dice(seed + 900), base_of(spec).make_weights(spec, seed)
    dim, (heads, _, groups, state, values) = c["hidden_size"], sizes(c)
    channels = values + 2 * groups * state
    for layer, does in enumerate(c["pattern"]):
        p = f"model.layers.{layer}."
        alone = c["model_type"] in ALONE
        for name in [name for name in w if name.startswith(p)]:
            if (does in "M-E" and "self_attn." in name or alone and (
                    does in "M*" and ".mlp." in name or ".gate_proj" in name or
                    "post_attention_layernorm" in name)):
                del w[name]
        if does not in "MH":
            continue
        p += "mamba."
        w[p + "in_proj.weight"] = dice.matrix(values + channels + heads, dim, 1.4 / math.sqrt(dim))
        w[p + "conv1d.weight"] = dice.matrix(channels, c["mamba_d_conv"], 0.7)
        w[p + "conv1d.bias"] = dice.vector(channels, 0, 0.3)
        w[p + "A_log"] = dice.vector(heads, -1, 1)
        w[p + "dt_bias"] = dice.vector(heads, -1, 1)
        w[p + "D"] = dice.vector(heads, 1, 0.5)
        if c.get("mamba_rms_norm", True):
            w[p + "norm.weight"] = dice.vector(values, 1, 0.3)
        w[p + "out_proj.weight"] = dice.matrix(dim, values, 1.4 / math.sqrt(values))
    return w


def parts_of(c):
    """The rows of an input projection: z, x, B, C and dt."""
    heads, _, groups, state, values = sizes(c)
    return [values, values, groups * state, groups * state, heads]


def spread(c):
    """What each row of an input projection is multiplied by."""
    factors = c.get("ssm_multipliers", [1.0] * 5)
    return [f * c.get("ssm_in_multiplier", 1.0) for f, rows in zip(factors, parts_of(c))
            for _ in range(rows)]


class Recurring:
    def frequencies(self, layer):
        return super().frequencies(layer) if self.kind == "falcon_h1" else None

    def project(self, prefix, x):
        q, k, v = super().project(prefix, x)
        return q, [[self.c.get("key_multiplier", 1.0) * a for a in head] for head in k], v

    def attend(self, layer, x):
        does = self.c["pattern"][layer]
        if does == "M":
            return self.recur(layer, x)
        y = super().attend(layer, x)
        if does == "H":
            a, b = self.c["attention_out_multiplier"], self.c["ssm_out_multiplier"]
            y = [a * u + b * v for u, v in zip(y, self.recur(layer, x))]
        return y

    def feed_forward(self, layer, x):
        p = f"model.layers.{layer}.mlp."
        if self.kind in ("granitemoehybrid", "nemotron_h_moe"):
            return super().feed_forward(layer, x)
        up = times(self.w[p + "up_proj.weight"], x)
        if self.kind == "nemotron_h":
            hidden, factor = [max(u, 0.0) ** 2 for u in up], 1
        else:
            inner, factor = self.c["mlp_multipliers"]
            hidden = [u * silu(inner * g) for u, g in zip(up, times(self.w[p + "gate_proj.weight"], x))]
        return [factor * v for v in times(self.w[p + "down_proj.weight"], hidden)]

    def layer(self, i, x):
        if self.kind not in ALONE:
            return super().layer(i, x)
        part = self.feed_forward if self.c["pattern"][i] in "-E" else self.attend
        y = part(i, self.norm(f"model.layers.{i}.input_layernorm.weight", x))
        return [a + b for a, b in zip(x, y)]

    def recur(self, layer, x):
        w, c, p = self.w, self.c, f"model.layers.{layer}.mamba."
        heads, size, groups, n, values = sizes(c)
        if layer not in self.recurrent:
            self.recurrent[layer] = ([], [[[0.0] * n for _ in range(size)] for _ in range(heads)])
        past, states = self.recurrent[layer]
        rows = [f * v for f, v in zip(spread(c), times(w[p + "in_proj.weight"], x))]
        z, steps = rows[:values], rows[-heads:]
        past.append(rows[values:-heads])
        seen = past[-c["mamba_d_conv"]:]
        rows = [silu(bias + sum(k * row[i] for k, row in zip(kernel[len(kernel) - len(seen):], seen)))
                for i, (kernel, bias) in enumerate(zip(w[p + "conv1d.weight"], w[p + "conv1d.bias"]))]
        y = []
        for h, state in enumerate(states):
            begin = values + h // (heads // groups) * n
            b, key = rows[begin:begin + n], rows[begin + groups * n:begin + groups * n + n]
            step = math.log1p(math.exp(steps[h] + w[p + "dt_bias"][h]))
            decay = math.exp(-math.exp(w[p + "A_log"][h]) * step)
            for i, v in enumerate(rows[h * size:(h + 1) * size]):
                state[i] = [decay * s + step * v * a for s, a in zip(state[i], b)]
                y.append((dot(state[i], key) + w[p + "D"][h] * v) * silu(z[h * size + i]))
        if p + "norm.weight" in w:
            each, out = values // groups, []
            for g in range(groups):
                part = y[g * each:(g + 1) * each]
                scale = 1 / math.sqrt(dot(part, part) / each + c["rms_norm_eps"])
                out += [v * scale * a for v, a in zip(part, w[p + "norm.weight"][g * each:])]
            y = out
        return times(w[p + "out_proj.weight"], y)


class Model(Recurring, families.Model):
    def __init__(self, spec, weights):
        super().__init__(spec, weights)
        self.recurrent = {}


class Mixture(Recurring, mixtures.Model):
    def __init__(self, spec, weights):
        super().__init__(spec, weights)
        self.recurrent = {}


def make_model(spec, weights):
    return (Mixture if base_of(spec) is mixtures else Model)(spec, weights)


# ---- the GGUF file

def keys_of(spec):
    c = spec["config"]
    kind, (heads, _, groups, state, values) = c["model_type"], sizes(c)
    arch = families.ARCHITECTURES.get(kind, kind)
    keys = base_of(spec).keys_of(spec) + [(f"{arch}.{name}", U32, value) for name, value in (
        ("ssm.conv_kernel", c["mamba_d_conv"]), ("ssm.state_size", state), ("ssm.group_count", groups),
        ("ssm.time_step_rank", heads), ("ssm.inner_size", values))]
    lists = {} if kind == "falcon_h1" else {"attention.head_count_kv": "*"}
    if kind in ALONE:
        lists["feed_forward_length"] = "-" if kind == "nemotron_h" else "E"
    keys = [(key, kind, [value if does == lists[key.split(".", 1)[1]] else 0 for does in c["pattern"]]
             if key.split(".", 1)[-1] in lists else value) for key, kind, value in keys]
    if kind == "nemotron_h_moe":  # whose files leave the router to be known
        keys = [key for key in keys if not key[0].endswith("gating_func")]
        keys.append((f"{arch}.expert_shared_feed_forward_length", U32, 2 * c["moe_intermediate_size"]))
    if kind != "falcon_h1":
        keys.append((f"{arch}.rope.scaling.finetuned", families.BOOL, False))
    return keys + tokenizer_keys()


def scaled(rows, factors):
    return [[f * v for v in row] for f, row in zip(factors, rows)]


def stored(c, name, value):
    """A tensor as converters store it, which multiply by what the configuration says."""
    if name.endswith("A_log"):
        return [-math.exp(v) for v in value]
    factors = {"mamba.in_proj": spread(c)}
    for part, factor in (("k_proj", "key_multiplier"), ("o_proj", "attention_out_multiplier"),
                         ("mamba.out_proj", "ssm_out_multiplier")):
        factors[part] = [c.get(factor, 1.0)] * len(value)
    for part, factor in zip(("gate_proj", "down_proj"), c.get("mlp_multipliers", ())):
        factors[part] = [factor] * len(value)
    return next((scaled(value, by) for part, by in factors.items() if f"{part}.weight" in name), value)


def tensors_of(spec, weights):
    c = spec["config"]
    heads, _, groups, _, values = sizes(c)
    shown = {name: stored(c, name, value) for name, value in weights.items()}
    tensors = []
    for name, shape, kind, content in base_of(spec).tensors_of(spec, shown):
        if name.endswith(("ssm_a", "ssm_d")):
            shape = (heads, 1)
        elif name.endswith("ssm_norm.weight"):
            shape = (groups, values // groups)
        elif name.endswith("ssm_conv1d.weight"):  # of fp32 in files, as all that is small
            kind, content = TYPE_F32, b"".join(
                b"\0\0" + content[i:i + 2] for i in range(0, len(content), 2))
        elif c["model_type"] == "falcon_h1" and name.endswith(".ffn_norm.weight"):
            name = name.removesuffix(".weight")  # as their converter has it
        tensors.append((name, shape, kind, content))
    return tensors


# ---- the folder

NEMOTRON = [("model.embed_tokens.", "backbone.embeddings."), ("model.norm.", "backbone.norm_f."),
            ("model.layers.", "backbone.layers."), ("input_layernorm", "norm"), ("self_attn.", "mixer."),
            ("mlp.", "mixer."), ("mamba.", "mixer.")]
FALCON = [("model.norm.", "model.final_layernorm."), ("post_attention_layernorm", "pre_ff_layernorm"),
          ("mlp.", "feed_forward.")]
GRANITE_NAMES = [("mlp.shared_experts.", "shared_mlp."), ("mlp.gate.", "block_sparse_moe.router.layer."),
                 ("mlp.experts.", "block_sparse_moe."), (".mlp.", ".shared_mlp.")]
TYPES = {"M": "mamba", "*": "attention"}


def merged(weights):
    """Gate above up, and all experts of a layer in one tensor."""
    out = {}
    for name, value in weights.items():
        if ".up_proj" in name:
            continue
        if ".gate_proj" in name:
            value = value + weights[name.replace("gate_proj", "up_proj")]
        name = name.replace("gate_proj", "input_linear").replace("down_proj", "output_linear")
        if ".experts." in name:
            before, after = name.split(".experts.")
            out.setdefault(f"{before}.experts.{after.split('.', 1)[1]}", []).append(value)
        else:
            out[name] = value
    return out


def write_folder(path, spec, weights):
    """In the words of each family's own config.json."""
    c, published = dict(spec["config"]), {}
    kind, pattern = c["model_type"], c.pop("pattern")
    heads, size, groups, state, values = sizes(c)
    names = {"falcon_h1": FALCON, "granitemoehybrid": GRANITE_NAMES}.get(kind, NEMOTRON)
    for name, value in (merged(weights) if kind == "granitemoehybrid" else weights).items():
        for ours, theirs in names:
            name = name.replace(ours, theirs)
        published[name] = [[row] for row in value] if "conv1d.weight" in name else value
    if kind in ALONE:
        if kind == "nemotron_h_moe":
            c.update(model_type="nemotron_h", n_shared_experts=1, moe_latent_size=None,
                     moe_shared_expert_intermediate_size=2 * c["moe_intermediate_size"])
        for key in [key for key in c if key.startswith("mamba_") or key in ("rope_theta", "layer_norm_eps")]:
            del c[key]
        c.update(hybrid_override_pattern=pattern, mamba_num_heads=heads, mamba_head_dim=size,
                 ssm_state_size=state, n_groups=groups, conv_kernel=4, expand=2, mlp_hidden_act="relu2",
                 mamba_hidden_act="silu", use_conv_bias=True, layer_norm_epsilon=c["rms_norm_eps"],
                 time_step_limit=[0.0, math.inf], residual_in_fp32=False, chunk_size=128)
        published["mtp.layers.0.norm.weight"] = [1.0, 2.0]
    elif kind == "falcon_h1":
        for part, factor in (("embed_tokens.", 0.5), ("lm_head.", 4.0), ("q_proj.", 0.5),
                             ("k_proj.", 0.5), ("v_proj.", 0.5)):  # which the configuration undoes
            for name in [name for name in published if part in name]:
                published[name] = scaled(published[name], [factor] * len(published[name]))
        c.update(mamba_d_ssm=values, mamba_norm_before_gate=False, mamba_conv_bias=True, mlp_bias=False,
                 attention_in_multiplier=2.0, embedding_multiplier=2.0, lm_head_multiplier=0.25,
                 time_step_limit=[0.0, {"__float__": "Infinity"}])
    else:
        c.update(layer_types=[TYPES[does] for does in pattern], position_embedding_type="nope",
                 mamba_expand=values // c["hidden_size"], mamba_chunk_size=256, mamba_conv_bias=True,
                 shared_intermediate_size=c["intermediate_size"] * c.pop("n_shared_experts", 1),
                 num_local_experts=c.get("num_local_experts", 0))
        c.pop("moe_intermediate_size", None)
    families.write_folder(path, dict(spec, config=c), published)


class Maker:
    folder = write_folder
    weights, model, keys, tensors = make_weights, make_model, keys_of, tensors_of


if __name__ == "__main__":
    families.make_all(__doc__, MODELS, 130000, Maker)
