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


class Cursor:
    """Reads what stands before the tensors' data."""

    def __init__(self, blob):
        self.blob, self.at = blob, 8
        self.tensors, keys = self.take('Q'), self.take('Q')
        self.keys = [self.key() for _ in range(keys)]

    def take(self, form):
        value = struct.unpack_from('<' + form, self.blob, self.at)[0]
        self.at += struct.calcsize('<' + form)
        return value

    def text(self):
        size = self.take('Q')
        self.at += size
        return self.blob[self.at - size:self.at].decode()

    def skip(self, kind):
        if kind == 8:
            self.text()
        elif kind == 9:
            kind, count = self.take('I'), self.take('Q')
            for _ in range(count):
                self.skip(kind)
        else:
            self.at += SCALARS[kind]

    def key(self):
        """(name, type of value, value as bytes)"""
        name, kind, begin = self.text(), self.take('I'), self.at
        self.skip(kind)
        return name, kind, bytes(self.blob[begin:self.at])


def layout(blob):
    """(name in train.py, name in the file, shape, type, offset in the file) of each tensor."""
    head, found = Cursor(blob), []
    for _ in range(head.tensors):
        name, shape = head.text(), [head.take('Q') for _ in range(head.take('I'))][::-1]
        found.append((name, shape, head.take('I'), head.take('Q')))
    data = (head.at + 31) // 32 * 32
    for name, shape, kind, offset in found:
        _, layer, part, *_ = name.split('.') if name not in OTHER else ('', '', '')
        yield OTHER.get(name) or f'layers.{layer}.{PARTS[part]}.weight', name, shape, kind, data + offset


def text(line):
    return struct.pack('<Q', len(line)) + line.encode()


def sized(blob, size, weights, heads):
    """The file with room for these weights, of another size ('42m') perhaps; its data are zero."""
    width, depth = weights['embed.weight'].shape[1], 1 + max(int(n.split('.')[1]) for n in weights if n.startswith('layers.'))
    value = {'llama.embedding_length': width, 'llama.block_count': depth, 'llama.attention.head_count': heads['q'],
             'llama.attention.head_count_kv': heads['k'], 'llama.feed_forward_length': weights['layers.0.up_proj.weight'].shape[0]}
    value = {name: struct.pack('<I', number) for name, number in value.items()} | {
        'general.name': text('quire-demo-' + size), 'general.size_label': text(size.upper())}
    head, offset, infos = Cursor(blob), 0, b''
    names = {own: name for name, own in OTHER.items()} | {
        f'layers.{i}.{own}.weight': f'blk.{i}.{part}.weight' for i in range(depth) for part, own in PARTS.items()}
    for own, name in names.items():
        shape = weights[own].shape
        infos += text(name) + struct.pack(f'<I{len(shape)}QIQ', len(shape), *shape[::-1], Q8 if len(shape) == 2 else F32, offset)
        offset += int(np.prod(shape)) * (34 if len(shape) == 2 else 128) // 32
    keys = b''.join(text(name) + struct.pack('<I', kind) + value.get(name, given) for name, kind, given in head.keys)
    front = bytes(blob[:8]) + struct.pack('<QQ', len(names), len(head.keys)) + keys + infos
    return bytearray(front + bytes(-len(front) % 32 + offset))


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


def write(path, like, size, weights, heads):
    """A file like another one, with these weights of this size; returns what is left over of each."""
    blob, rest = sized(open(like, 'rb').read(), size, weights, heads), {}
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
