"""Quizzes and little games: the model asks, the user answers, or the other way round; and drills."""
from skill_common import *
import skill_sums as sums, skill_words as words

RIGHT, WRONG = ["Right!", "Correct!", "Yes, well done!", "That's right."], ["Not quite: {x}", "No: {x}", "Almost. {x}"]
AGAIN = ["Another one.", "one more", "again", "Next!", "more", "Ask me another one.", "next one please"]
STOP = ["Stop.", "enough", "That's enough, thanks.", "I'm done", "no more"]
def wrong_answer(r, x):
    s = r.choice(WRONG)
    return s.format(x=cap(x) if ". " in s else x)
def sum_question(r):
    o = r.choice("++-x"); a, b = sums.numbers(r, o)
    if o == "-" and b > a: a, b = b, a
    v = sums.value(o, a, b); return f"What is {a} {o} {b}?", str(v), str(v + r.choice((-10, -1, 1, 2, 10))), f"{a} {o} {b} = {v}."
def opposite_question(r):
    w = r.choice(words.OWORDS); return f"What is the opposite of {w}?", words.OPP[w], r.choice(words.OWORDS), f"the opposite of {w} is {words.OPP[w]}."
def spelling_question(r):
    w = r.choice(words.WORDS); i = r.choice((0, -1)); p = "first" if i == 0 else "last"
    return f"What is the {p} letter of {w}?", w[i].upper(), r.choice(words.ABC.replace(w[i].upper(), "")), f"it is {w[i].upper()}."
ASK = [(sum_question, ["Ask me a sum.", "Quiz me on sums.", "give me a sum", "Test my maths.", "Can you ask me a maths question?", "Ask me a sum to solve."]), (opposite_question, ["Quiz me on opposites.", "Ask me an opposite.", "Let's play opposites, you ask.", "test me on opposites"]),
       (spelling_question, ["Ask me about letters.", "Quiz me on letters.", "Give me a question about letters."])]
def quiz(r):
    make, asks = r.choice(ASK); n = r.randrange(1, 5); out = []; u = sloppy(r, asks); before = ""
    for i in range(n):
        q, right, wrong, x = make(r); out.append(T(u, (before + " " + q).strip())); ok = r.random() < .65 or wrong == right
        u = r.choice([right, right, right.lower(), f"it's {right}", f"I think it is {right}"]) if ok else wrong
        before = r.choice(RIGHT) if ok else wrong_answer(r, x)
        if r.random() < .5: out.append(T(u, before)); u, before = sloppy(r, AGAIN), ""
    if before: out.append(T(u, before)); u = None
    if r.random() < .3: out.append(T(sloppy(r, STOP), r.choice(["OK, that was fun!", "Good game!", "OK. Well played!"])))
    return out
def answers(r):
    """The user says words or sums one after the other, and each is answered alone."""
    if r.random() < .5:
        out = [T(sloppy(r, ["I say a word, you say the opposite.", "Let's play opposites: I say a word and you say the opposite.", "I give you words, you give me their opposites.", "Let's play the opposites game."]), r.choice(["OK, go ahead!", "Good, give me a word.", "Ready!"]))]
        for w in r.sample(words.OWORDS, r.randrange(2, 9)): out.append(T(r.choice((w, w, w, cap(w))), cap(words.OPP[w]) + ".", cap(words.OPP[w])))
        return out
    out = [T(sloppy(r, ["I give you sums, you solve them.", "Let's do some sums.", "lets do maths", "Can we practise sums?"]), r.choice(["OK, go ahead!", "Good, give me a sum.", "Ready!"]))]
    for _ in range(r.randrange(2, 9)): out.append(sums.ask(r)[0])
    return out
def bored(r):
    out = [T(sloppy(r, ["I'm bored.", "im bored", "I have nothing to do.", "Let's play something.", "can we play a game?", "Do you know a game?"]), r.choice(["Let's play opposites: you say a word, and I say its opposite.", "Shall we play opposites? Give me a word, and I'll tell you its opposite."]))]
    if r.random() < .4: out.append(T(sloppy(r, ["yes", "ok", "sure", "Yes, please.", "Let's go!"]), r.choice(["Good! Give me a word.", "Great, what is your first word?"])))
    for w in r.sample(words.OWORDS, r.randrange(1, 5)): out.append(T(r.choice((w, cap(w), w + "!")), cap(words.OPP[w]) + ".", cap(words.OPP[w])))
    return out
def drill(r):
    """Much of one skill in one chat."""
    make = r.choices((lambda r: [sums.ask(r)[0]], words.opposites, words.sorting, words.letters, words.reversing, words.extracting), (5, 4, 3, 3, 1, 1))[0]; out = []; n = r.randrange(3, 9)
    while len(out) < n: out += make(r)
    return out
def seg(r): return r.choices((quiz, answers, bored, drill), (3, 2, 1, 6))[0](r)
