#!/usr/bin/env python3
"""Weights in eight bits, to begin another run with: condense.py RUN_DIR OUT.npz (RUN_DIR holds model.safetensors.NN)."""
import glob
import json
import struct
import sys

import numpy as np

blob = b''.join(open(f, 'rb').read() for f in sorted(glob.glob(sys.argv[1] + '/model.safetensors.[0-9][0-9]')))
n = struct.unpack('<Q', blob[:8])[0]
out = {}
for k, v in json.loads(blob[8:8 + n]).items():
    if k == '__metadata__':
        continue
    a, b = v['data_offsets']
    w = (np.frombuffer(blob[8 + n + a:8 + n + b], np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(v['shape'])
    name = k.replace('model.', '', 1).replace('embed_tokens', 'embed').replace('self_attn.', '').replace('mlp.', '')
    if w.ndim == 1:
        out[name] = w
        continue
    rows = w.reshape(-1, 32)
    scale = (np.abs(rows).max(1) / 127).astype(np.float16)
    out[name] = np.rint(rows / np.maximum(scale.astype(np.float32), 1e-8)[:, None]).clip(-127, 127).astype(np.int8).reshape(w.shape)
    out[name + '.scale'] = scale
np.savez_compressed(sys.argv[2], **out)
