#!/usr/bin/env python3
"""Weights of the built-in model in its Q8_0 file, as train.py has them: read(), to begin another run with, and write().

What eight bits leave over of each weight can be kept beside the file (in 254ths of its step), so that the next run goes
on from nearly the same floats.
"""
import struct

import numpy as np

OTHER = {'token_embd.weight': 'embed.weight', 'output_norm.weight': 'norm.weight'}
PARTS = {'attn_norm': 'input_layernorm', 'ffn_norm': 'post_attention_layernorm', 'attn_q': 'q_proj', 'attn_k': 'k_proj', 'attn_v': 'v_proj',
         'attn_output': 'o_proj', 'ffn_gate': 'gate_proj', 'ffn_up': 'up_proj', 'ffn_down': 'down_proj'}
SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
F32, Q8 = 0, 8
BLOCK = np.dtype([('scale', '<f2'), ('q', 'i1', 32)])


def layout(blob):
    """(name in train.py, name in the file, shape, type, offset in the file) of each tensor."""
    at = 8

    def take(form):
        nonlocal at
        value = struct.unpack_from('<' + form, blob, at)[0]
        at += struct.calcsize('<' + form)
        return value

    def text():
        nonlocal at
        size = take('Q')
        at += size
        return blob[at - size:at].decode()

    def skip(kind):
        nonlocal at
        if kind == 8:
            text()
        elif kind == 9:
            kind, count = take('I'), take('Q')
            for _ in range(count):
                skip(kind)
        else:
            at += SCALARS[kind]

    tensors, keys = take('Q'), take('Q')
    for _ in range(keys):
        text()
        skip(take('I'))
    found = []
    for _ in range(tensors):
        name, shape = text(), [take('Q') for _ in range(take('I'))][::-1]
        found.append((name, shape, take('I'), take('Q')))
    data = (at + 31) // 32 * 32
    for name, shape, kind, offset in found:
        _, layer, part, *_ = name.split('.') if name not in OTHER else ('', '', '')
        yield OTHER.get(name) or f'layers.{layer}.{PARTS[part]}.weight', name, shape, kind, data + offset


def turned(w, name, heads, back=False):
    """Rows of queries and keys: halves of a head apart in train.py, interleaved in the file."""
    if not name.endswith(('attn_q.weight', 'attn_k.weight')):
        return w
    shape = (heads[name[-8]], w.shape[0] // heads[name[-8]] // 2, 2) if not back else (heads[name[-8]], 2, w.shape[0] // heads[name[-8]] // 2)
    return w.reshape(*shape, -1).swapaxes(1, 2).reshape(w.shape)


def blocks(blob, shape, at):
    return np.frombuffer(blob, BLOCK, int(np.prod(shape)) // 32, at)


def read(path, heads, rest=None):
    """{name: float32 array}; heads: {'q': heads, 'k': KV heads}; rest: what write() returned."""
    blob, out = open(path, 'rb').read(), {}
    for own, name, shape, kind, at in layout(blob):
        if kind == F32:
            out[own] = np.frombuffer(blob, '<f4', shape[0], at)
            continue
        b = blocks(blob, shape, at)
        q = b['q'].astype(np.float32) + (rest[name].reshape(-1, 32) / np.float32(254) if rest else 0)
        out[own] = turned((q * b['scale'].astype(np.float32)[:, None]).reshape(shape), name, heads)
    return out


def write(path, like, weights, heads):
    """A file like another one, with these weights; returns what is left over of each."""
    blob, rest = bytearray(open(like, 'rb').read()), {}
    for own, name, shape, kind, at in layout(blob):
        w = turned(weights[own].astype(np.float32), name, heads, True)
        if kind == F32:
            blob[at:at + 4 * shape[0]] = w.astype('<f4').tobytes()
            continue
        assert kind == Q8, name
        w = w.reshape(-1, 32)
        scale = np.abs(w).max(1) / 127
        step = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
        b = np.zeros(len(w), BLOCK)
        b['scale'], b['q'] = scale, np.rint(w * step[:, None])
        blob[at:at + b.nbytes] = b.tobytes()
        kept = b['scale'].astype(np.float32)
        exact = w * np.divide(1, kept, out=np.zeros_like(kept), where=kept > 0)[:, None]
        rest[name] = np.rint((exact - b['q']) * 254).clip(-127, 127).astype(np.int8).reshape(shape)
    open(path, 'wb').write(blob)
    return rest
