"""Words: opposites, sorting, counting, reversing, letters, spelling, forms, lists, copying in a new shape."""
from skill_common import *
from skill_sums import word as number_word

OPP = bank.OPP
OWORDS = sorted(OPP)

ASK_OPP = ["What is the opposite of {w}?", "What's the opposite of {w}?", "opposite of {w}", "Opposite of {w}?", "the opposite of {w}", "What is the opposite of \"{w}\"?", "Opposite of \"{w}\"?", "Tell me the opposite of {w}.", "Give me the opposite of {w}.",
 "What is the antonym of {w}?", "antonym of {w}", "Antonym for {w}?", "Give an antonym of {w}.", "whats the opposite of {w}", "Which word means the opposite of {w}?", "What word is the opposite of {w}?", "Do you know the opposite of {w}?", "Name the opposite of {w}.",
 "{w} is the opposite of what?", "What's the reverse of {w}?", "What is the counterpart of {w}?", "Give me a word that means the contrary of {w}.", "A word that means the opposite of {w}?", "What do you call the opposite of {w}?", "Which word is opposite in meaning to {w}?", "The antonym of {w} is?", "What's an antonym for {w}?",
 "What word has the opposite meaning of {w}?", "Which word says the contrary of {w}?", "{w} and its opposite?", "What stands opposite to {w}?", "Please name an antonym of {w}.", "Could you give me the opposite of {w}?", "I'm looking for the opposite of {w}.", "Help me find the opposite of {w}.", "Quiz: the opposite of {w}?", "My homework: the opposite of {w}.", "Reverse the meaning of {w}.",
 "Turn {w} into its opposite.", "The contrary of {w}?", "contrary of {w}", "Make the opposite of {w}.", "One word: the opposite of {w}.", "In one word, what is the opposite of {w}?", "What's the very opposite of {w}?", "Do you happen to know an antonym for {w}?", "The word {w}: what is its opposite?", "Take the word {w} and give me its antonym.", "{w} has which opposite?", "what is opposite of {w}",
 "What would be the opposite of {w}?", "Can you tell me the opposite of {w}?", "What is the contrary of {w}?", "I need the opposite of {w}.", "Say the opposite of {w}.", "the reverse of {w}?", "If something is not {w}, what is it?", "opposite: {w}", "{w} - opposite?", "{w}: what is the opposite?",
 "Find the opposite of {w}.", "An antonym for \"{w}\", please.", "What is opposite to {w}?", "Opposite word for {w}?", "What's the opposite word of {w}?", "How do you say the opposite of {w}?"]
NEXT_OPP = ["And of {w}?", "and {w}?", "And {w}?", "And the opposite of {w}?", "what about {w}", "What about {w}?", "now {w}", "{w}?", "and of {w}", "How about {w}?", "Next: {w}", "and for {w}?"]
def say_opp(r, w): 
    o = OPP[w]
    return r.choice([f"The opposite of {w} is {o}."] * 4 + [f"The opposite of \"{w}\" is \"{o}\".", f"{cap(o)}.", f"{cap(o)}.", f"It is {o}.", o])
def opposites(r):
    if r.random() < .06:
        w = r.choice(LONE); return [T(careless(r, r.choice(ASK_OPP[:8]).format(w=w)), r.choice([f"I don't know an opposite of {w}.", f"I know no opposite of {w}.", f"{cap(w)} has no opposite that I know."]), "None")]
    w = r.choice(OWORDS); q = r.choice(ASK_OPP[:-10] if " " in w else ASK_OPP)
    if q.startswith("If something") and not re.search(r"\b(hot|big|full|open|wet|hard|clean|high|true|easy|old|new)\b", w): q = ASK_OPP[0]
    out = [T(careless(r, q.format(w=w)), say_opp(r, w), cap(OPP[w]))]; last = w
    while r.random() < .45 and len(out) < 5:
        z = r.random()
        if z < .1: out.append(T(sloppy(r, ["Why?", "why", "why is that"]), f"Because {last} and {OPP[last]} mean contrary things.", None))
        elif z < .28 and OPP[OPP[last]] == last:
            out.append(T(sloppy(r, ["And of that?", "and the opposite of that?", "and the other way round?", f"And of {OPP[last]}?"]), r.choice([f"The opposite of {OPP[last]} is {last}.", f"{cap(last)}."]), cap(last))); last = OPP[last]
        elif z < .37: out.append(T(sloppy(r, ["Are you sure?", "sure?", "really?", "Is that right?"]), r.choice([f"Yes. {cap(last)} and {OPP[last]} are opposites.", f"Yes, {OPP[last]} is the opposite of {last}."]), "Yes"))
        elif z < .43:
            out.append(T(sloppy(r, ["Use both words in a sentence.", "Can you use both in a sentence?"]), f"This one is not {last}, it is {OPP[last]}.", None)) if last in ADJ and OPP[last] in ADJ else out.append(T(sloppy(r, ["thanks", "Thanks!", "ok"]), "You're welcome.", "Welcome"))
        else: last = r.choice(OWORDS); out.append(T(careless(r, r.choice(NEXT_OPP).format(w=last)), say_opp(r, last), cap(OPP[last])))
    if r.random() < .12:
        ws = r.sample(OWORDS, r.randrange(2, 5))
        return [T(sloppy(r, [f"Give me the opposites of {join(ws)}.", f"opposites of: {', '.join(ws)}", f"What are the opposites of {join(ws)}?", f"Opposites: {', '.join(ws)}"]), r.choice([", ".join(f"{x}: {OPP[x]}" for x in ws), "\n".join(f"{x} - {OPP[x]}" for x in ws), cap(join([OPP[x] for x in ws])) + "."]), None, "data")]
    if r.random() < .12:
        a = r.choice(OWORDS); yes = r.random() < .5; b = OPP[a] if yes else r.choice(OWORDS)
        if b == OPP[a] or OPP.get(b) == a: yes = True
        return [T(sloppy(r, [f"Is {b} the opposite of {a}?", f"is {b} the opposite of {a}"]), f"Yes, {b} is the opposite of {a}." if yes else f"No, the opposite of {a} is {OPP[a]}.", "Yes" if yes else "No")]
    return out
ADJ = set(bank.W("hot, cold, big, small, tall, short, fast, slow, happy, sad, light, dark, open, closed, new, old, rich, poor, full, empty, wet, dry, hard, soft, loud, quiet, clean, dirty, thick, thin, wide, narrow, deep, shallow, smooth, rough, cheap, expensive"))

NOUNS = sorted({w for k, ws in bank.CATS.items() for w in ws if re.fullmatch(r"[a-z]+", w) and not k.startswith(("things", "ways", "words"))} | {w for w in bank.PLUR if w.isalpha()})
MORE = bank.W("""house, garden, window, school, friend, water, mother, father, people, because, morning, evening, summer, winter, story, letter, paper, money, music, flower, animal, beautiful, family, number, question, answer, picture,
yellow, orange, purple, green, happy, sunny, rainy, cloud, thunder, river, ocean, island, forest, desert, bridge, castle, village, market, street, kitchen, bedroom, bathroom, ceiling, mirror, blanket, candle, bottle, basket, pocket, button, hammer,
pencil, notebook, library, museum, hospital, station, airport, ticket, journey, holiday, birthday, present, party, dinner, lunch, breakfast, butter, cheese, bread, sugar, coffee, chocolate, banana, necessary, tomorrow, yesterday, Wednesday,
February, friendship, knowledge, science, neighbor, believe, receive, different, favorite, together, tonight, never, always, sometimes, minute, second, hour, week, month, year, world, planet, moon, star, light, night, right, write, wrong, know, knife,
laugh, enough, through, thought, daughter, eight, height, weight, piece, field, chief, ready, heavy, heart, earth, early, learn, listen, whisper, answer, sword, island, doubt, comb, climb, lamb, thumb, color, theater, center, metal, model, computer, keyboard,
screen, memory, program, language, word, sentence, hello, goodbye, please, thanks, welcome, sorry, maybe, table, chair, apple, quire, book, page, cover, ink, pen, dog, cat, sun, sky, sea, egg, ice, ant, owl, zebra, yacht, rhythm, queen, king, prince, princess""")
LONE = [w for w in NOUNS if w not in OPP]
WORDS = sorted(set(NOUNS) | set(MORE) | {w for w in [*OPP, *bank.PAST, *bank.PAST.values(), *bank.PLUR.values()] if w.isalpha()})
THINGS = [w for ws in bank.CATS.values() for w in ws if re.fullmatch(r"[a-z]+", w)]
LOWER = sorted(set(THINGS))

def some(r, n, distinct_initial=.8):
    """n things, mostly with different first letters, sometimes of one kind."""
    while True:
        pool = LOWER if r.random() < .5 else [w for w in r.choice(list(bank.CATS.values())) if re.fullmatch(r"[a-z]+", w)]
        if len(pool) < n + 2: continue
        xs = r.sample(pool, n)
        if len({x[0] for x in xs}) == n or r.random() > distinct_initial: return xs
def listed(r, xs): return r.choice([", ".join(xs), ", ".join(xs), ", ".join(xs), " ".join(xs), join(xs)])
def numlist(r, n):
    top = r.choice((10, 20, 50, 100, 100, 100, 1000)); return r.sample(range(0 if top < 20 else 1, top + (n if top < 20 else 0)), n)

def sorting(r):
    n = r.randrange(3, 7); z = r.random()
    if z < .6:
        xs = numlist(r, n); l = listed(r, list(map(str, xs))); up = r.random() < .58; ys = sorted(xs, reverse=not up)
        u = ([f"Sort these numbers: {l}", f"Sort {l}.", f"sort {l}", f"Sort the numbers {l}.", f"Put these numbers in order: {l}", f"put {l} in order", f"Order these numbers from smallest to largest: {l}", f"Sort from small to big: {l}", f"Sort these in ascending order: {l}",
              f"Arrange {l} from lowest to highest.", f"Can you sort {l}?", f"numbers sorted please: {l}", f"sort: {l}", f"Sort these numbers from smallest to biggest: {l}", f"{l} - sort these", f"Please sort these numbers in increasing order: {l}", f"Put in order: {l}", f"Rank from low to high: {l}"] if up else
             [f"Sort these numbers from largest to smallest: {l}", f"Sort in descending order: {l}", f"sort {l} from big to small", f"Put {l} in order, biggest first.", f"Order from highest to lowest: {l}", f"Sort {l} in decreasing order.", f"Arrange {l} from largest to smallest.", f"sort descending: {l}"])
    else:
        xs = some(r, n); l = listed(r, xs); up = r.random() < .8; ys = sorted(xs, reverse=not up)
        u = ([f"Sort these words: {l}", f"Sort alphabetically: {l}", f"Sort these words alphabetically: {l}", f"Put these words in alphabetical order: {l}", f"put {l} in alphabetical order", f"alphabetical order please: {l}", f"Sort {l} by the alphabet.", f"sort from a to z: {l}", f"Order these words from A to Z: {l}",
              f"Can you sort {l} alphabetically?", f"Arrange in alphabetical order: {l}", f"sort abc: {l}"] if up else [f"Sort these words from Z to A: {l}", f"Sort {l} in reverse alphabetical order.", f"sort backwards, z to a: {l}"])
    a = ", ".join(map(str, ys)); out = [T(sloppy(r, u), a, a, "data")]
    z = r.random()
    if z < .12: a = ", ".join(map(str, ys[::-1])); out.append(T(sloppy(r, ["Now backwards.", "now the other way round", "And in reverse?", "now descending" if ys[0] <= ys[-1] else "now ascending", "reverse it", "the other way round please"]), a, a, "data"))
    elif z < .2: out.append(T(sloppy(r, ["Which one is first?", "which comes first?", "What is the first one?", "The first one?"]), f"{cap(str(ys[0]))}.", cap(str(ys[0]))))
    elif z < .28: out.append(T(sloppy(r, ["Which one is last?", "And the last one?", "What is the last one?"]), f"{cap(str(ys[-1]))}.", cap(str(ys[-1]))))
    elif z < .35: out.append(T(sloppy(r, ["The second one?", "Which is the second?", "what's the second one"]), f"{cap(str(ys[1]))}.", cap(str(ys[1]))))
    return out
def counting(r):
    n = r.choice((2, 3, 3, 4, 4, 5, 5, 6, 7, 8)); xs = list(map(str, numlist(r, n))) if r.random() < .2 else some(r, n, .1); l = r.choice([", ".join(xs), ", ".join(xs), join(xs)])
    kind = "numbers" if xs[0].isdigit() else r.choice(["words", "items", "things"])
    t = T(sloppy(r, [f"How many {kind} are in this list: {l}?", f"Count the {kind}: {l}", f"How many {kind} are there? {l}", f"how many {kind}: {l}", f"Count these {kind}: {l}", f"How many {kind} do you see here: {l}", f"How long is this list: {l}?"]),
          r.choice([f"There are {n} {kind}.", f"{n}.", f"{n} {kind}.", f"There are {n}."]), str(n))
    return [t] + ([T(sloppy(r, ["List them again.", "repeat the list", "Which ones?", "Name them."]), ", ".join(xs), None, "data")] if r.random() < .15 else [])
def reversing(r):
    n = r.randrange(3, 7); xs = list(map(str, numlist(r, n))) if r.random() < .4 else some(r, n, .1); l = ", ".join(xs) if r.random() < .8 else " ".join(xs); a = ", ".join(xs[::-1])
    return [T(sloppy(r, [f"Reverse this list: {l}", f"Reverse the order: {l}", f"Reverse {l}.", f"Write this list backwards: {l}", f"put this in reverse order: {l}", f"list backwards: {l}", f"Say these in reverse order: {l}", f"Turn this list around: {l}", f"the list {l} from the end to the start"]), a, a, "data")]
def position(r):
    n = r.randrange(3, 7); xs = some(r, n, .2) if r.random() < .75 else list(map(str, numlist(r, n))); l = ", ".join(xs); i = r.randrange(n)
    names = ["first", "second", "third", "fourth", "fifth", "sixth"]; w = "last" if i == n - 1 and r.random() < .6 else names[i]
    kind = "number" if xs[0].isdigit() else "word"
    a = r.choice([f"The {w} {kind} is {xs[i]}.", f"{cap(xs[i])}."])
    return [T(sloppy(r, [f"What is the {w} {kind} in this list: {l}?", f"Which {kind} is {w}: {l}?", f"{l}: which one is {w}?", f"the {w} one of {l}?", f"What is the {w} item? {l}"]), a, cap(xs[i]))]
def member(r):
    n = r.randrange(3, 7); xs = some(r, n, .2); yes = r.random() < .5; w = r.choice(xs) if yes else r.choice([x for x in LOWER if x not in xs]); l = ", ".join(xs)
    return [T(sloppy(r, [f"Is {w} in this list: {l}?", f"Does this list have {w} in it? {l}", f"is {w} one of these: {l}"]), f"Yes, {w} is in the list." if yes else f"No, {w} is not in the list.", "Yes" if yes else "No")]

def letters(r):
    w = r.choice(WORDS) if r.random() < .72 else name(r); z = r.random(); i = r.choice((0, 0, -1)); p = "first" if i == 0 else "last"; x = w[i]
    q = w if r.random() < .6 else f'"{w}"'
    if z < .4: return [T(sloppy(r, [f"What is the {p} letter of {q}?", f"{p} letter of {q}", f"Which letter does {q} {'start' if i == 0 else 'end'} with?", f"What letter does {q} {'begin' if i == 0 else 'end'} with?", f"the {p} letter in {q}?", f"Tell me the {p} letter of {q}.", f"What's the {p} letter of {q}?"]),
                             r.choice([f"The {p} letter of {w} is {x.upper()}.", f"{x.upper()}.", f"{cap(w)} {'starts' if i == 0 else 'ends'} with {x.upper()}."]), x.upper())]
    if z < .85: return [T(sloppy(r, [f"How do you spell {q}?", f"Spell {q}.", f"spell {q}", f"Can you spell {q}?", f"how is {q} spelled", f"Spell the word {q}.", f"Please spell {q} for me.", f"{q} letter by letter", f"What are the letters of {q}?"]), r.choice(["-".join(w.upper())] * 3 + ["-".join(w)]), None, "data")]
    n = len(w)
    if n <= 6: return [T(sloppy(r, [f"How many letters does {q} have?", f"How many letters are in {q}?", f"how many letters in {q}", f"Count the letters in {q}."]), r.choice([f"{'-'.join(w.upper())}: {n} letters.", f"{cap(w)} has {n} letters: {'-'.join(w.upper())}."]), str(n))]
    return letters(r)
ABC = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
def alphabet(r):
    i = r.randrange(0, 25); z = r.random()
    if z < .4: return [T(sloppy(r, [f"Which letter comes after {ABC[i]}?", f"What letter comes after {ABC[i]}?", f"the letter after {ABC[i]}?"]), f"After {ABC[i]} comes {ABC[i + 1]}.", ABC[i + 1])]
    if z < .7: return [T(sloppy(r, [f"Which letter comes before {ABC[i + 1]}?", f"What letter is before {ABC[i + 1]}?"]), f"Before {ABC[i + 1]} comes {ABC[i]}.", ABC[i])]
    v = r.choice(ABC); yes = v in "AEIOU"
    return [T(sloppy(r, [f"Is {v} a vowel?", f"is {v} a vowel or a consonant?"]), f"{v} is a {'vowel' if yes else 'consonant'}.", "Vowel" if yes else "Consonant")]

FORMS = [("plural", bank.PLUR, ["What is the plural of {w}?", "plural of {w}", "Plural of \"{w}\"?", "What's the plural of {w}?", "One {w}, two what?", "how do you say more than one {w}", "Give me the plural of {w}."], "The plural of {w} is {v}."),
         ("past tense", bank.PAST, ["What is the past tense of {w}?", "past tense of {w}", "What's the past tense of \"{w}\"?", "Past of {w}?", "How do you say {w} in the past?", "{w} in the past tense?", "Today I {w}, yesterday I ...?"], "The past tense of {w} is {v}.")]
def forms(r):
    what, table, asks, say = r.choice(FORMS); out = []
    for i in range(r.choice((1, 1, 2, 3))):
        w = r.choice(sorted(table)); v = table[w]
        q = r.choice(asks) if i == 0 else r.choice(["And of {w}?", "and {w}?", "What about {w}?", "now {w}"])
        out.append(T(careless(r, q.format(w=w)), r.choice([say, say, "{v}", "It is {v}."]).format(w=w, v=v), cap(v)))
        if out[-1].a == v: out[-1].a = cap(v) + "."
    return out
def casing(r):
    ws = some(r, r.randrange(1, 6), .1) if r.random() < .5 else sentence(r).rstrip(".").split(); l = " ".join(ws); up = r.random() < .65
    if not up: l = l.upper()
    a = l.upper() if up else l.lower()
    return [T(r.choice([f"Write this in {'upper' if up else 'lower'} case: {l}", f"{'upper' if up else 'lower'} case: {l}", f"Put this in {'capital' if up else 'small'} letters: {l}", f"Write \"{l}\" in {'capital' if up else 'small'} letters.", f"{'Uppercase' if up else 'Lowercase'} this: {l}", f"make this {'uppercase' if up else 'lowercase'}: {l}", f"Convert to {'upper' if up else 'lower'} case: {l}"]), a, a, "data")]
def repeat(r):
    l = r.choice([" ".join(some(r, r.randrange(1, 5), .1)), sentence(r), name(r), f"{name(r)} {r.randrange(100)}", syllables(r, 2).lower(), str(r.randrange(10000))])
    z = r.random()
    if z < .7: return [T(r.choice([f"Repeat after me: {l}", f"Say \"{l}\".", f"say {l}", f"Repeat: {l}", f"Repeat this exactly: {l}", f"Echo: {l}", f"Just say: {l}", f"Please say exactly this: {l}", f"Copy this: {l}"]), l, l, "data")]
    n = r.randrange(2, 5); w = r.choice(LOWER); m = number_word(n)
    return [T(r.choice([f"Say {w} {m} times.", f"Write \"{w}\" {m} times.", f"Repeat the word {w} {n} times."]), " ".join([w] * n), None, "data")]

SUBJ = bank.W("the dog, my sister, the old man, the teacher, our neighbour, a little boy, the cat, my friend, the baker, the girl, the farmer, my uncle, the nurse, the tall woman, the painter")
VERB = [x.split(":") for x in bank.W("""eats:ate:eat:an apple, buys:bought:buy:some bread, reads:read:read:a book, sees:saw:see:a bird, finds:found:find:a coin, makes:made:make:a cake, writes:wrote:write:a letter, opens:opened:open:the window, carries:carried:carry:a heavy bag, cooks:cooked:cook:dinner,
paints:painted:paint:the door, loses:lost:lose:a key, drinks:drank:drink:cold water, plants:planted:plant:a tree, washes:washed:wash:the car, sings:sang:sing:an old song, watches:watched:watch:the birds, cleans:cleaned:clean:the kitchen, draws:drew:draw:a house, builds:built:build:a small boat,
brings:brought:bring:the milk, takes:took:take:the bus, forgets:forgot:forget:the keys, hears:heard:hear:the rain, feeds:fed:feed:the ducks""")]
WHEN = ["every day", "in the morning", "in the garden", "at home", "on Sunday", "after work", "in the park", "at night", "by the river", ""]
def clause(r): return r.choice(SUBJ), r.choice(VERB), r.choice(WHEN)
def sent(s, form, v, w): return cap(" ".join(x for x in (s, form, v[3], w) if x)) + "."
def sentence(r):
    s, v, w = clause(r); return sent(s, v[0], v, w)
POLITE = [("Give me the book.", "Could you please give me the book?"), ("Close the door.", "Could you please close the door?"), ("Shut up.", "Could you please be quiet?"), ("Go away.", "Could you please leave me alone for a moment?"), ("Send me the file.", "Could you please send me the file?"), ("Wait.", "Could you please wait a moment?"),
 ("I want coffee.", "I would like some coffee, please."), ("I want a ticket.", "I would like a ticket, please."), ("Call me back.", "Could you please call me back?"), ("Help me.", "Could you please help me?"), ("Hurry up.", "Could you please be a little quicker?"), ("Tell me your name.", "May I ask your name, please?"), ("Move.", "Could you please move a little?"),
 ("Bring the bill.", "Could you please bring the bill?"), ("Pass the salt.", "Could you please pass the salt?"), ("Open the window.", "Could you please open the window?"), ("Turn down the music.", "Could you please turn down the music?"), ("Pay me now.", "Could you please pay me soon?"), ("I need the report today.", "Could you please send me the report today?"), ("Come here.", "Could you please come here?"),
 ("Stop talking.", "Could you please stop talking for a moment?"), ("Fix this.", "Could you please fix this?"), ("Read this.", "Could you please read this?"), ("Answer my email.", "Could you please answer my email?"), ("Wash the dishes.", "Could you please wash the dishes?")]
def misspelt(r, s):
    """One or two words with letters swapped, doubled or left out."""
    ws = s.split(" "); long = [i for i, w in enumerate(ws) if len(w) > 3 and w.strip(".").isalpha()]
    for i in r.sample(long, min(len(long), r.choice((1, 1, 2)))):
        w = ws[i]; k = r.randrange(1, len(w.rstrip(".")) - 1); z = r.random()
        ws[i] = w[:k] + (w[k + 1] + w[k] + w[k + 2:] if z < .5 and w[k + 1].isalpha() and w[k] != w[k + 1] else w[k] + w[k:] if z < .7 else w[k + 1:])
    return " ".join(ws)
def rewriting(r):
    s, v, w = clause(r); z = r.randrange(11); x = sent(s, v[0], v, w); out = None
    if z == 0: u, a = [f"Put this in the past tense: {x}", f"past tense: {x}", f"Write this in the past: {x}", f"Change to the past tense: {x}", f"Rewrite in past tense: {x}"], sent(s, v[1], v, w)
    elif z == 1: u, a = [f"Turn this into a question: {x}", f"Make this a question: {x}", f"make a question of this: {x}", f"Rewrite as a question: {x}"], "Does " + " ".join(y for y in (s, v[2], v[3], w) if y) + "?"
    elif z == 2: u, a = [f"Make this negative: {x}", f"Turn this into a negative sentence: {x}", f"Negate: {x}"], sent(s, "does not " + v[2], v, w)
    elif z == 3: x = low(x).replace("sunday", "Sunday"); a = cap(x); x = x.lower(); u = [f"Fix the capital letters: {x}", f"Correct the capitals: {x}", f"fix the capitalization: {x}", f"Put in the right capital letters: {x}"]
    elif z == 4:
        n, c = name(r), city(r); a = r.choice([f"My name is {n} and I live in {c}.", f"{n} lives in {c}.", f"I met {n} in {c}.", f"{n} went to {c} on Monday."]); u = [f"Fix the capital letters: {a.lower()}", f"Correct the capital letters in this: {a.lower()}", f"Put capital letters where they belong: {a.lower()}"]
    elif z == 8: x, a = "Does " + " ".join(y for y in (s, v[2], v[3], w) if y) + "?", x; u = [f"Turn this question into a statement: {x}", f"Make a statement: {x}", f"Change into a statement: {x}", f"make this a statement: {x}"]
    elif z in (9, 10): a = x; x = misspelt(r, x); u = [f"Correct the spelling: {x}", f"Fix the spelling: {x}", f"Fix the typo: {x}", f"Correct this sentence: {x}", f"spelling check: {x}", f"Find and fix the spelling mistakes: {x}"]
    elif z == 5: p, a = r.choice(POLITE); u = [f"Make this polite: {p}", f"Say this politely: {p}", f"Make this more polite: {p}", f"polite please: {p}", f"Rewrite politely: {p}", f"How do I say this politely: {p}"]
    elif z == 6:
        e = r.choice(["I just wanted to say that ", "As far as I know, ", "I think that ", "It is a fact that ", "To be honest, ", "Well, you know, ", "In my opinion, ", "As you may already know, "]); a = sent(s, v[0], v, w); u = [f"Make this shorter: {e}{low(x)}", f"Shorten: {e}{low(x)}", f"Say this in fewer words: {e}{low(x)}", f"shorter please: {e}{low(x)}"]
    else: f = sent(s, "will " + v[2], v, w); u, a = [f"Put this in the future: {x}", f"future tense: {x}", f"Rewrite in the future tense: {x}"], f
    out = [T(r.choice(u), a, a, "data")]
    if r.random() < .15: out.append(T(sloppy(r, ["In upper case.", "now in capital letters", "And in capitals?"]), a.upper(), a.upper(), "data"))
    elif r.random() < .08: out.append(T(sloppy(r, ["Repeat that.", "say it again", "Again, please."]), a, a, "data"))
    return out
def extracting(r):
    n, m = two(r, name); c = city(r); k = r.randrange(2, 100); th = r.choice(["apples", "books", "tickets", "eggs", "chairs", "pencils", "stamps", "cups", "candles", "boxes"]); d = r.choice(bank.DAYS); job = r.choice(bank.JOBS_SIMPLE); col = r.choice(bank.COLOURS[:11]); th1 = r.choice(["car", "bike", "coat", "hat", "bag", "house", "door", "boat"])
    x, facts = r.choice([(f"{n} bought {k} {th} in {c} on {d}.", "nkcdt"), (f"On {d}, {n} will travel to {c} with {k} {th}.", "nkcdt"), (f"{n} is {k} years old and lives in {c}.", "nkc"), (f"My name is {n}, I am {an(job)} from {c}.", "ncj"), (f"{n} lives in {c} and drives a {col} {th1}.", "nco"), (f"I met {n}, {an(job)}, in {c} last {d}.", "ncjd"), (f"Please send {k} {th} to {n} in {c}.", "nkct"), (f"{n} sold {k} {th} to a man from {c}.", "nkct"), (f"Meeting with {n} in {c}, {d} at {r.randrange(1, 13)} o'clock.", "ncd")])
    ask = dict(n=("name", n, ["What is the name", "Which name is there", "Who is it about"]), c=("city", c, ["Which city is it", "What city is named", "Which place is named"]), k=("number", str(k), ["What is the number", "Which number is there"]), d=("day", d, ["Which day is it", "What day is named"]), t=("thing", th, ["What things are named"]), j=("job", job, ["What is the job"]), o=("colour", col, ["What colour is it", "Which color is named"]))
    fs = r.sample(facts, min(len(facts), r.choice((1, 1, 1, 2, 3)))); w, v, q = ask[fs[0]]
    if r.random() < .15 and len(fs) > 1:
        a = "\n".join(f"{ask[f][0]}: {ask[f][1]}" for f in fs)
        return [T(r.choice([f"Extract {join([ask[f][0] for f in fs])} from this sentence: {x}", f"{x}\nExtract: {', '.join(ask[f][0] for f in fs)}", f"Find the {join([ask[f][0] for f in fs])}: {x}"]), a, a, "data")]
    out = [T(r.choice([f"Extract the {w}: {x}", f"Find the {w} in this sentence: {x}", f"{x}\n{r.choice(q)}?", f"{x} {r.choice(q)}?", f"{r.choice(q)}? {x}", f"What is the {w} in this text? {x}", f"Get the {w} from this: {x}", f"the {w} in \"{x}\"?"]), v, v, "data")]
    for f in fs[1:]:
        w, v, q = ask[f]; out.append(T(sloppy(r, [f"And the {w}?", f"and the {w}", f"{q[0]}?", f"What about the {w}?"]), v, v, "data"))
    return out

CATN = [k for k in bank.CATS if len(bank.CATS[k]) >= 7]
COUNT = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
def lists(r):
    k = r.choice(CATN); xs = bank.CATS[k]; w = r.choice(["three"] * 3 + ["five"] * 4 + ["four"] * 2 + ["two", "six"]); n = COUNT[w]; d = str(n) if r.random() < .3 else w
    q = r.choice(["Name {d} {k}.", "name {d} {k}", "List {d} {k}.", "Give me {d} {k}.", "give me {d} {k}", "Tell me {d} {k}.", "Can you name {d} {k}?", "Write a list of {d} {k}.", "a list of {d} {k}", "{d} {k}", "Make a list of {d} {k}.", "I need {d} {k}.", "Say {d} {k}.", "What are {d} {k}?", "list {d} {k} pls", "Could you list {d} {k}?"])
    form = r.choice(["comma", "comma", "lines", "number"])
    ys = r.sample(xs, n)
    def show(ys): return cap(join(ys)) + "." if form == "comma" else "\n".join("- " + y for y in ys) if form == "lines" else "\n".join(f"{i + 1}. {y}" for i, y in enumerate(ys))
    out = [T(careless(r, q.format(d=d, k=k)), show(ys), None, "data")]
    used = list(ys)
    while r.random() < .35 and len(out) < 4:
        z = r.random(); rest = [x for x in xs if x not in used]
        if z < .3 and rest: y = r.choice(rest); used.append(y); out.append(T(sloppy(r, ["Another one.", "another one?", "One more.", "one more please", "And another?", "Give me one more."]), cap(y) + ".", cap(y)))
        elif z < .45 and len(rest) >= 2: y = r.sample(rest, 2); used += y; out.append(T(sloppy(r, ["Two more.", "two more please", "And two more?", "Give me two more."]), cap(join(y)) + ".", None, "data"))
        elif z < .6: i = r.randrange(n); out.append(T(sloppy(r, [f"What was the {['first', 'second', 'third', 'fourth', 'fifth', 'sixth'][i]} one?", f"the {['first', 'second', 'third', 'fourth', 'fifth', 'sixth'][i]} one?"]), cap(ys[i]) + ".", cap(ys[i])))
        elif z < .7: out.append(T(sloppy(r, ["In upper case.", "now in upper case", "In capital letters, please."]), show(ys).upper(), None, "data")); break
        elif z < .8: out.append(T(sloppy(r, ["Now backwards.", "in reverse order please", "Reverse the list."]), show(ys[::-1]), None, "data")); break
        elif z < .9: out.append(T(sloppy(r, ["Now sort them.", "sort them alphabetically", "In alphabetical order, please."]), show(sorted(ys, key=str.lower)), None, "data")); break
        else: out.append(T(sloppy(r, ["How many are that?", "How many did you give me?", "How many are in the list?"]), f"{n}.", str(n))); break
    return out
def belongs(r):
    one = {"fruits": "a fruit", "vegetables": "a vegetable", "animals": "an animal", "birds": "a bird", "tools": "a tool", "clothes": None, "vehicles": "a vehicle", "colours": "a colour", "trees": "a tree", "flowers": "a flower", "insects": "an insect", "sports": "a sport", "drinks": "a drink", "musical instruments": "a musical instrument", "shapes": "a shape"}
    ks = [k for k in one if one[k]]; k = r.choice(ks); yes = r.random() < .5; w = r.choice(bank.CATS[k]); other = None
    if not yes:
        other = r.choice([x for x in ks if x != k and {x, k} not in ({"animals", "birds"}, {"animals", "insects"}, {"fruits", "colours"}, {"fruits", "trees"}, {"flowers", "colours"}, {"drinks", "fruits"}, {"flowers", "trees"})])
        w = r.choice([x for x in bank.CATS[other] if x not in bank.CATS[k]])
    if " " in w: return belongs(r)
    plain = k in ("colours", "sports", "drinks") or other in ("colours", "sports", "drinks"); x = w if plain else an(w)
    if r.random() < .4:
        n = r.randrange(2, 4); k2 = r.choice([x for x in ks if x not in (k, "birds", "insects", "animals", "colours", "flowers", "trees", "drinks")] if k in ("animals", "birds", "insects", "fruits", "colours", "flowers", "trees", "drinks") else [x for x in ks if x != k])
        xs = r.sample([y for y in bank.CATS[k] if y not in bank.CATS[k2]], n + 1); o = r.choice([y for y in bank.CATS[k2] if y not in bank.CATS[k]]); ys = xs + [o]; r.shuffle(ys)
        return [T(sloppy(r, [f"Which one does not belong: {', '.join(ys)}?", f"Find the odd one out: {', '.join(ys)}", f"odd one out: {', '.join(ys)}", f"Which word doesn't fit? {', '.join(ys)}"]), f"{cap(o)}. The others are {k}.", cap(o))]
    return [T(sloppy(r, [f"Is {x} {one[k]}?", f"is {x} {one[k]} or not"]), f"Yes, {x} is {one[k]}." if yes else f"No, {x} is {one[other]}.", "Yes" if yes else "No")]

MIX = [(opposites, 7), (sorting, 8), (counting, 2), (reversing, 3), (position, 2), (member, 1), (letters, 4), (alphabet, .7), (forms, 3), (casing, 2), (repeat, 2), (rewriting, 4), (extracting, 4), (lists, 6), (belongs, 2)]
def seg(r): return r.choices([f for f, _ in MIX], [w for _, w in MIX])[0](r)
