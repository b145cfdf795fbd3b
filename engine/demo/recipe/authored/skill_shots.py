"""Few-shot chats: the examples show a pattern, the answer continues it and says nothing else."""
from skill_common import *
import skill_sums as sums, skill_words as words

def table(s): return [tuple(x.split(":")) for x in bank.W(s)]
COLOUR = table("banana:yellow, lemon:yellow, grass:green, lime:green, tomato:red, strawberry:red, cherry:red, carrot:orange, plum:purple, blueberry:blue, snow:white, milk:white, coal:black, chocolate:brown, sky:blue, sun:yellow, flamingo:pink, pumpkin:orange, spinach:green, aubergine:purple, elephant:grey, night:black, frog:green, blood:red")
SOUND = table("cat:meow, dog:woof, cow:moo, sheep:baa, pig:oink, duck:quack, lion:roar, bee:buzz, snake:hiss, mouse:squeak, frog:croak, owl:hoot, horse:neigh, wolf:howl")
BABY = table("cat:kitten, dog:puppy, cow:calf, sheep:lamb, horse:foal, pig:piglet, hen:chick, goat:kid, duck:duckling, bear:cub, deer:fawn, goose:gosling, swan:cygnet, frog:tadpole, kangaroo:joey")
CAPITAL = table("France:Paris, Italy:Rome, Spain:Madrid, Germany:Berlin, Japan:Tokyo, China:Beijing, Egypt:Cairo, Greece:Athens, Portugal:Lisbon, Austria:Vienna, Poland:Warsaw, Sweden:Stockholm, Norway:Oslo, Ireland:Dublin, England:London, Russia:Moscow, Peru:Lima, Cuba:Havana, Kenya:Nairobi, Canada:Ottawa")
COMPARE = table("big:bigger, small:smaller, fast:faster, slow:slower, tall:taller, short:shorter, old:older, young:younger, good:better, bad:worse, hot:hotter, cold:colder, happy:happier, easy:easier, strong:stronger, weak:weaker, long:longer, high:higher, low:lower, loud:louder, rich:richer, warm:warmer, soft:softer, heavy:heavier, nice:nicer, thin:thinner, wet:wetter, deep:deeper, cheap:cheaper, dark:darker")
MOST = [(a, b[:-1] + "st" if b not in ("better", "worse") else {"better": "best", "worse": "worst"}[b]) for a, b in COMPARE]
MOOD = table("I won a prize!:happy, My dog ran away.:sad, What a lovely day!:happy, I lost my keys.:sad, We had so much fun.:happy, Nobody came to my party.:sad, I got a new bike!:happy, My toy is broken.:sad, I passed the exam!:happy, I feel so lonely.:sad, The soup was wonderful.:happy, I missed the last bus.:sad, She gave me a present.:happy, My friend moved away.:sad, Today is my birthday!:happy, It rained on our picnic.:sad")
KIND = [(x, k) for k, c in (("animal", "animals"), ("fruit", "fruits"), ("colour", "colours"), ("tool", "tools"), ("vehicle", "vehicles"), ("clothing", "clothes")) for x in bank.CATS[c][:12] if x != "orange"]
def thing(r): return r.choice(words.LOWER) if r.random() < .8 else syllables(r, 2).lower()
def made(f, key=thing): return lambda r: (lambda x: (x, f(x)))(key(r))
def of(t): t = list(t); return lambda r: r.choice(t)
def number(r): return r.randrange(1, 90)
def add(k): return lambda r: (lambda x: (str(x), str(x + k)))(number(r))
def affix(r):
    """A pattern of its own for every chat, so that the examples must be read."""
    x = syllables(r, 1).lower() if r.random() < .5 else r.choice(["!", "?", "...", "-", "*", "+", "_", "#", "good ", "my ", "un", "re", "the "])
    return r.choice([lambda w: x + w, lambda w: w + x.strip(), lambda w: x.strip() + w + x.strip()])
def sum_pair(r): a, b = sums.numbers(r, "+"); return f"{a} + {b}", str(a + b)
def list_pair(f): return lambda r: (lambda xs: (", ".join(xs), f(xs)))(words.some(r, 3, 1))
def several(r): w = r.choice(sorted(bank.PLUR)); n = r.randrange(2, 12); return r.choice([(f"{n} {w}", f"{n} {bank.PLUR[w]}")])
def counted(k):
    """One thing becomes k of it."""
    return lambda r: (lambda w: (f"one {w}", f"{sums.word(k)} {bank.PLUR[w]}"))(r.choice(sorted(bank.PLUR)))
def told(pick):
    def f(r):
        n, k = name(r), str(r.randrange(2, 100)); t = r.choice(sums.THINGS)
        return r.choice([f"{n} has {k} {t}.", f"{n} bought {k} {t}.", f"I gave {n} {k} {t}.", f"{n} is {k} years old."]), n if pick == "name" else k
    return f
PATTERNS = [
 (of(COMPARE), 4), (of(MOST), 2), (several, 2), (counted(2), 2), (counted(3), 1), (made(lambda x: x.upper() + "!"), 3), (told("name"), 3), (told("number"), 3),
 (of(words.OPP.items()), 5), (of(bank.PLUR.items()), 3), (of(bank.PAST.items()), 3), (of(COLOUR), 3), (of(SOUND), 2), (of(BABY), 2), (of(CAPITAL), 2), (of(MOOD), 2), (of(KIND), 3),
 (made(str.upper), 4), (made(lambda x: x, lambda r: thing(r)), 1), (made(cap), 3), (lambda r: (lambda x: (x.upper(), x))(thing(r)), 2), (made(lambda x: x[0].upper()), 3), (made(lambda x: x[0]), 2), (made(lambda x: x[-1]), 2), (made(lambda x: f"{x} {x}"), 2), (made(lambda x: f'"{x}"'), 1),
 (made(an), 2), (made(lambda x: f"Hello, {x}!", name), 2), (made(lambda x: x[0], name), 1), (made(lambda x: x.lower(), name), 1), (made(lambda x: "-".join(x)), 1),
 (lambda r: (lambda x: (str(x), str(2 * x)))(r.randrange(1, 51)), 2), (lambda r: (lambda x: (str(x), sums.word(x)))(r.randrange(0, 100)), 2), (lambda r: (lambda x: (sums.word(x), str(x)))(r.randrange(0, 100)), 4), (sum_pair, 2), (lambda r: (lambda x: (str(x), "even" if x % 2 == 0 else "odd"))(number(r)), 1),
 (list_pair(lambda xs: ", ".join(sorted(xs))), 1), (list_pair(lambda xs: ", ".join(xs[::-1])), 2), (list_pair(lambda xs: xs[0]), 1), (list_pair(lambda xs: xs[-1]), 1), (list_pair(lambda xs: xs[1]), 1),
 (lambda r: (lambda a, b: (f"{a} {b}", f"{b} {a}"))(*two(r, thing)), 2), (lambda r: (lambda n, c: (f"{n} lives in {c}.", n))(name(r), city(r)), 1), (lambda r: (lambda n, c: (f"{n} lives in {c}.", c))(name(r), city(r)), 1),
 (of(list(zip(bank.DAYS, bank.DAYS[1:] + bank.DAYS[:1]))), 1), (of(list(zip(bank.MONTHS, bank.MONTHS[1:] + bank.MONTHS[:1]))), 1)]
def examples(r, n):
    z = r.random()
    if z < .12: make = add(r.choice((1, 1, 1, 2, 5, 10, -1)))
    elif z < .26: f = affix(r); make = made(f)
    else: make = r.choices([p for p, _ in PATTERNS], [w for _, w in PATTERNS])[0]
    out = {}
    for _ in range(60):
        a, b = make(r); out.setdefault(a, b)
        if len(out) == n: break
    return list(out.items())
ARROW = [" -> ", " -> ", " => ", ": ", " = ", "->", " - ", " → "]
INTRO = ["", "", "", "Continue the pattern.\n", "Complete the last line.\n", "Follow the examples.\n", "Examples:\n", "Fill in the last one.\n"]
def one_message(r, xs):
    *shown, (q, a) = xs; z = r.random()
    if z < .6:
        x = r.choice(ARROW)
        if any(x.strip() in k for k, _ in xs): x = " -> "
        sep = "\n" if r.random() < .8 or any("," in k for k, _ in xs) else ", "
        end = (x + r.choice(["?", "", "", "..."])).rstrip()
        return r.choice(INTRO) + sep.join(k + x + v for k, v in shown) + sep + q + end, a
    i, o = r.choice([("Input", "Output"), ("Q", "A"), ("in", "out"), ("Word", "Answer"), ("Text", "Result"), ("x", "y")])
    gap = r.choice(["\n", "\n\n"])
    return r.choice(INTRO) + gap.join(f"{i}: {k}\n{o}: {v}" for k, v in shown) + f"{gap}{i}: {q}\n{o}:", a
def chat(r):
    """(system, turns)"""
    if r.random() < .5:
        q, a = one_message(r, examples(r, r.randrange(3, 7))); out = [T(q, a, a, "data")]
        return None, out
    xs = examples(r, r.randrange(3, 9))
    if r.random() < .4:
        n = min(r.randrange(2, 4), len(xs) - 1); x = r.choice([" -> ", " = ", ": "])
        first = r.choice(["I give you a word, you answer like this: ", "Do it like this: ", "Examples: "]) + ", ".join(f"{k}{x}{v}" for k, v in xs[:n]) + r.choice(["", ". Ready?"])
        return None, [T(first, r.choice(["Ready.", "OK, go on.", "Understood."]), None, "data")] + [T(k, v, v, "data") for k, v in xs[n:]]
    system = r.choice(["Continue the pattern.", "Follow the pattern of the answers before.", "Answer in the form of the examples."]) if r.random() < .3 else None
    return system, [T(k, v, v, "data") for k, v in xs]
