#!/usr/bin/env python3
"""What the built-in model can do, done well: skills.py N SEED OUT.jsonl writes N chats.

chats(seed, n) yields message lists [["s" | "u" | "a", text], ...]; a chat is parts of the skills put
together, under a persona, a style, or neither."""
import json, os, random, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import notes, sentences, wordlists
from skill_common import T, cap
import skill_chat as talk, skill_everyday as everyday, skill_games as games, skill_memory as memory, skill_persona as persona, skill_persons as persons, skill_shots as shots, skill_sums as sums, skill_systems as systems, skill_thinking as thinking, skill_words as words


OWN = {"sums": sums.seg, "arithmetic": sums.seg, "opposites": words.opposites, "sorting": words.sorting, "spelling": words.letters}
def worded(r):
    """Something with words: of the old kinds, a list, or work on a sentence."""
    z = r.random()
    return words.seg(r) if z < .46 else wordlists.seg(r) if z < .74 else sentences.seg(r)
def filler(r):
    z = r.random()
    if z < .38: return talk.seg(r)
    if z < .6: return sums.seg(r)
    if z < .93: return worded(r)
    return talk.refusal(r)
def task(r):
    z = r.random()
    return sums.seg(r) if z < .23 else worded(r) if z < .62 else persons.seg(r) if z < .7 else everyday.seg(r) if z < .79 else notes.seg(r, filler) if z < .92 else notes.untold(r) if z < .925 else talk.seg(r)
def small(r):
    """Questions with a yes, a number or one word."""
    return r.choice((sums.seg, words.seg, everyday.yes_no, everyday.how_many, everyday.colour, everyday.capital, sums.compare, words.belongs))(r)
def around(r):
    """What may stand between what a user tells and asks about himself: also talk about the model."""
    return [persona.self_turn(r)] if r.random() < .12 else filler(r)
def mixed(r, least, most):
    out = [] if r.random() < .8 else talk.greeting(r)
    n = r.randrange(least, most + 1)
    while len(out) < n: out += task(r) if r.random() < .75 else filler(r)
    if r.random() < .13: out.append(talk.lean(r, out[-1]))
    if r.random() < .06: out.append(talk.pair(r, talk.BYE))
    return out
def styled(r):
    system, f = systems.style(r)
    turns = memory.seg(r, filler) if r.random() < .1 else mixed(r, 1, r.choice((1, 2, 4)))
    if r.random() < .18: turns.insert(r.randrange(len(turns) + 1), talk.refusal(r)[0])
    if r.random() < .1:
        x = systems.role(system); t = persona.self_turn(r)
        turns.insert(r.randrange(2), T("Who are you?", f"I'm {x}." if x[0].isupper() else f"I'm a {x}.", cap(x)) if x else t)
    for t in turns: t.a = f(r, t)
    return system, turns
def chat(r):
    z = r.random(); system = None
    if z < .13: turns = mixed(r, 1, r.choice((1, 1, 2, 4, 8)))
    elif z < .21: turns = games.seg(r)
    elif z < .38: turns = memory.seg(r, around, r.choice((0, 0, 0, 5)))
    elif z < .51: system, turns = persona.chat(r, filler)
    elif z < .54: turns = [persona.self_turn(r)] + (mixed(r, 1, 2) + [persona.self_turn(r)] if r.random() < .5 else [])
    elif z < .60: system, turns = systems.formed(r, small)
    elif z < .63: system, turns = systems.closed(r, OWN, filler)
    elif z < .67: system, turns = systems.named(r, task)
    elif z < .86: system, turns = styled(r)
    elif z < .89: system, turns = thinking.chat(r, filler)
    elif z < .97: system, turns = shots.chat(r)
    elif z < .985: turns = memory.nothing(r)
    else: system, turns = memory.known(r)
    if system is None and r.random() < .12: system = r.choice(systems.GENERIC)
    turns = turns[:14]
    return ([["s", system]] if system else []) + [m for t in turns for m in (["u", t.u], ["a", t.a])]
def chats(seed, n):
    r = random.Random(f"skills {seed}")
    for _ in range(n): yield chat(r)
if __name__ == "__main__":
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(path, "w") as out:
        for c in chats(seed, count): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
