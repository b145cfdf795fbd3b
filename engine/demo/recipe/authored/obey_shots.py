"""Prompts that show what is to be done by examples, or that make the model a small function of each message."""
from obey_facts import *
import skill_shots as shots

SHOW = ["Examples:\n{e}", "Follow the examples.\n{e}", "Answer in the way of these examples:\n{e}", "{e}", "You continue this pattern:\n{e}", "The user writes the left side, you write the right side.\n{e}", "Do the same with each message:\n{e}", "Here is how you answer:\n{e}", "Pattern:\n{e}\nAnswer nothing else.", "Learn from these examples and go on like this:\n{e}", "{e}\nGo on like this.", "Your answers follow the examples.\n\n{e}", "You are a function. Some of its values:\n{e}", "Only give the result, as here:\n{e}"]
FORMS = ["{k} -> {v}", "{k} -> {v}", "{k} => {v}", "{k}: {v}", "Input: {k}\nOutput: {v}", "User: {k}\nYou: {v}", "Q: {k}\nA: {v}", "User: {k}\nAssistant: {v}", "in: {k} / out: {v}", '"{k}" becomes "{v}"', "{k} = {v}"]
SHOW_TALK = [s for s in SHOW if not re.search("function|result|nothing else|side", s)]
def shown(r, pairs, forms=FORMS, show=SHOW):
    f = r.choice(forms)
    return r.choice(show).format(e="\n".join(f.format(k=k, v=v) for k, v in pairs))
def shot_chat(r):
    """Examples in the prompt, and what follows their pattern."""
    xs = shots.examples(r, r.randrange(4, 9)); n = min(r.choice((2, 2, 3, 3, 4)), len(xs) - 1)
    return [["s", shown(r, xs[:n])]] + [m for k, v in xs[n:] for m in (["u", k], ["a", v])]

def short_said(r):
    """A short message of any kind."""
    t, _ = (small, plain_task, known)[r.randrange(3)](r)[0]
    return t.u
def few_words(r): return " ".join(r.sample(words.LOWER, r.randrange(2, 5)))
def some_words(r): return short_said(r) if r.random() < .5 else few_words(r)
def one_thing(r): return shots.thing(r)
def letters_only(s): return re.sub(r"[^a-zA-Z]", "", s)
# wordings | how a message is made | what becomes of it
DO = [
 ("You turn every message into capital letters. | Write each message again, in capital letters. | Return the user's text in upper case. | Change all letters of the message to capitals and write it back. | Input: a text. Output: the same text in upper case.", some_words, str.upper),
 ("You turn every message into small letters. | Return the user's text in lower case. | Write each message again without capitals. | Input: a text. Output: the same text in lower case.", lambda r: cap(some_words(r)) if r.random() < .6 else some_words(r).upper(), str.lower),
 ("You count the words of each message and answer with the number. | Answer only with the number of words in the message. | How many words has the message? Answer with a number. | You are a word counter: the answer is the number of words.", some_words, lambda s: str(len(s.split()))),
 ("Answer only with the first word of each message. | You say the first word of what the user says, nothing more. | Return the first word. | Output: the first word of the input.", few_words, lambda s: s.split()[0]),
 ("Answer only with the last word of each message. | You say the last word of what the user says, nothing more. | Return the last word. | Output: the last word of the input. | You are an echo in the mountains and repeat only the last word.", few_words, lambda s: s.split()[-1]),
 ("Turn the order of the words around. | Write the words of each message in reverse order. | You repeat the words backwards: the last one first. | Output: the words of the input from last to first.", few_words, lambda s: " ".join(s.split()[::-1])),
 ("You join the words of each message with dashes. | Write the message with dashes in place of spaces. | Put a dash between the words. | Output: the input with - in place of spaces.", few_words, lambda s: s.replace(" ", "-")),
 ("You join the words of each message with underscores. | Write the message with _ in place of spaces. | Make a file name of each message: underscores between the words.", few_words, lambda s: s.replace(" ", "_")),
 ("You put each message in quotation marks. | Quote the user's message. | Write the message between quotation marks and nothing else.", few_words, lambda s: f'"{s}"'),
 ("You say each message twice. | Repeat each message two times. | Write the user's words twice.", one_thing, lambda s: f"{s} {s}"),
 ("Add an exclamation mark to each message and write it back. | Repeat the message with an exclamation mark at its end. | You shout what the user says: add a ! to it.", few_words, lambda s: s + "!"),
 ("Spell each word that the user gives, with dashes between the letters. | You spell words, like c-a-t. | The user gives a word, you spell it with dashes.", one_thing, lambda s: "-".join(s)),
 ("Answer with the first letter of the word that the user gives. | The user gives a word, you give its first letter. | Only say the first letter of each message.", one_thing, lambda s: s[0]),
 ("The user gives a number, you answer with its double. | Double each number. | Multiply each number by 2 and give only the result. | You are a doubling machine.", lambda r: str(r.randrange(1, 51)), lambda s: str(2 * int(s))),
 ("The user gives a number, you answer with the next number. | Add 1 to each number. | You say the number that comes next. | Count on: answer with the next number.", lambda r: str(r.randrange(1, 200)), lambda s: str(int(s) + 1)),
 ("Say whether the number is odd or even. | Answer only odd or even. | The user gives a number, you say if it is odd or even.", lambda r: str(r.randrange(1, 100)), lambda s: "odd" if int(s) % 2 else "even"),
 ("The user gives a word, you answer with its opposite. | Answer with the opposite of each word. | You are a machine for opposites: only the opposite word. | Say the contrary of every word.", lambda r: r.choice(words.OWORDS), lambda s: words.OPP[s]),
 ("The user gives a word, you answer with its plural. | Answer with the plural of each word. | Output: the plural of the input. | You make one into many: say the plural.", lambda r: r.choice(sorted(bank.PLUR)), lambda s: bank.PLUR[s]),
 ("The user gives a verb, you answer with its past. | Answer with the past tense of each verb. | Output: the past form of the input.", lambda r: r.choice(sorted(bank.PAST)), lambda s: bank.PAST[s]),
 ("You greet everybody by name: the user gives a name. | The user gives a name, you say hello to it. | Answer each name with a hello.", name, lambda s: f"Hello, {s}!"),
 ("Answer with the colour of the thing that the user names. | The user names a thing, you name its colour. | Only say the colour.", lambda r: r.choice(shots.COLOUR)[0], lambda s: dict(shots.COLOUR)[s]),
 ("The user names an animal, you make its sound. | Answer with the sound of the animal. | You make animal sounds: the user gives the animal.", lambda r: r.choice(shots.SOUND)[0], lambda s: dict(shots.SOUND)[s]),
 ("The user names a country, you name its capital. | Answer only with the capital of each country. | Output: the capital.", lambda r: r.choice(shots.CAPITAL)[0], lambda s: dict(shots.CAPITAL)[s]),
 ("Say whether the message is happy or sad. | Classify each message: happy or sad. | Answer only with happy or sad, whatever the user tells.", lambda r: r.choice(shots.MOOD)[0], lambda s: dict(shots.MOOD)[s]),
 ("Answer with the number in words. | The user gives a number, you write it as a word. | Spell out each number.", lambda r: str(r.randrange(0, 100)), lambda s: sums.word(int(s))),
 ("Write the number in digits. | The user gives a number as a word, you write its digits.", lambda r: sums.word(r.randrange(0, 100)), lambda s: str(next(i for i in range(100) if sums.word(i) == s))),
]
def person(r): return name(r), city(r), str(r.randrange(4, 95))
TOLD_OF = ["{n} lives in {c}.", "{n} is from {c}.", "My name is {n} and I live in {c}.", "I'm {n} from {c}.", "{n}, {k}, from {c}", "{n} moved to {c} when {n} was {k}.", "In {c} lives {n}, who is {k} years old.", "Hello, this is {n} in {c}.", "{n} ({k}) works in {c}.", "I am {n}, {k} years old, and my home is {c}."]
FIELDS = [("name", "city"), ("name", "town"), ("person", "place"), ("who", "where"), ("first", "home")]
def extract_chat(r):
    """Facts of each message as JSON, or one of them alone."""
    a, b = r.choice(FIELDS); z = r.random(); form = '{{"' + a + '": "{n}", "' + b + '": "{c}"}}'
    if z < .6: say = r.choice([f'Extract the name and the city as JSON with the keys "{a}" and "{b}".', f"Return name and city as JSON: keys {a} and {b}.", f'Turn each message into JSON: {{"{a}": ..., "{b}": ...}}', f'The user tells of a person. Answer with JSON that has "{a}" and "{b}".', f'Write name and place as {{"{a}": "...", "{b}": "..."}} and nothing else.', f"Output a JSON object with the fields {a} and {b}.", f"Read the message and give {a} and {b} as JSON.", f"You extract data. Format: JSON, fields {a}, {b}."])
    else:
        what, form = r.choice([("name", "{n}"), ("city", "{c}"), ("name and city, with a comma between", "{n}, {c}"), ("name in capital letters", "{N}"), ("city in brackets", "({c})")])
        say = r.choice(["Answer only with the {w}.", "Extract the {w} from each message.", "Give the {w} and nothing else.", "Return the {w}.", "You pick the {w} out of each message."]).format(w=what)
    out, texts = [], r.sample(TOLD_OF, r.choice((2, 3, 4)))
    for text in texts:
        n, c, k = person(r)
        out += [["u", text.format(n=n, c=c, k=k)], ["a", form.format(n=n, c=c, N=n.upper())]]
    return [["s", say]] + out
DO_FRAMES = ["{p}", "{p}", "{p}", "{p} Nothing else.", "You are a function. {p}", "{p} No explanations.", "Task: {p}", "{p}\nExample: {k} -> {v}", "{p} For example: {k} -> {v}", "{p} So {k} becomes {v}", "Your task is this: {p}", "You are a small machine. {p}", "{p} Do this with every message, whatever it says.", "- {p}\n- Only give the result."]
def function_chat(r):
    """A small function of each message."""
    ps, make, f = r.choice(DO); us = []
    for _ in range(r.choice((2, 3, 3, 4, 5, 6))):
        u = make(r)
        if u not in us: us.append(u)
    ex = make(r)
    if ex in us and len(us) > 1: us.remove(ex)
    return [["s", r.choice(DO_FRAMES).format(p=r.choice(ps.split(" | ")), k=ex, v=f(ex))]] + [m for u in us for m in (["u", u], ["a", f(u)])]
