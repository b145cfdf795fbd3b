#!/usr/bin/env python3
"""tests/golden/make_mtp.py — tiny random models with a block that drafts (multi-token prediction).

usage: make_mtp.py OUTDIR [--f32] [NAME...]      (the standard library alone; seconds)

The trunks are those of make_delta.py, make_mixtures.py and make_latent.py. The block is as the
trunk's last one, with other numbers. What the models draft is in NAME.drafts, which llama.cpp wrote
from the same weights in F32 (--f32): README.md says how.
"""
import os
import struct
import sys

import make_delta as delta
import make_families as families
import make_latent as latent
import make_mixtures as mixtures
from make_families import TYPE_BF16, TYPE_F32, U32, Dice
from make_gemma4 import tokenizer_keys

# own: the block has an embedding and an output of its own, as DeepSeek's and GLM's files do.
# right: layers add little, and so a token follows mostly from the one before; the block says the
# same of it, and what it drafts is right half of the time.
MODELS = [
    dict(of="qwen35", maker=delta, folder=True), dict(of="qwen35moe", maker=delta, folder=True),
    dict(of="qwen3next", maker=delta), dict(of="glm4moe", maker=mixtures, folder=True),
    dict(of="deepseek2", maker=latent, own=True),
    dict(of="qwen35", maker=delta, right=True), dict(of="glm4moe", maker=mixtures, right=True),
]
SEED = 424242


def spec_of(model):
    spec = next(spec for spec in model["maker"].MODELS if spec["name"] == model["of"])
    return dict(spec, name=("mtp-right-" if model.get("right") else "mtp-") + spec["name"],
                config={key: value for key, value in spec["config"].items()
                        if key != "num_nextn_predict_layers"})


def make_weights(model, spec, seed):
    """The trunk's, and the block's as those of another layer."""
    c, make = spec["config"], model["maker"].Maker.weights
    w, other, last = make(spec, seed), make(spec, seed + 1), c["num_hidden_layers"] - 1
    old, new = f"model.layers.{last}.", f"model.layers.{last + 1}."
    w.update({new + name[len(old):]: value for name, value in other.items()
              if name.startswith(old)})
    dice, dim = Dice(seed + 2), c["hidden_size"]
    w[new + "eh_proj.weight"] = dice.matrix(dim, 2 * dim, 1.4 / (2 * dim) ** 0.5)
    for name in ("enorm", "hnorm", "shared_head.norm"):
        w[new + name + ".weight"] = [max(v, 0.25) for v in dice.vector(dim, 1, 0.3)]
    if model.get("own"):
        w[new + "embed_tokens.weight"] = other["model.embed_tokens.weight"]
        w[new + "shared_head.head.weight"] = other["lm_head.weight"]
    if model.get("right"):
        make_right(w, new, dim)
    return w


def make_right(w, block, dim):
    for name, rows in w.items():
        if name.endswith(("o_proj.weight", "out_proj.weight", "down_proj.weight")):
            w[name] = [[families.bf16(v * 0.1) for v in row] for row in rows]
        if name.endswith("norm.weight") and not isinstance(rows[0], list):
            w[name] = [1.0] * len(rows)
    for i, row in enumerate(w[block + "eh_proj.weight"]):
        w[block + "eh_proj.weight"][i] = [
            families.bf16(v * (0.02 if j < dim else 0.2) + (i == j)) for j, v in enumerate(row)]


families.NAMES += [("eh_proj.", "nextn.eh_proj."), ("enorm.", "nextn.enorm."),
                   ("hnorm.", "nextn.hnorm."), ("shared_head.norm.", "nextn.shared_head_norm."),
                   ("shared_head.head.", "nextn.shared_head_head.")]


def keys_of(model, spec):
    keys = model["maker"].Maker.keys(spec)
    arch = next(value for key, _, value in keys if key == "general.architecture")
    keys = [(key, kind, value + 1 if key == f"{arch}.block_count" else value)
            for key, kind, value in keys]
    if not any(key.startswith("tokenizer.") for key, _, _ in keys):
        keys += tokenizer_keys()
    return keys + [(f"{arch}.nextn_predict_layers", U32, 1)]


def tensors_of(model, spec, weights, wide):
    c = spec["config"]
    more = dict(spec, config=dict(c, num_hidden_layers=c["num_hidden_layers"] + 1))
    embedding = f"model.layers.{c['num_hidden_layers']}.embed_tokens.weight"
    tensors = model["maker"].Maker.tensors(
        more, {name: value for name, value in weights.items() if name != embedding})
    if embedding in weights:
        rows = weights[embedding]
        tensors.append((f"blk.{c['num_hidden_layers']}.nextn.embed_tokens.weight",
                        (len(rows), len(rows[0])), TYPE_BF16,
                        b"".join(families.pack_bf16(row) for row in rows)))
    if not wide:
        return tensors
    return [(name, shape, TYPE_F32 if kind == TYPE_BF16 else kind,
             b"".join(b"\0\0" + content[i:i + 2] for i in range(0, len(content), 2))
             if kind == TYPE_BF16 else content) for name, shape, kind, content in tensors]


PUBLISHED = [("eh_proj.", "mtp.fc."), ("enorm.", "mtp.pre_fc_norm_embedding."),
             ("hnorm.", "mtp.pre_fc_norm_hidden."), ("shared_head.norm.", "mtp.norm."),
             ("", "mtp.layers.0.")]


def write_folder(model, path, spec, weights):
    """Qwen's folders have other names for the block; a nested one has the same."""
    c, plain = spec["config"], families.write_folder
    block = f"layers.{c['num_hidden_layers']}."

    def write(to, of, published):
        renamed = {}
        for name, value in published.items():
            rest = name.split(block, 1)[1] if block in name else None
            if rest is None and name.startswith("mtp."):
                continue
            if rest is not None and model["maker"] is delta:
                name = next(theirs + rest[len(ours):] for ours, theirs in PUBLISHED
                            if rest.startswith(ours))
            renamed[name] = value
        config = dict(of["config"])
        if model["maker"] is not delta:
            config["num_nextn_predict_layers"] = 1
        if ".nested." not in to:
            plain(to, dict(of, config=config), renamed)

    families.write_folder = write
    model["maker"].Maker.folder(path, spec, weights)
    families.write_folder = plain


def main():
    names = [name for name in sys.argv[2:] if name != "--f32"]
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for index, model in enumerate(MODELS):
        spec = spec_of(model)
        if names and spec["name"] not in names:
            continue
        weights = make_weights(model, spec, SEED + 1000 * index)
        families.write_gguf(os.path.join(sys.argv[1], spec["name"] + ".gguf"),
                            keys_of(model, spec),
                            tensors_of(model, spec, weights, "--f32" in sys.argv))
        if model.get("folder") and "--f32" not in sys.argv:
            write_folder(model, os.path.join(sys.argv[1], spec["name"] + ".hf"), spec, weights)


if __name__ == "__main__":
    main()
