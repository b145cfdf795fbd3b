"""Counting: up, down, in steps, in words and in figures, to a number that is written either way."""
from skill_common import T, cap, sloppy

SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
def word(n):
    if n == 100: return "one hundred"
    return SMALL[n] if n < 20 else TENS[n // 10] + (f"-{SMALL[n % 10]}" if n % 10 else "")
def said(r, n): return word(n) if n <= 30 and r.random() < .5 or n % 10 == 0 and r.random() < .3 else str(n)
def row(numbers, words=False): return ", ".join(word(n) if words else str(n) for n in numbers)

UP = ["Count to {b}.", "Count to {b}.", "count to {b}", "Can you count to {b}?", "Please count to {b}.", "Count up to {b}.", "Count from {a} to {b}.", "count for me to {b}", "I want you to count to {b}.", "Can you count from {a} to {b}?", "Let me see you count to {b}.", "Count out loud to {b}.", "Counting to {b}, please.", "Write the numbers from {a} to {b}.", "List the numbers from {a} to {b}.", "All numbers up to {b}, please.", "Say the numbers up to {b}.", "numbers from {a} to {b}", "Could you count up to {b} for me?", "My child wants to hear you count to {b}.", "Do you know how to count to {b}?"]
SPAN = ["Count from {a} to {b}.", "count from {a} to {b}", "Write the numbers from {a} to {b}.", "List the numbers from {a} to {b}.", "Start at {a} and count to {b}.", "Which numbers are there from {a} to {b}?", "Can you count from {a} up to {b}?", "Count on from {a} to {b}.", "numbers from {a} to {b} please", "Begin with {a} and go on to {b}."]
DOWN = ["Count down from {a}.", "Count down from {a} to {b}.", "count backwards from {a}", "Count backwards from {a} to {b}.", "Can you count down from {a}?", "A countdown from {a}, please.", "countdown from {a}", "Start a countdown at {a}.", "Count from {a} down to {b}.", "Say the numbers from {a} to {b} backwards.", "Do a countdown from {a} to {b}."]
STEPS = ["Count in {k}s to {b}.", "Count by {k}s to {b}.", "count by {k}s up to {b}", "Count to {b} in {k}s.", "Count to {b} in steps of {n}.", "Count in steps of {n} up to {b}.", "Skip count by {k}s to {b}.", "Can you count in {k}s up to {b}?"]
PLURAL = {2: "twos", 3: "threes", 4: "fours", 5: "fives", 10: "tens", 20: "twenties"}
def up(r):
    b = r.choice((3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 10, 11, 12, 13, 14, 15, 16, 18, 20, 20))
    words = r.random() < .15
    q = r.choice(UP).format(a=said(r, 1), b=said(r, b))
    if words: q = q.rstrip(".?") + r.choice([" in words.", " in words", ", as words."])
    return q, row(range(1, b + 1), words)
def span(r):
    a = r.choice((r.randrange(2, 20), r.randrange(2, 90))); b = a + r.randrange(2, 10)
    return r.choice(SPAN).format(a=said(r, a), b=said(r, b)), row(range(a, b + 1))
def down(r):
    a = r.choice((3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 10, 12, 15, 20)); q = r.choice(DOWN)
    b = r.choice((0, 1)) if "{b}" in q else 1
    return q.format(a=said(r, a), b=said(r, b)), row(range(a, b - 1, -1))
def steps(r):
    n = r.choice((2, 2, 3, 4, 5, 5, 10, 10, 20)); b = n * r.randrange(3, 11 if n != 20 else 6)
    return r.choice(STEPS).replace("{k}s", PLURAL[n] if r.random() < .7 else f"{n}s").format(n=said(r, n), b=said(r, b)), row(range(n, b + 1, n))
def parity(r):
    even, b = r.random() < .5, r.randrange(6, 21); w = "even" if even else "odd"
    return r.choice([f"List the {w} numbers up to {b}.", f"Which {w} numbers are there up to {b}?", f"the {w} numbers to {b}, please", f"Count to {b} in {w} numbers.", f"Write the {w} numbers from 1 to {b}."]), row(range(2 if even else 1, b + 1, 2))
def go_on(r):
    a = r.randrange(1, 30); words = r.random() < .5; more = r.choice((3, 4, 5))
    q = row(range(a, a + 3), words) if r.random() < .6 else row(range(a, a + 3), words).replace(",", "")
    return q + r.choice([", go on", ", go on.", " ... go on", ", and so on: go on!", ", what comes then?", " - please continue", ", continue"]), row(range(a + 3, a + 3 + more), words)
def can(r):
    return r.choice(["Can you count?", "can you count", "Do you know how to count?", "Are you able to count?", "Do you know numbers?"]), r.choice(["Yes: 1, 2, 3, 4, 5.", "Yes, a little: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.", "Yes. Say how far, and I'll count."])
KINDS = [(up, 40), (span, 18), (down, 20), (steps, 12), (parity, 5), (go_on, 6), (can, 4)]
THEN = ["And now backwards.", "now backwards", "And backwards?", "Backwards, please.", "Now the other way round."]
def seg(r):
    """A task of counting, and at times the same backwards."""
    kind = r.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0]
    q, a = kind(r)
    out = [T(sloppy(r, [q]), cap(a), None, "data")]
    if kind in (up, span) and r.random() < .12: out.append(T(sloppy(r, [r.choice(THEN)]), cap(", ".join(a.split(", ")[::-1])), None, "data"))
    return out
