"""Chats about quire in the wordings of guide_src/asked.txt alone, which would drown among guide.py's."""
import guide


def topics():
    found = guide.topics("asked.txt")
    for t in found:
        whole = guide.TOPIC[t.name]
        t.says, t.follows = whole.says, whole.follows
    return found


def chats(seed, n):
    return guide.chats(f"asked {seed}", n, topics())
