#!/usr/bin/env python3
"""Weights between those of two files of one run: A + (B - A) * SHARE.

usage: mix.py A.gguf B.gguf SHARE OUT.gguf
"""
import sys

import weights

HEADS = {'q': 8, 'k': 4}
a, b, share = weights.read(sys.argv[1], HEADS), weights.read(sys.argv[2], HEADS), float(sys.argv[3])
weights.write(sys.argv[4], sys.argv[1], '30m', {name: a[name] + (b[name] - a[name]) * share for name in a}, HEADS)
