"""What lies outside, as people type it: situations, complaints about other programs, terse queries, puzzles.

outside_src/*.txt, written by people who saw no other data: @topic; s what is said of all its messages; w ways out;
q messages. Between them stand things that it does know, about quire too, so that the border is seen inside a chat.
"""
import glob
import os
import random

import guide
import reach

HERE = os.path.dirname(os.path.abspath(__file__))


def topics():
    """[(says, ways, messages)]"""
    found = []
    for path in sorted(glob.glob(HERE + "/outside_src/*.txt")):
        for block in open(path, encoding="utf-8").read().split("\n@")[1:]:
            lines = [line.split(" ", 1) for line in block.split("\n")[1:] if line]
            says, ways, messages = ([x.strip() for kind, text in lines if kind == key for x in text.split(" / ")] for key in "swq")
            found.append((says, ways, [m for m in messages if not known_elsewhere(m)]))
    return found


def known_elsewhere(message):
    """Whether another generator has an answer."""
    plain = reach.plain(message)
    return plain in reach.ASKED or plain in reach.CHATTED or message.endswith("?") and reach.answered(message)


TOPICS = topics()
TEXTS = [t for t in TOPICS if any("rite " in m for m in t[2])]  # letters and the like, close to notes that it can write
SURE = "Are you sure? / are you sure / really? / You don't know that? / Try it anyway. / Just guess. / Come on, try. / Not even a little? / Please try.".split(" / ")
STILL = ["I would only make something up.", "I would have to guess, and that does not help you.", "Yes, I am sure that I do not know it.", "I can't, I would get it wrong."]


def turns(r):
    """A message with its refusal, and at times one that insists."""
    says, ways, messages = r.choice(TOPICS if r.random() < .7 else TEXTS)
    if r.random() < .4:  # where it is not sure what a thing belongs to, the plain refusal is the right one
        says, ways = reach.NEUTRAL, [reach.fill(r, r.choice(reach.LARGER), {})]
    out = [(reach.careless(r, r.choice(messages)), f"{r.choice(says)} {r.choice(ways)}")]
    if r.random() < .15:
        out.append((r.choice(SURE), f"{r.choice(STILL)} {r.choice(ways)}"))
    return out


def inside(r):
    """Something that is known."""
    if r.random() < .5:
        return guide.turns_on(r, r.choice(guide.TOPICS))[:1]
    q, a = reach.known(r)
    return [(reach.careless(r, q), a)]


def chats(seed, n):
    r = random.Random(f"outside {seed}")
    for _ in range(n):
        found, length = [], r.choices((1, 2, 3, 5), (45, 25, 20, 10))[0]
        while len(found) < length:
            found += turns(r) if not found and r.random() < .8 or r.random() < .6 else inside(r)
        system = [["s", r.choice(reach.slots.SYSTEM)]] if r.random() < .12 else []
        yield system + [m for u, a in found for m in (["u", u], ["a", a])]
