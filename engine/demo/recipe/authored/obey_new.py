"""What came to obey.py after the weights, alone, for tune.py: LIMIT_RULES, small children, politeness and long answers."""
import random

import obey
from obey_likings import rule_likings
from obey_limits import LIMIT_RULES


def small_child(r):
    rule = rule_likings(r)
    while rule.test("I like it."):  # a small child's rule has a sound of its own before it
        rule = rule_likings(r)
    return rule


def polite(r):
    rule = obey.rule_mood(r)
    return rule if rule.test("Certainly.") else polite(r)


RULES = {**LIMIT_RULES, small_child: 9, polite: 8, obey.rule_at_length: 5}


def chat(r):
    try:
        rule = r.choices(list(RULES), list(RULES.values()))[0](r)
        made = [obey.kept([rule], r, t, act) for t, act in obey.picked(r, [rule], obey.length(r))]
    except obey.Unkept:
        return chat(r)
    return [["s", obey.prompt(r, [rule], True)]] + [m for t in made for m in (["u", t.u], ["a", t.a])] if made else chat(r)


def chats(seed, n):
    r = random.Random(f"new {seed}")
    for _ in range(n):
        yield chat(r)
