"""tests/bench/random_gguf.py — GGUF files of well-known shapes with random weights.

    write(path, shape, kind, slow)  SHAPES and KINDS are what there is; "gpt-oss-120b:12": 12 of its layers

Speed depends on shapes and types, not on values, so a file needs no download and weighs nothing in
a repository. A tensor's bytes are cut from one pool of random blocks of its type, whose scales keep
activations finite. The vocabulary is the 256 bytes and names nobody types; it has one merge, because
readers of GGUF want that list. Needs only Python.

The mixture of types in Q4_K_M is the one that people download: Q6_K for the output matrix, and for
the value and down projections of the first eighth of the layers, the last eighth and every third
between them; Q4_K for the rest. MXFP4 is for experts, next to Q8_0, where a family is published so.
"""
import os
import random
import struct
from collections import namedtuple

Shape = namedtuple("Shape", "family layers width ffn heads kv_heads head_size vocabulary rope_base "
                            "tied experts used expert_ffn", defaults=(0, 0, 0))
SHAPES = {
    "llama-3-8b": Shape("llama", 32, 4096, 14336, 32, 8, 128, 128256, 5e5, False),
    "llama-3-70b": Shape("llama", 80, 8192, 28672, 64, 8, 128, 128256, 5e5, False),
    "llama-3.2-1b": Shape("llama", 16, 2048, 8192, 32, 8, 64, 128256, 5e5, True),
    "qwen3-0.6b": Shape("qwen3", 28, 1024, 3072, 16, 8, 128, 151936, 1e6, True),
    "qwen3-30b-a3b": Shape("qwen3moe", 48, 2048, 6144, 32, 4, 128, 151936, 1e6, False, 128, 8, 768),
    "qwen3-moe-4.5b": Shape("qwen3moe", 12, 2048, 6144, 32, 4, 128, 151936, 1e6, False, 64, 8, 768),
    "gpt-oss-20b": Shape("gpt-oss", 24, 2880, 2880, 64, 8, 64, 201088, 1.5e5, False, 32, 4, 2880),
    "gpt-oss-120b": Shape("gpt-oss", 36, 2880, 2880, 64, 8, 64, 201088, 1.5e5, False, 128, 4, 2880),
    "granite-4-h-tiny": Shape("granitehybrid", 40, 1536, 512, 12, 4, 128, 100352, 1e4, True, 64, 6, 512),
    "lfm2-350m": Shape("lfm2", 16, 1024, 4608, 16, 8, 64, 65536, 1e6, True),
    "tiny": Shape("qwen3", 2, 256, 512, 4, 2, 64, 1024, 1e6, True),  # for the test of this
    "tiny-moe": Shape("qwen3moe", 2, 256, 512, 4, 2, 64, 1024, 1e6, False, 8, 2, 256),
    "tiny-oss": Shape("gpt-oss", 2, 256, 256, 4, 2, 64, 1024, 1.5e5, False, 8, 2, 256),
    "tiny-hybrid": Shape("granitehybrid", 6, 256, 256, 4, 2, 64, 1024, 1e4, True, 8, 2, 256),
    "tiny-conv": Shape("lfm2", 3, 256, 512, 4, 2, 64, 1024, 1e6, True),
}
SSM_STATE, SSM_HEAD, SSM_CONV, SHARED_FFN = 128, 64, 4, 1024  # of granite-4-h-tiny
CONV_TAPS, LFM2_ATTENDS = 3, (2, 5, 8, 10, 12, 14)

Type = namedtuple("Type", "code elements bytes")  # as GGUF numbers them; of one block
F32, F16, BF16 = Type(0, 1, 4), Type(1, 1, 2), Type(30, 1, 2)
Q4_0, Q8_0, MXFP4 = Type(2, 32, 18), Type(8, 32, 34), Type(39, 32, 17)
Q4_K, Q5_K, Q6_K, IQ4_XS = Type(12, 256, 144), Type(13, 256, 176), Type(14, 256, 210), Type(23, 256, 136)
NVFP4 = Type(40, 64, 36)
KINDS = {  # a file's type: of most tensors, of those that matter more, and general.file_type
    "F16": (F16, F16, 1), "BF16": (BF16, BF16, 32), "Q8_0": (Q8_0, Q8_0, 7),
    "Q4_0": (Q4_0, Q4_0, 2), "Q4_K_M": (Q4_K, Q6_K, 15), "Q5_K_S": (Q5_K, Q5_K, 16),
    "Q6_K": (Q6_K, Q6_K, 18), "IQ4_XS": (IQ4_XS, IQ4_XS, 30), "MXFP4": (MXFP4, MXFP4, 38),
    "NVFP4": (NVFP4, NVFP4, 39),
}

U32, I32, FLOAT, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9  # the types of metadata
ALIGNMENT = 32
POOL_BLOCKS = 1 << 15
DRIFTING = 256  # a whole number of blocks of any type
LOUD = 16  # times: else what attention and experts add would hide the token
NORMAL, UNUSED = 1, 5  # kinds of tokens

# ---- the tokens


def byte_texts():
    """The letter that stands for each byte in a vocabulary of bytes: itself where it can be seen."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [byte for byte in range(256) if byte not in seen]
    letters = {byte: chr(byte) for byte in seen}
    letters.update((byte, chr(256 + n)) for n, byte in enumerate(unseen))
    return [letters[byte] for byte in range(256)]


def vocabulary(count):
    tokens = byte_texts() + ["ab", "<|endoftext|>"]
    kinds = [NORMAL] * 257 + [3]
    names = [f"<unused{n}>" for n in range(count - len(tokens))]
    return tokens + names, kinds + [UNUSED] * len(names)


# ---- shapes


def has_shape(name):
    name, colon, layers = name.partition(":")
    return name in SHAPES and (not colon or layers.isdecimal() and 0 < int(layers) <= SHAPES[name].layers)


def shape_of(name):
    name, _, layers = name.partition(":")
    return SHAPES[name]._replace(layers=int(layers)) if layers else SHAPES[name]


def attends(shape, i):
    """Granite 4: one layer of ten; in a model of fewer layers the last."""
    if shape.family == "lfm2":
        return i in LFM2_ATTENDS
    return shape.family != "granitehybrid" or i % 10 == min(5, shape.layers - 1)


# ---- metadata


def packed_string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def packed_value(kind, value):
    if kind == STRING:
        return packed_string(value)
    return struct.pack({U32: "<I", I32: "<i", FLOAT: "<f", BOOL: "<?"}[kind], value)


def packed_key(name, kind, value):
    head = packed_string(name)
    if isinstance(value, list):
        items = b"".join(packed_value(kind, item) for item in value)
        return head + struct.pack("<IIQ", ARRAY, kind, len(value)) + items
    return head + struct.pack("<I", kind) + packed_value(kind, value)


def kv_heads_of(shape):
    if shape.family not in ("granitehybrid", "lfm2"):
        return U32, shape.kv_heads
    return U32, [shape.kv_heads if attends(shape, i) else 0 for i in range(shape.layers)]


def keys_of_family(shape):
    if shape.family == "gpt-oss":
        return [("gpt-oss.attention.sliding_window", U32, 128),
                ("gpt-oss.rope.scaling.type", STRING, "yarn"),
                ("gpt-oss.rope.scaling.factor", FLOAT, 32.0),
                ("gpt-oss.rope.scaling.original_context_length", U32, 4096)]
    if shape.family == "granitehybrid":
        return [("granitehybrid.embedding_scale", FLOAT, 12.0), ("granitehybrid.residual_scale", FLOAT, 0.22),
                ("granitehybrid.attention.scale", FLOAT, 1 / shape.head_size),
                ("granitehybrid.logit_scale", FLOAT, 6.0), ("granitehybrid.expert_shared_count", U32, 1),
                ("granitehybrid.expert_shared_feed_forward_length", U32, SHARED_FFN),
                ("granitehybrid.ssm.conv_kernel", U32, SSM_CONV), ("granitehybrid.ssm.state_size", U32, SSM_STATE),
                ("granitehybrid.ssm.group_count", U32, 1),
                ("granitehybrid.ssm.time_step_rank", U32, 2 * shape.width // SSM_HEAD),
                ("granitehybrid.ssm.inner_size", U32, 2 * shape.width),
                ("granitehybrid.rope.scaling.finetuned", BOOL, False)]
    if shape.family == "lfm2":
        return [("lfm2.vocab_size", U32, shape.vocabulary), ("lfm2.shortconv.l_cache", U32, CONV_TAPS)]
    return []


def keys_of(shape, name, kind):
    family = shape.family
    tokens, kinds = vocabulary(shape.vocabulary)
    keys = [
        ("general.architecture", STRING, family), ("general.type", STRING, "model"),
        ("general.name", STRING, f"{name} random"), ("general.file_type", U32, KINDS[kind][2]),
        ("general.quantization_version", U32, 2),
        (f"{family}.block_count", U32, shape.layers), (f"{family}.context_length", U32, 131072),
        (f"{family}.embedding_length", U32, shape.width),
        (f"{family}.feed_forward_length", U32, shape.ffn),
        (f"{family}.attention.head_count", U32, shape.heads),
        (f"{family}.attention.head_count_kv", *kv_heads_of(shape)),
        (f"{family}.attention.key_length", U32, shape.head_size),
        (f"{family}.attention.value_length", U32, shape.head_size),
        (f"{family}.attention.layer_norm_rms_epsilon", FLOAT, 1e-6),
        (f"{family}.rope.freq_base", FLOAT, shape.rope_base),
        (f"{family}.rope.dimension_count", U32, shape.head_size),
    ]
    if shape.experts:
        keys += [(f"{family}.expert_count", U32, shape.experts),
                 (f"{family}.expert_used_count", U32, shape.used),
                 (f"{family}.expert_feed_forward_length", U32, shape.expert_ffn)]
    return keys + keys_of_family(shape) + [
        ("tokenizer.ggml.model", STRING, "gpt2"), ("tokenizer.ggml.pre", STRING, "qwen2"),
        ("tokenizer.ggml.tokens", STRING, tokens), ("tokenizer.ggml.token_type", I32, kinds),
        ("tokenizer.ggml.merges", STRING, ["a b"]), ("tokenizer.ggml.bos_token_id", U32, 257),
        ("tokenizer.ggml.eos_token_id", U32, 257), ("tokenizer.ggml.add_bos_token", BOOL, False),
    ]


# ---- tensors


def mixer_tensors(shape, i, most, best):
    width, heads, kv = shape.width, shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    if not attends(shape, i) and shape.family == "lfm2":
        return [("shortconv.conv.weight", (CONV_TAPS, width), F32),
                ("shortconv.in_proj.weight", (width, 3 * width), most),
                ("shortconv.out_proj.weight", (width, width), most)]
    if not attends(shape, i):
        inner, ssm_heads = 2 * width, 2 * width // SSM_HEAD
        conv = inner + 2 * SSM_STATE
        return [("ssm_in.weight", (width, inner + conv + ssm_heads), most),
                ("ssm_conv1d.weight", (SSM_CONV, conv), F32), ("ssm_conv1d.bias", (conv,), F32),
                ("ssm_dt.bias", (ssm_heads,), F32), ("ssm_a", (1, ssm_heads), F32),
                ("ssm_d", (1, ssm_heads), F32), ("ssm_norm.weight", (inner, 1), F32),
                ("ssm_out.weight", (inner, width), most)]
    tensors = [("attn_q.weight", (width, heads), most), ("attn_k.weight", (width, kv), most),
               ("attn_v.weight", (width, kv), best), ("attn_output.weight", (heads, width), most)]
    if shape.family.startswith(("qwen3", "lfm2")):
        tensors += [(f"attn_{part}_norm.weight", (shape.head_size,), F32) for part in "qk"]
    if shape.family == "gpt-oss":
        sizes = {"q": heads, "k": kv, "v": kv, "output": width}
        tensors += [(f"attn_{part}.bias", (size,), F32) for part, size in sizes.items()]
        tensors.append(("attn_sinks.weight", (shape.heads,), F32))
    return tensors


def ffn_tensors(shape, most, best, expert):
    width, all_of = shape.width, shape.experts
    if not all_of:
        return [("ffn_gate.weight", (width, shape.ffn), most), ("ffn_up.weight", (width, shape.ffn), most),
                ("ffn_down.weight", (shape.ffn, width), best)]
    parts = {"gate": (width, shape.expert_ffn), "up": (width, shape.expert_ffn), "down": (shape.expert_ffn, width)}
    tensors = [("ffn_gate_inp.weight", (width, all_of), F32)]
    for part, (inputs, outputs) in parts.items():
        of = best if part == "down" and best is not most else expert
        tensors.append((f"ffn_{part}_exps.weight", (inputs, outputs, all_of), of))
        if shape.family == "gpt-oss":
            tensors.append((f"ffn_{part}_exps.bias", (outputs, all_of), F32))
        if shape.family == "granitehybrid":
            shared = (width, SHARED_FFN) if part != "down" else (SHARED_FFN, width)
            tensors.append((f"ffn_{part}_shexp.weight", shared, most))
    if shape.family == "gpt-oss":
        tensors.append(("ffn_gate_inp.bias", (all_of,), F32))
    return tensors


def layer_tensors(shape, i, most, better, expert):
    eighth = shape.layers // 8
    matters = i < eighth or i >= 7 * shape.layers // 8 or (i - eighth) % 3 == 2
    best = better if matters else most
    second = "post_attention_norm" if shape.family == "gpt-oss" else "ffn_norm"
    tensors = [("attn_norm.weight", (shape.width,), F32), (f"{second}.weight", (shape.width,), F32)]
    tensors += mixer_tensors(shape, i, most, best) + ffn_tensors(shape, most, best, expert)
    return [(f"blk.{i}.{name}", extent, kind) for name, extent, kind in tensors]


def tensors_of(shape, kind):
    """(name, dimensions as GGUF has them, innermost first, type)."""
    most, better, _ = KINDS[kind]
    expert = most
    if kind == "MXFP4" and shape.family == "gpt-oss":
        most = better = Q8_0
    table = (shape.width, shape.vocabulary)
    tensors = [("token_embd.weight", table, better if shape.tied else most)]
    if not shape.tied:
        tensors.append(("output.weight", table, better))
    norm = "token_embd_norm.weight" if shape.family == "lfm2" else "output_norm.weight"
    tensors.append((norm, (shape.width,), F32))
    for i in range(shape.layers):
        tensors += layer_tensors(shape, i, most, better, expert)
    return tensors


def bytes_of(extent, kind):
    count = 1
    for size in extent:
        count *= size
    return count // kind.elements * kind.bytes


def block_pool(kind, rng, times=1):
    """POOL_BLOCKS blocks, or as many numbers, whose values deviate from zero by about 0.02 times that."""
    def half(value):
        return struct.pack("<e", value * times)

    if kind in (F32, F16, BF16):
        numbers = [rng.gauss(0, 0.02 * times) for _ in range(POOL_BLOCKS)]
        if kind is BF16:
            return b"".join(struct.pack("<f", number)[2:] for number in numbers)
        return struct.pack(f"<{POOL_BLOCKS}{'e' if kind is F16 else 'f'}", *numbers)
    block = {
        Q8_0: lambda: half(0.02 / 74) + rng.randbytes(32),
        Q4_0: lambda: half(0.02 / 4.6) + rng.randbytes(16),
        MXFP4: lambda: bytes([rng.randrange(119, 122)]) + rng.randbytes(16),
        Q4_K: lambda: half(2e-4) + half(1.5e-3) + rng.randbytes(12 + 128),
        Q5_K: lambda: half(1e-4) + half(1.5e-3) + rng.randbytes(12 + 32 + 128),
        IQ4_XS: lambda: half(2e-5) + rng.randbytes(2 + 4 + 128),
        Q6_K: lambda: rng.randbytes(128 + 64) + bytes(rng.randrange(-16, 16) & 255 for _ in range(16))
        + half(1e-4),
        NVFP4: lambda: bytes(rng.choice((3, 4)) for _ in range(4)) + rng.randbytes(32),  # 2^-9 each
    }[kind]
    return b"".join(block() for _ in range(POOL_BLOCKS))


def write_tensor(file, size, pool, start):
    file.write(pool[start : start + size])
    left = size - min(size, len(pool) - start)
    while left > 0:
        file.write(memoryview(pool)[: min(left, len(pool))])
        left -= len(pool)


def zero_rows(file, start, extent, kind, rows, columns):
    """Zeros the first `columns` of the first `rows` of each matrix of a tensor that begins at `start`."""
    row = bytes_of(extent[:1], kind)
    for matrix in range(extent[2] if len(extent) > 2 else 1):
        for i in range(rows):
            file.seek(start + (matrix * extent[1] + i) * row)
            file.write(bytes(bytes_of((columns,), kind)))
    file.seek(0, os.SEEK_END)


def write_router(file, extent, pool, slow, rng):
    """[experts, width] F32: the weights of what drifts, and `slow` times as small those of the rest."""
    numbers = struct.unpack(f"<{len(pool) // 4}f", pool)
    rest = struct.pack(f"<{len(numbers)}f", *(number / slow for number in numbers))
    for _ in range(extent[1]):
        at = 4 * rng.randrange(POOL_BLOCKS - extent[0])
        file.write(pool[at : at + 4 * DRIFTING] + rest[at : at + 4 * (extent[0] - DRIFTING)])


def write(path, name, kind, slow=None):
    """Writes path.part and renames it, so that a file at `path` is whole.

    With `slow` the routing has recency. Queries are zero, so attention is the mean over the past, which
    drifts slowly. The first DRIFTING numbers of the residual stream get nothing else: nothing from the
    embedding or the experts. Routers see these, and `slow` times as small everything else: the token,
    whose embedding is LOUD, and what follows from it. Larger numbers make choices repeat more, from
    routing without memory (0.01) to the same experts always (16); bench_slots says how much.
    """
    shape, rng = shape_of(name), random.Random(7)
    keys, tensors = keys_of(shape, name, kind), tensors_of(shape, kind)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys))
    head += b"".join(packed_key(*key) for key in keys)
    at = 0
    for tensor, extent, of in tensors:
        head += packed_string(tensor) + struct.pack(f"<I{len(extent)}Q", len(extent), *extent)
        head += struct.pack("<IQ", of.code, at)
        at += bytes_of(extent, of) + -bytes_of(extent, of) % ALIGNMENT
    pools = {of: block_pool(of, rng) for of in {tensor[2] for tensor in tensors}}
    loud = {tensors[0][2]: block_pool(tensors[0][2], rng, LOUD)} if slow else {}
    with open(f"{path}.part", "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT))
        for tensor, extent, of in tensors:
            size = bytes_of(extent, of)
            if of is F32 and tensor.endswith(("norm.weight", "ssm_d")):
                file.write(struct.pack("<f", 1) * (size // 4))
            elif tensor.endswith("ssm_a"):
                file.write(struct.pack("<f", -1) * (size // 4))
            elif slow and tensor.endswith("ffn_gate_inp.weight"):
                write_router(file, extent, pools[of], slow, rng)
            else:
                start = file.tell()
                pool = (loud if tensor == "token_embd.weight" and slow else pools)[of]
                write_tensor(file, size, pool, rng.randrange(POOL_BLOCKS) * of.bytes)
                if slow and tensor == "token_embd.weight":
                    zero_rows(file, start, extent, of, extent[1], DRIFTING)
                if slow and tensor.endswith("attn_q.weight"):
                    zero_rows(file, start, extent, of, extent[1], extent[0])
                if slow and "ffn_down" in tensor and tensor.endswith(".weight"):
                    zero_rows(file, start, extent, of, DRIFTING, extent[0])
            file.write(bytes(-size % ALIGNMENT))
    os.replace(f"{path}.part", path)
