"""A thinking block when it is asked for: short sums, sorting, opposites, decisions. None otherwise."""
from skill_common import *
import skill_sums as sums, skill_words as words

SYSTEM = ["Think before you answer.", "Think first, then answer.", "Think step by step before you answer.", "Always think before answering.", "You think before you answer. Put your thoughts between <think> and </think>.", "First think, then give the answer.", "You are a helpful assistant. Think before you answer."]
ASKED = ["Think first: {q}", "think step by step: {q}", "{q} Think first.", "{q} Think step by step.", "Think before you answer. {q}", "{q} Please think first.", "Think about it: {q}", "Take your time and think. {q}"]
def thought_sum(a, b):
    x, y = a % 10, b % 10; ta, tb = a - x, b - y
    if a < 10 or b < 10: return f"{a} and {b} make {a + b}."
    return f"Tens: {ta} + {tb} = {ta + tb}. Ones: {x} + {y} = {x + y}. Together {ta + tb} + {x + y} = {a + b}."
def thought_difference(a, b):
    t = b - b % 10
    return f"{a} take away {b} leaves {a - b}." if b < 10 or not b % 10 else f"First {a} - {t} = {a - t}. Then {a - t} - {b % 10} = {a - b}."
DECIDE = [("Should I take an umbrella? It looks like rain.", "It may rain. An umbrella keeps you dry and weighs little.", "Yes, take it."), ("Tea or coffee in the evening?", "Coffee may keep you awake. Tea is milder.", "Tea, I would say."), ("Should I walk or take the bus? It is not far.", "It is not far, and walking is good for you.", "I would walk."), ("Should I sleep or go on working? I am very tired.", "You are very tired. Tired people make mistakes.", "Sleep, and go on tomorrow."), ("Should I wear a coat? It is cold outside.", "It is cold. A coat keeps you warm.", "Yes, wear a coat."), ("Soup or ice cream on a cold day?", "It is cold. Soup is warm, ice cream is not.", "Soup."), ("Should I call my mother today?", "A call is short, and she will be glad.", "Yes, call her."), ("The shop closes at 6 and it is 5. Do I have time?", "From 5 to 6 is one hour.", "Yes, you have one hour.")]
def item(r):
    """(question, thought, answer)"""
    z = r.random()
    if z < .1: t = sums.three(r)[0]; x = t.a.split(", and "); return t.u, f"First {x[0]}. Then {x[1]}", t.s + "."
    if z < .38:
        o = r.choice("++-x"); a, b = sums.numbers(r, o); v = sums.value(o, a, b)
        if v < 0: a, b, v = b, a, -v
        th = thought_sum(a, b) if o == "+" else thought_difference(a, b) if o == "-" else f"{a} times {b} is in the times table: {v}."
        return r.choice(sums.ASK[o]).format(a=a, b=b), th, f"{a} {o} {b} = {v}."
    if z < .6:
        xs = r.sample(range(1, 100), r.randrange(3, 6)); left = sorted(xs)
        if r.random() < .3: ws = words.some(r, len(xs), 1); return f"Sort these words: {', '.join(ws)}", "By first letter: " + ", ".join(f"{w[0].upper()} {w}" for w in sorted(ws)) + ".", ", ".join(sorted(ws))
        return r.choice(["Sort these numbers: ", "Put these in order: ", "sort "]) + ", ".join(map(str, xs)), f"The smallest is {left[0]}. Then {', '.join(map(str, left[1:-1]))}. The largest is {left[-1]}.", ", ".join(map(str, left))
    if z < .8: w = r.choice(words.OWORDS); return r.choice(words.ASK_OPP[:10]).format(w=w), f"I need the word that means the contrary of {w}. That is {words.OPP[w]}.", f"The opposite of {w} is {words.OPP[w]}."
    if z < .9: t = r.choice((words.counting, words.letters, words.forms))(r)[0]; return t.u, r.choice(["This is a small question about words. I know this one.", "A simple question. I can answer it."]), t.a
    return r.choice(DECIDE)
def turn(r, asked):
    q, th, a = item(r)
    return T(r.choice(ASKED).format(q=q if q[-1] in "?." or ":" in q else q + ".") if asked else careless(r, q), f"<think>\n{th}\n</think>\n\n{a}")
def chat(r, fillers):
    if r.random() < .55: return r.choice(SYSTEM), [turn(r, False) for _ in range(r.choice((1, 1, 2, 3)))]
    out = []
    for _ in range(r.choice((1, 2, 3))): out += fillers(r) if out and r.random() < .5 else [turn(r, True)]
    return None, out
