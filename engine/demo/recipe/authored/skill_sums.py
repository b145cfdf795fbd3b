"""Sums, differences, tables, comparisons: small numbers, many phrasings, follow-ups."""
import counting
import skill_sum_asks
from skill_common import *

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
def word(n):
    if n < 0: return "minus " + word(-n)
    if n <= 20: return ONES[n]
    if n < 100: return TENS[n // 10 - 2] + ("-" + ONES[n % 10] if n % 10 else "")
    return "one hundred" + (" and " + word(n % 100) if n % 100 else "")

ASK = {
 "+": ["What is {a} + {b}?", "What's {a} plus {b}?", "what is {a} plus {b}", "{a}+{b}", "{a} + {b}", "{a}+{b}=", "{a} + {b} =", "{a} + {b} = ?", "{a}+{b}?", "{a} plus {b}", "Add {b} to {a}.", "add {a} and {b}",
       "Can you add {a} and {b}?", "How much is {a} plus {b}?", "how much is {a}+{b}", "What do {a} and {b} make?", "What is the sum of {a} and {b}?", "Calculate {a} + {b}.", "calc {a} + {b}", "Work out {a} + {b}.",
       "If I add {a} and {b}, what do I get?", "What do you get when you add {a} and {b}?", "{a} and {b} together?", "Sum of {a} and {b}?", "I have {a} and get {b} more. How many is that?", "I need {a} + {b}.", "i need {a}+{b}", "{a} and {b} together", "What are {a} and {b} together?", "give me {a} + {b}", "quick, {a} + {b}", "{a} and {b} make?", "Please compute {a} + {b}.", "Tell me what {a} plus {b} is.",
       "whats {a} + {b}", "whats {a}+{b}", "Do you know what {a} + {b} is?", "Can you do {a} + {b}?", "Solve {a} + {b}.", "{a} added to {b}?", "{a} + {b} equals?", "{a} plus {b} is?", "{a} plus {b} equals what?", "How many is {a} and {b}?"],
 "-": ["What is {a} - {b}?", "What's {a} minus {b}?", "what is {a} minus {b}", "{a}-{b}", "{a} - {b}", "{a}-{b}=", "{a} - {b} =", "{a} - {b} = ?", "{a} minus {b}", "Subtract {b} from {a}.", "take {b} from {a}", "Take {b} away from {a}.",
       "How much is {a} minus {b}?", "What is {a} take away {b}?", "What is the difference between {a} and {b}?", "Calculate {a} - {b}.", "calc {a} - {b}", "Work out {a} - {b}.", "I have {a} and give away {b}. How many are left?",
       "What is left if I take {b} from {a}?", "Please compute {a} - {b}.", "whats {a} - {b}", "whats {a}-{b}", "Can you do {a} - {b}?", "Solve {a} - {b}.", "{a} less {b}?", "{a} - {b} equals?", "{a} minus {b} is?"],
 "x": ["What is {a} x {b}?", "What is {a} times {b}?", "what's {a} times {b}", "{a}*{b}", "{a} * {b}", "{a} x {b}", "{a}x{b}=", "{a} times {b}", "Multiply {a} by {b}.", "multiply {a} and {b}", "How much is {a} times {b}?",
       "What is the product of {a} and {b}?", "Calculate {a} * {b}.", "Work out {a} x {b}.", "whats {a} * {b}", "whats {a}*{b}", "Can you do {a} times {b}?", "{a} * {b} = ?", "{a} lots of {b}?", "Solve {a} * {b}."],
 "/": ["What is {a} divided by {b}?", "{a} / {b}", "{a}/{b}", "{a}/{b}=", "Divide {a} by {b}.", "How much is {a} divided by {b}?", "what's {a} divided by {b}", "Calculate {a} / {b}.", "{a} divided by {b}", "How many times does {b} go into {a}?", "Share {a} between {b}. How many each?"]}
SAY = {"+": "plus", "-": "minus", "x": "times", "/": "divided by"}
PRAISE = ["", "", "", "", "", "", "", "", "Sure: ", "That's easy: ", "Let me see: "]

def value(o, a, b): return a + b if o == "+" else a - b if o == "-" else a * b if o == "x" else a // b
def numbers(r, o):
    if o == "+":
        while True:
            a, b = (r.randrange(0, 101), r.randrange(0, 101)) if r.random() < .75 else (r.randrange(0, 21), r.randrange(0, 21))
            if a + b <= 100 or r.random() < .12: return a, b
    if o == "-":
        a = r.randrange(0, 101) if r.random() < .8 else r.randrange(0, 21)
        b = r.randrange(0, a + 1)
        return (b, a) if r.random() < .03 else (a, b)
    a, b = r.randrange(0 if r.random() < .1 else 2, 13), r.randrange(1 if r.random() < .1 else 2, 13)
    return (a, b) if o == "x" else (a * b, b)
def equation(o, a, b, v): return f"{a} {o} {b} = {v}"

def ask(r, o=None, nums=None):
    o = o or r.choices("+-x/", (10, 6, 4, 1.5))[0]
    a, b = nums or numbers(r, o)
    v = value(o, a, b)
    if r.random() < .17 and max(abs(v), a, b) <= 120:
        q = r.choice(["What is {a} {w} {b}?", "{a} {w} {b}", "{a} {w} {b}?", "whats {a} {w} {b}", "How much is {a} {w} {b}?"]).format(a=word(a), w=SAY[o], b=word(b))
        return T(careless(r, q), r.choice([f"{cap(word(a))} {SAY[o]} {word(b)} is {word(v)} ({v}).", f"{a} {o} {b} = {v}, {word(v)}."]), str(v)), v
    u = careless(r, (r.choice(ASK[o]) if r.random() < .4 else skill_sum_asks.wording(r, o)).format(a=a, b=b))
    if u.rstrip("?").rstrip().endswith("="): return T(u, str(v), str(v)), v
    z = r.random()
    if z < .62: return T(u, r.choice(PRAISE) + equation(o, a, b, v) + ".", str(v)), v
    if z < .82: return T(u, f"{a} {SAY[o]} {b} is {v}.", str(v)), v
    if z < .92: return T(u, f"That's {v}.", str(v)), v
    return T(u, str(v), str(v)), v

def follow(r, v):
    """A question that leans on the last result."""
    z = r.randrange(11)
    if z == 9:
        w = v + r.choice((-10, -2, -1, 1, 2, 10))
        return T(sloppy(r, [f"No, it is {w}.", f"Isn't it {w}?", f"I think it is {w}.", f"isnt it {w}", f"are you sure its not {w}"]), r.choice([f"No, it is {v}.", f"I get {v}, not {w}."]), str(v)), v
    if z in (0, 1, 2) and v < 100:
        b = r.randrange(1, min(101 - v, 41)) if v >= 0 else r.randrange(1, 10)
        u = ["and plus {b}?", "plus {b}", "+ {b}", "Add {b}.", "now add {b}", "And {b} more?", "and if I add {b}?", "Add {b} to that.", "+{b}", "plus {b} more", "ok, and plus {b}"]
        return T(careless(r, r.choice(u).format(b=b)), equation("+", v, b, v + b) + ".", str(v + b)), v + b
    if z in (3, 4) and v > 1:
        b = r.randrange(1, v)
        u = ["minus {b}", "and minus {b}?", "- {b}", "take away {b}", "Now subtract {b}.", "Take {b} from that.", "and less {b}?", "now minus {b}", "-{b}"]
        return T(careless(r, r.choice(u).format(b=b)), equation("-", v, b, v - b) + ".", str(v - b)), v - b
    if z == 5 and 0 < v <= 100:
        return T(sloppy(r, ["Double it.", "double that", "times 2", "And twice that?", "now double it", "What is double that?", "* 2", "Two times that?"]), equation("x", 2, v, 2 * v) + ".", str(2 * v)), 2 * v
    if z == 6 and v > 0 and v % 2 == 0:
        return T(sloppy(r, ["Halve it.", "and half of that?", "What is half of that?", "now halve it", "divide it by 2", "half?"]), equation("/", v, 2, v // 2) + ".", str(v // 2)), v // 2
    if z == 7:
        return T(sloppy(r, ["Are you sure?", "are you sure about that", "Sure?", "Is that right?", "really?", "Can you check that?"]), r.choice([f"Yes, it is {v}.", f"Yes. I checked it again: {v}.", f"I think so: {v}."]), "Yes"), v
    return T(sloppy(r, ["Say that again.", "what was the result", "What was the answer?", "repeat that", "Sorry, what was it?", "Just the number.", "only the number"]), str(v), str(v)), v

def three(r):
    a, b, c = (r.randrange(1, 34) for _ in range(3)); x, v = a + b, a + b + c
    q = ["What is {a} + {b} + {c}?", "{a}+{b}+{c}", "{a} + {b} + {c}", "{a} + {b} + {c} =", "Add {a}, {b} and {c}.", "What do {a}, {b} and {c} make?", "sum of {a}, {b} and {c}", "{a} plus {b} plus {c}", "What is the sum of {a}, {b} and {c}?", "How much is {a} plus {b} plus {c}?", "{a}, {b} and {c} together"]
    return [T(careless(r, r.choice(q).format(a=a, b=b, c=c)), f"{a} + {b} = {x}, and {x} + {c} = {v}.", str(v))]
THINGS = bank.W("coins, apples, books, marbles, stamps, eggs, pencils, cookies, stickers, balloons, shells, cards, pears, cups, nuts, tickets")
def story(r):
    """A word problem of one step, with the numbers that are taught."""
    n, m = two(r, name); t = r.choice(THINGS); o = r.choice("++--x"); a, b = numbers(r, o)
    if o == "-" and a < b: a, b = b, a
    a, b = max(a, 2), max(b, 2); a = max(a, b) if o == "-" else a; v = value(o, a, b)
    q = {"+": [f"{n} has {a} {t} and {m} has {b}. How many do they have together?", f"{n} has {a} {t} and gets {b} more. How many {t} does {n} have now?", f"There are {a} {t} in one box and {b} in another. How many {t} are there?", f"I have {a} {t} and buy {b} more. How many do I have?", f"{n} has {a} {t} and {m} {b}. How many in all?"],
         "-": [f"{n} has {a} {t} and gives {b} to {m}. How many are left?", f"There are {a} {t}. {n} takes {b}. How many are left?", f"I had {a} {t} and lost {b}. How many do I have now?", f"{n} has {a} {t}, {m} has {b}. How many more does {n} have?"],
         "x": [f"There are {a} boxes with {b} {t} each. How many {t} are there?", f"{n} buys {a} bags with {b} {t} in each. How many {t} is that?"]}[o]
    return [T(r.choice(q), f"{a} {o} {b} = {v}." + r.choice(["", f" So it is {v} {t}."]), str(v))]
def odd_even(r):
    n = r.randrange(0, 101)
    w = "even" if n % 2 == 0 else "odd"
    return [T(sloppy(r, [f"Is {n} odd or even?", f"Is {n} even or odd?", f"{n}: odd or even?", f"odd or even: {n}"]), f"{n} is {w}.", cap(w))]
def compare(r):
    while True:
        a, b = r.randrange(0, 101), r.randrange(0, 101)
        if a != b: break
    if r.random() < .25: a, b = a * 10 + r.randrange(10), b * 10 + r.randrange(10)
    if a == b: b += 1
    if r.random() < .5: w, v = r.choice(["bigger", "larger", "greater", "more"]), max(a, b)
    else: w, v = r.choice(["smaller", "less"]), min(a, b)
    o = a + b - v
    w2 = "bigger" if v > o else "smaller"
    z = r.random()
    if z < .7:
        u = [f"Which is {w}, {a} or {b}?", f"Which is {w}: {a} or {b}?", f"What is {w}, {a} or {b}?", f"{a} or {b}, which is {w}?", f"Which number is {w}, {a} or {b}?"]
        t = [T(sloppy(r, u), r.choice([f"{v} is {w} than {o}." if w != "more" else f"{v} is more than {o}.", f"{v}."]), str(v))]
        if r.random() < .3: t.append(T(sloppy(r, ["And which is the other way round?", "And the other one?", f"so which is {'smaller' if v > o else 'bigger'}?"]), f"{o} is {'smaller' if v > o else 'bigger'} than {v}.", str(o)))
        return t
    yes = a > b if r.random() < .5 else None
    if yes is None:
        yes = a < b
        return [T(sloppy(r, [f"Is {a} smaller than {b}?", f"is {a} less than {b}", f"Is {a} less than {b}?"]), f"{'Yes' if yes else 'No'}, {a} is {'smaller' if yes else 'bigger'} than {b}.", "Yes" if yes else "No")]
    return [T(sloppy(r, [f"Is {a} bigger than {b}?", f"is {a} more than {b}", f"Is {a} greater than {b}?", f"is {a} larger than {b}?"]), f"{'Yes' if yes else 'No'}, {a} is {'bigger' if yes else 'smaller'} than {b}.", "Yes" if yes else "No")]
def extreme(r):
    xs = r.sample(range(0, 101), r.randrange(3, 7)); l = ", ".join(map(str, xs))
    big = r.random() < .5; v = max(xs) if big else min(xs); w = r.choice(["biggest", "largest", "highest"] if big else ["smallest", "lowest"])
    return [T(sloppy(r, [f"Which is the {w}: {l}?", f"What is the {w} number? {l}", f"{w} of {l}?", f"Find the {w} number: {l}", f"Which of these is {w}: {l}"]), r.choice([f"The {w} is {v}.", f"{v}."]), str(v))]
def next_number(r):
    n, s = r.randrange(0, 60), r.choice((1, 1, 1, 2, 5, 10)); xs = [n + s * i for i in range(r.randrange(3, 6))]
    z = r.random()
    if z < .4: return [T(sloppy(r, [f"What comes after {n}?", f"Which number comes after {n}?", f"what number is after {n}"]), f"After {n} comes {n + 1}.", str(n + 1))]
    if z < .6: return [T(sloppy(r, [f"What comes before {n + 1}?", f"Which number comes before {n + 1}?"]), f"Before {n + 1} comes {n}.", str(n))]
    if z < .8: return [T(sloppy(r, [f"What comes next: {', '.join(map(str, xs))}?", f"{', '.join(map(str, xs))}, ...", f"Continue: {', '.join(map(str, xs))}"]), str(xs[-1] + s), str(xs[-1] + s), "data")]
    k = r.randrange(3, 16); a = r.choice((1, 1, 1, n))
    up = list(range(a, a + k)); back = r.random() < .3
    if back: up = up[::-1]
    return [T(sloppy(r, [f"Count from {up[0]} to {up[-1]}.", f"count from {up[0]} to {up[-1]}"] + ([f"Count to {up[-1]}.", f"count to {up[-1]}", f"Can you count to {up[-1]}?"] if a == 1 and not back else [])), ", ".join(map(str, up)), None, "data")]

def parts(r):
    """Halves, doubles, quarters, round percentages, squares and small powers."""
    z = r.randrange(6); n = r.randrange(1, 51)
    if z == 0: q, a, v = ["What is half of {x}?", "half of {x}", "What's half of {x}?", "How much is half of {x}?", "Half of {x}?", "Halve {x}."], f"{2 * n} / 2 = {n}.", n; x = 2 * n
    elif z == 1: q, a, v = ["What is double {x}?", "double {x}", "What is twice {x}?", "Twice {x}?", "Double {x}.", "How much is two times {x}?"], f"2 x {n} = {2 * n}.", 2 * n; x = n
    elif z == 2: n = n % 25 + 1; q, a, v = ["What is a quarter of {x}?", "a quarter of {x}", "One quarter of {x}?", "How much is a quarter of {x}?"], f"{4 * n} / 4 = {n}.", n; x = 4 * n
    elif z == 3:
        p, d = r.choice([(10, 10), (10, 10), (20, 5), (25, 4), (50, 2), (50, 2)]); n = n % 20 + 1; x, v = d * n, n
        q, a = [f"What is {p}% of {{x}}?", f"{p}% of {{x}}", f"What is {p} percent of {{x}}?", f"How much is {p} % of {{x}}?", f"{p} percent of {{x}}?"], f"{p}% of {x} is {x} / {d} = {n}."
    elif z == 4: x = r.randrange(1, 13); v = x * x; q, a = ["What is {x} squared?", "{x} squared", "What's {x} squared?", "{x} to the power of 2", "the square of {x}?", "What is the square of {x}?"], f"{x} x {x} = {v}."
    else: x, k = r.choice([(2, 3), (2, 4), (2, 5), (3, 3), (10, 2), (10, 3), (2, 3), (4, 3), (5, 3)]); v = x ** k; q, a = [f"What is {{x}} to the power of {k}?", f"{{x}} to the power of {k}", f"{{x}}^{k}", f"What's {{x}} to the {['', '', 'second', 'third', 'fourth', 'fifth'][k]} power?"], f"{' x '.join([str(x)] * k)} = {v}."
    return [T(careless(r, r.choice(q).format(x=x)), a if r.random() < .75 else f"{v}.", str(v))]

def seg(r):
    z = r.random()
    if z < .07: return three(r) if r.random() < .5 else parts(r)
    if z < .12: return parts(r)
    if z < .16: return story(r)
    if z < .22: return counting.seg(r)
    if z < .82:
        t, v = ask(r); out = [t]
        while r.random() < .4 and len(out) < 5:
            t, v = follow(r, v) if r.random() < .7 else ask(r)
            out.append(t)
        return out
    return r.choice((odd_even, compare, compare, extreme, extreme, next_number, next_number))(r)
