#!/usr/bin/env python3
"""tests/golden/make_gemma4.py — tiny random models of the Gemma 4 family, and what they say.

usage: make_gemma4.py OUTDIR [NAME...]      (the standard library alone; some minutes)

The same way as make_families.py, whose arithmetic and writers these models use: an implementation
of its own in double precision and plain loops, in the words of Hugging Face's config.json. Every
model gets a folder beside its GGUF file.
"""
import math
import struct

import make_families as families
from make_families import (BOOL, F32, I32, ROUTER_GAIN, STRING, TYPE_BF16, TYPE_F32, U32, VOCABULARY,
                           Dice, dot, gelu_tanh, largest, pack_bf16, softmax, times)

SLIDING, FULL = "sliding_attention", "full_attention"


def gemma4(kinds, **changes):
    base = dict(
        model_type="gemma4_text", architectures=["Gemma4ForCausalLM"], vocab_size=VOCABULARY,
        hidden_size=32, intermediate_size=64, num_hidden_layers=len(kinds), num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, global_head_dim=16, num_global_key_value_heads=None,
        rms_norm_eps=1e-6, max_position_embeddings=512, tie_word_embeddings=True,
        hidden_activation="gelu_pytorch_tanh", sliding_window=16,
        layer_types=[{"s": SLIDING, "f": FULL}[kind] for kind in kinds],
        rope_parameters={
            SLIDING: dict(rope_type="default", rope_theta=10000.0),
            FULL: dict(rope_type="proportional", partial_rotary_factor=0.25, rope_theta=1000000.0)},
        final_logit_softcapping=6.0, attention_k_eq_v=False, num_kv_shared_layers=0,
        hidden_size_per_layer_input=0, vocab_size_per_layer_input=VOCABULARY,
        use_double_wide_mlp=False, enable_moe_block=False, num_experts=None, top_k_experts=None,
        moe_intermediate_size=None, pad_token_id=0, bos_token_id=2, eos_token_id=1)
    return dict(base, **changes)


MODELS = [
    dict(name="gemma4", folder=True, lengths=(1, 17, 67),
         config=gemma4("ssfssf", attention_k_eq_v=True, num_global_key_value_heads=1)),
    dict(name="gemma4-e", folder=True, lengths=(1, 17, 67),
         config=gemma4("sfsfssf", num_kv_shared_layers=3, use_double_wide_mlp=True,
                       hidden_size_per_layer_input=32)),
    dict(name="gemma4-moe", folder=True, nested=True, lengths=(1, 17, 30),
         config=gemma4("ssf", attention_k_eq_v=True, num_global_key_value_heads=1,
                       enable_moe_block=True, num_experts=4, top_k_experts=2,
                       moe_intermediate_size=32)),
    # Heads as large as those that people have: 256 in layers with a window, else 512.
    dict(name="gemma4-wide", folder=False, lengths=(1, 17, 67),
         config=gemma4("sf", attention_k_eq_v=True, num_global_key_value_heads=1, head_dim=256,
                       global_head_dim=512, num_attention_heads=2, num_key_value_heads=1)),
]


# ---- what a layer is

def is_shared(c, layer):
    """Does it attend over the keys and values of an earlier layer?"""
    return layer >= c["num_hidden_layers"] - c["num_kv_shared_layers"]


def is_local(c, layer):
    return c["layer_types"][layer] == SLIDING


def head_size(c, layer):
    return c["head_dim"] if is_local(c, layer) else c["global_head_dim"]


def kv_heads(c, layer):
    if is_local(c, layer) or not c["attention_k_eq_v"]:
        return c["num_key_value_heads"]
    return c["num_global_key_value_heads"]


def width(c, layer):
    return c["intermediate_size"] * (2 if c["use_double_wide_mlp"] and is_shared(c, layer) else 1)


def make_weights(spec, seed):
    c, dice, w = spec["config"], Dice(seed), {}
    dim, per_layer = c["hidden_size"], c["hidden_size_per_layer_input"]

    def matrix(name, rows, columns, gain=1.4):
        if "o_proj" in name or "down_proj" in name:
            gain = 5.0
        w[name] = dice.matrix(rows, columns, gain / math.sqrt(columns))

    def norm(name, count=dim, mean=1.0):
        w[name] = [max(v, 0.25) for v in dice.vector(count, mean, 0.3)]

    w["model.embed_tokens.weight"] = dice.matrix(VOCABULARY, dim, 0.1)
    if per_layer:
        columns = c["num_hidden_layers"] * per_layer
        w["model.embed_tokens_per_layer.weight"] = dice.matrix(VOCABULARY, columns, 0.2)
        matrix("model.per_layer_model_projection.weight", columns, dim)
        norm("model.per_layer_projection_norm.weight", per_layer)
    for i in range(c["num_hidden_layers"]):
        p, size, ffn = f"model.layers.{i}.", head_size(c, i), width(c, i)
        for name in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                     "post_feedforward_layernorm"):
            norm(p + name + ".weight")
        w[p + "layer_scalar"] = [max(v, 0.25) for v in dice.vector(1, 0.7, 0.2)]
        matrix(p + "self_attn.q_proj.weight", c["num_attention_heads"] * size, dim)
        mean = 0.6 * min(1, (16 / size) ** 0.25)  # scores do not grow with the heads
        norm(p + "self_attn.q_norm.weight", size, mean)
        # Published files hold these of layers that share, too; nobody reads them.
        matrix(p + "self_attn.k_proj.weight", kv_heads(c, i) * size, dim)
        norm(p + "self_attn.k_norm.weight", size, mean)
        if is_local(c, i) or not c["attention_k_eq_v"]:
            matrix(p + "self_attn.v_proj.weight", kv_heads(c, i) * size, dim)
        matrix(p + "self_attn.o_proj.weight", dim, c["num_attention_heads"] * size)
        matrix(p + "mlp.gate_proj.weight", ffn, dim)
        matrix(p + "mlp.up_proj.weight", ffn, dim)
        matrix(p + "mlp.down_proj.weight", dim, ffn)
        if per_layer:
            matrix(p + "per_layer_input_gate.weight", per_layer, dim)
            matrix(p + "per_layer_projection.weight", dim, per_layer)
            norm(p + "post_per_layer_input_norm.weight")
        if c["enable_moe_block"]:
            experts, rows = c["num_experts"], c["moe_intermediate_size"]
            for name in ("pre_feedforward_layernorm_2", "post_feedforward_layernorm_1",
                         "post_feedforward_layernorm_2"):
                norm(p + name + ".weight")
            w[p + "router.scale"] = [max(v, 0.25) for v in dice.vector(dim, 1, 0.3)]
            w[p + "router.per_expert_scale"] = [max(v, 0.25) for v in dice.vector(experts, 1, 0.4)]
            matrix(p + "router.proj.weight", experts, dim, 2 * ROUTER_GAIN * math.sqrt(dim))
            w[p + "experts.gate_up_proj"] = [dice.matrix(2 * rows, dim, 1.4 / math.sqrt(dim))
                                             for _ in range(experts)]
            w[p + "experts.down_proj"] = [dice.matrix(dim, rows, 5.0 / math.sqrt(rows))
                                          for _ in range(experts)]
    norm("model.norm.weight", mean=4.0)
    return w


# ---- the model

class Model:
    """One sequence: step() takes a token and returns the logits after it."""

    def __init__(self, spec, weights):
        self.c, self.w = spec["config"], weights
        self.past = [([], []) for _ in range(self.c["num_hidden_layers"])]
        self.position, self.router_margin = -1, math.inf

    def norm(self, x, name=None):
        scale = 1 / math.sqrt(dot(x, x) / len(x) + self.c["rms_norm_eps"])
        weight = self.w[name + ".weight"] if name else [1.0] * len(x)
        return [v * scale * g for v, g in zip(x, weight)]

    def rotate(self, head, position, layer):
        """The first half turns with the second; of a global head some pairs alone."""
        rope = self.c["rope_parameters"][self.c["layer_types"][layer]]
        half, out = len(head) // 2, list(head)
        pairs = half
        if rope["rope_type"] == "proportional":
            pairs = int(rope["partial_rotary_factor"] * len(head) // 2)
        for i in range(pairs):
            angle = position * rope["rope_theta"] ** (-2 * i / len(head))
            cosine, sine = math.cos(angle), math.sin(angle)
            out[i] = head[i] * cosine - head[i + half] * sine
            out[i + half] = head[i + half] * cosine + head[i] * sine
        return out

    def heads(self, name, layer, x):
        rows, size = times(self.w[name + ".weight"], x), head_size(self.c, layer)
        return [rows[h * size:(h + 1) * size] for h in range(len(rows) // size)]

    def source(self, layer):
        """Whose keys and values a layer sees."""
        c = self.c
        if not is_shared(c, layer):
            return layer
        own = range(c["num_hidden_layers"] - c["num_kv_shared_layers"])
        return max(i for i in own if is_local(c, i) == is_local(c, layer))

    def attend(self, layer, x):
        c, p, position = self.c, f"model.layers.{layer}.self_attn.", self.position
        q = [self.rotate(self.norm(head, p + "q_norm"), position, layer)
             for head in self.heads(p + "q_proj", layer, x)]
        keys, values = self.past[self.source(layer)]
        if not is_shared(c, layer):
            k = self.heads(p + "k_proj", layer, x)
            own = p + "v_proj.weight" in self.w
            v = self.heads(p + "v_proj", layer, x) if own else k
            keys.append([self.rotate(self.norm(head, p + "k_norm"), position, layer)
                         for head in k])
            values.append([self.norm(head) for head in v])
        first = max(0, position + 1 - c["sliding_window"]) if is_local(c, layer) else 0
        group, out = len(q) // kv_heads(c, layer), []
        for h, head in enumerate(q):
            shares = softmax([dot(head, key[h // group]) for key in keys[first:]])
            seen = [value[h // group] for value in values[first:]]
            out += [dot(shares, column) for column in zip(*seen)]
        return times(self.w[p + "o_proj.weight"], out)

    def gated(self, gate, up, down, x):
        return times(down, [gelu_tanh(g) * u for g, u in zip(times(gate, x), times(up, x))])

    def dense(self, layer, x):
        p = f"model.layers.{layer}.mlp."
        return self.gated(*(self.w[f"{p}{part}_proj.weight"] for part in ("gate", "up", "down")), x)

    def route(self, layer, x):
        """(expert, share) of the chosen ones."""
        c, p = self.c, f"model.layers.{layer}.router."
        scaled = [v * s / math.sqrt(len(x)) for v, s in zip(self.norm(x), self.w[p + "scale"])]
        scores = times(self.w[p + "proj.weight"], scaled)
        order, used = sorted(scores, reverse=True), c["top_k_experts"]
        self.router_margin = min(self.router_margin, order[used - 1] - order[used])
        shares = softmax(scores)
        chosen = largest(shares, used)
        total = sum(shares[e] for e in chosen)
        return [(e, shares[e] / total * self.w[p + "per_expert_scale"][e]) for e in chosen]

    def experts(self, layer, x, routed):
        p, y = f"model.layers.{layer}.experts.", [0.0] * len(x)
        for e, share in routed:
            both = self.w[p + "gate_up_proj"][e]
            half = len(both) // 2
            answer = self.gated(both[:half], both[half:], self.w[p + "down_proj"][e], x)
            y = [a + share * b for a, b in zip(y, answer)]
        return y

    def feed_forward(self, layer, x):
        p = f"model.layers.{layer}."
        y = self.dense(layer, self.norm(x, p + "pre_feedforward_layernorm"))
        if self.c["enable_moe_block"]:
            y = self.norm(y, p + "post_feedforward_layernorm_1")
            z = self.experts(layer, self.norm(x, p + "pre_feedforward_layernorm_2"),
                             self.route(layer, x))
            z = self.norm(z, p + "post_feedforward_layernorm_2")
            y = [a + b for a, b in zip(y, z)]
        return self.norm(y, p + "post_feedforward_layernorm")

    def layer_inputs(self, token, x):
        """What each layer is told of the token besides."""
        c, size = self.c, self.c["hidden_size_per_layer_input"]
        if not size:
            return None
        looked_up = self.w["model.embed_tokens_per_layer.weight"][token]
        projected = [v / math.sqrt(len(x))
                     for v in times(self.w["model.per_layer_model_projection.weight"], x)]
        out = []
        for i in range(c["num_hidden_layers"]):
            part = slice(i * size, (i + 1) * size)
            normed = self.norm(projected[part], "model.per_layer_projection_norm")
            out.append([(a + b * math.sqrt(size)) / math.sqrt(2)
                        for a, b in zip(normed, looked_up[part])])
        return out

    def step(self, token):
        c, w = self.c, self.w
        self.position += 1
        x = [v * math.sqrt(c["hidden_size"]) for v in w["model.embed_tokens.weight"][token]]
        inputs = self.layer_inputs(token, x)
        for i in range(c["num_hidden_layers"]):
            p = f"model.layers.{i}."
            y = self.attend(i, self.norm(x, p + "input_layernorm"))
            x = [a + b for a, b in zip(x, self.norm(y, p + "post_attention_layernorm"))]
            x = [a + b for a, b in zip(x, self.feed_forward(i, x))]
            if inputs:
                gate = times(w[p + "per_layer_input_gate.weight"], x)
                y = times(w[p + "per_layer_projection.weight"],
                          [gelu_tanh(g) * v for g, v in zip(gate, inputs[i])])
                x = [a + b for a, b in zip(x, self.norm(y, p + "post_per_layer_input_norm"))]
            x = [v * w[p + "layer_scalar"][0] for v in x]
        cap = c["final_logit_softcapping"]
        y = times(w["model.embed_tokens.weight"], self.norm(x, "model.norm"))
        return [cap * math.tanh(v / cap) for v in y]


# ---- the GGUF file

SPECIALS = ["<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>"]
MERGES = ["\u2581 t", "h e", "\u2581t he", "i n", "e r", "a n", "o n", "r e", "\u2581 a", "\u2581 s",
          "o u", "i s", "e n", "\u2581 w", "a t"]
TOKENS = (SPECIALS + ["\n", "\u2581"] + [chr(c) for c in (*range(65, 91), *range(97, 123))] +
          list("0123456789.,!?'\"-:;()") + [merge.replace(" ", "") for merge in MERGES])


def tokenizer_keys():
    """A vocabulary of characters and merges over them, in the form of the family's."""
    assert len(TOKENS) == VOCABULARY
    return [("tokenizer.ggml." + name, kind, value) for name, kind, value in (
        ("model", STRING, "gemma4"), ("tokens", STRING, TOKENS),
        ("scores", F32, [-1000.0] * VOCABULARY),
        ("token_type", I32, [3 if token in SPECIALS else 1 for token in TOKENS]),
        ("merges", STRING, MERGES), ("bos_token_id", U32, 2), ("eos_token_id", U32, 1),
        ("unknown_token_id", U32, 3), ("padding_token_id", U32, 0),
        ("add_bos_token", BOOL, True), ("add_space_prefix", BOOL, False))]


def keys_of(spec):
    c, keys = spec["config"], []
    layers = range(c["num_hidden_layers"])
    local, full = c["rope_parameters"][SLIDING], c["rope_parameters"][FULL]

    def add(name, kind, value):
        if value is not None:
            keys.append((f"gemma4.{name}", kind, value))

    add("block_count", U32, c["num_hidden_layers"])
    add("context_length", U32, c["max_position_embeddings"])
    add("embedding_length", U32, c["hidden_size"])
    wide = c["use_double_wide_mlp"]
    add("feed_forward_length", U32, [width(c, i) for i in layers] if wide else width(c, 0))
    add("attention.head_count", U32, c["num_attention_heads"])
    listed = c["num_global_key_value_heads"]
    add("attention.head_count_kv", U32,
        [kv_heads(c, i) for i in layers] if listed else c["num_key_value_heads"])
    for name in ("key_length", "value_length"):
        add(f"attention.{name}", U32, c["global_head_dim"])
        add(f"attention.{name}_swa", U32, c["head_dim"])
    add("attention.layer_norm_rms_epsilon", F32, c["rms_norm_eps"])
    add("attention.sliding_window", U32, c["sliding_window"])
    add("attention.sliding_window_pattern", BOOL, [is_local(c, i) for i in layers])
    add("attention.shared_kv_layers", U32, c["num_kv_shared_layers"])
    add("embedding_length_per_layer_input", U32, c["hidden_size_per_layer_input"])
    add("rope.freq_base", F32, full["rope_theta"])
    add("rope.freq_base_swa", F32, local["rope_theta"])
    add("rope.dimension_count", U32, c["global_head_dim"])
    add("rope.dimension_count_swa", U32, c["head_dim"])
    add("final_logit_softcapping", F32, c["final_logit_softcapping"])
    add("expert_count", U32, c["num_experts"])
    add("expert_used_count", U32, c["top_k_experts"])
    add("expert_feed_forward_length", U32, c["moe_intermediate_size"])
    return [("general.architecture", STRING, "gemma4"),
            ("general.name", STRING, spec["name"])] + keys + tokenizer_keys()


WHOLE_NAMES = {"model.embed_tokens.weight": "token_embd.weight",
               "model.embed_tokens_per_layer.weight": "per_layer_token_embd.weight",
               "model.per_layer_model_projection.weight": "per_layer_model_proj.weight",
               "model.per_layer_projection_norm.weight": "per_layer_proj_norm.weight",
               "model.norm.weight": "output_norm.weight"}
NAMES = {"self_attn.q_proj.weight": "attn_q.weight", "self_attn.k_proj.weight": "attn_k.weight",
         "self_attn.v_proj.weight": "attn_v.weight", "self_attn.o_proj.weight": "attn_output.weight",
         "self_attn.q_norm.weight": "attn_q_norm.weight",
         "self_attn.k_norm.weight": "attn_k_norm.weight", "input_layernorm.weight": "attn_norm.weight",
         "post_attention_layernorm.weight": "post_attention_norm.weight",
         "pre_feedforward_layernorm.weight": "ffn_norm.weight",
         "post_feedforward_layernorm.weight": "post_ffw_norm.weight",
         "pre_feedforward_layernorm_2.weight": "pre_ffw_norm_2.weight",
         "post_feedforward_layernorm_1.weight": "post_ffw_norm_1.weight",
         "post_feedforward_layernorm_2.weight": "post_ffw_norm_2.weight",
         "mlp.gate_proj.weight": "ffn_gate.weight", "mlp.up_proj.weight": "ffn_up.weight",
         "mlp.down_proj.weight": "ffn_down.weight", "layer_scalar": "layer_output_scale.weight",
         "per_layer_input_gate.weight": "inp_gate.weight",
         "per_layer_projection.weight": "proj.weight",
         "post_per_layer_input_norm.weight": "post_norm.weight",
         "router.proj.weight": "ffn_gate_inp.weight", "router.scale": "ffn_gate_inp.scale",
         "router.per_expert_scale": "ffn_down_exps.scale",
         "experts.gate_up_proj": "ffn_gate_up_exps.weight",
         "experts.down_proj": "ffn_down_exps.weight"}


def gguf_name(name):
    if name in WHOLE_NAMES:
        return WHOLE_NAMES[name]
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{NAMES[rest]}"


def rope_factors(c):
    """Pairs that do not turn are said to turn by next to nothing."""
    share = c["rope_parameters"][FULL]["partial_rotary_factor"]
    half = c["global_head_dim"] // 2
    turned = int(share * c["global_head_dim"] // 2)
    return [1.0] * turned + [1e30] * (half - turned)


def tensors_of(spec, weights):
    factors = rope_factors(spec["config"])
    tensors = [("rope_freqs.weight", (len(factors),), TYPE_F32,
                struct.pack(f"<{len(factors)}f", *factors))]
    for name, value in weights.items():
        if not isinstance(value[0], list):
            tensors.append((gguf_name(name), (len(value),), TYPE_F32,
                            struct.pack(f"<{len(value)}f", *value)))
            continue
        matrices = value if isinstance(value[0][0], list) else [value]
        shape = (len(matrices[0]), len(matrices[0][0]))
        if matrices is value:
            shape = (len(matrices),) + shape
        tensors.append((gguf_name(name), shape, TYPE_BF16,
                        b"".join(pack_bf16(row) for m in matrices for row in m)))
    if spec.get("nested"):  # as in files that see and hear
        for name in ("v.patch_embd.weight", "a.conv1d.0.weight", "mm.input_projection.weight"):
            tensors.append((name, (2,), TYPE_F32, struct.pack("<2f", 1, 2)))
    return tensors


# ---- the folder

def write_folder(path, spec, weights):
    """Of one also as the text's part of a model that sees, which is how they are published."""
    families.write_folder(path, spec, weights)
    if not spec.get("nested"):
        return
    whole = {name.replace("model.", "model.language_model.", 1): value
             for name, value in weights.items()}
    whole["model.vision_tower.patch_embedder.input_proj.weight"] = [[0.5, 0.25], [1.0, 2.0]]
    whole["model.embed_vision.embedding_projection.weight"] = [[1.0, 0.5]]
    c = dict(model_type="gemma4", architectures=["Gemma4ForConditionalGeneration"],
             tie_word_embeddings=True, text_config=spec["config"],
             vision_config=dict(model_type="gemma4_vision", hidden_size=2))
    families.write_folder(path.replace(".hf", ".nested.hf"), dict(spec, config=c), whole)


class Maker:
    weights, model, keys, tensors = make_weights, Model, keys_of, tensors_of
    folder = write_folder


if __name__ == "__main__":
    families.make_all(__doc__, MODELS, 40000, Maker)
