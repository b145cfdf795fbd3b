#!/usr/bin/env python3
"""tests/remote/widen.py MODEL.gguf OUT.gguf - the same model, with its Q8_0 weights as F32.

llama.cpp rounds the activations to eight bits where the weights are Q8_0; with the same weights as
F32 it computes what quire's reference does.
"""
import struct
import sys

Q8_0, F32, STRING, ARRAY, ALIGNMENT = 8, 0, 8, 9, 32
BLOCK, BLOCK_BYTES = 32, 34
BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


class Reader:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.at = 0

    def number(self, form):
        (value,) = struct.unpack_from("<" + form, self.bytes, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def string(self):
        length = self.number("Q")
        self.at += length
        return self.bytes[self.at - length:self.at]

    def skip(self, kind):
        if kind == STRING:
            self.string()
        elif kind == ARRAY:
            inner = self.number("I")
            for _ in range(self.number("Q")):
                self.skip(inner)
        else:
            self.at += BYTES[kind]


def widen(blocks):
    for scale, *values in struct.iter_unpack("<e%db" % BLOCK, blocks):
        yield struct.pack("<%df" % BLOCK, *[scale * value for value in values])


def padding(length):
    return bytes(-length % ALIGNMENT)


def main():
    model = Reader(sys.argv[1])
    model.at = 8  # behind the magic and the version
    tensors, keys = model.number("Q"), model.number("Q")
    for _ in range(keys):
        model.string()
        model.skip(model.number("I"))
    header, weights, infos = model.bytes[:model.at], bytearray(), []
    for _ in range(tensors):
        name = model.string()
        shape = [model.number("Q") for _ in range(model.number("I"))]
        infos.append((name, shape, model.number("I"), model.number("Q")))
    first = model.at + len(padding(model.at))
    for name, shape, kind, offset in infos:
        count = 1
        for size in shape:
            count *= size
        assert kind in (Q8_0, F32), name
        data = memoryview(model.bytes)[first + offset:]
        header += struct.pack("<Q%dsI%dQIQ" % (len(name), len(shape)), len(name), name, len(shape),
                              *shape, F32, len(weights))
        weights += (b"".join(widen(data[:count // BLOCK * BLOCK_BYTES])) if kind == Q8_0
                    else data[:count * 4])
        weights += padding(len(weights))
    with open(sys.argv[2], "wb") as file:
        file.write(header + padding(len(header)) + weights)


main()
