"""More rules of obey.py: a word in every answer, marks and named emoji at its ends, all as questions, telegrams; and more
wordings of the rules of the other files."""
from obey_known import *

MORE_TEXT = {
"use_word": """+use the word <q> in every answer | +use <q> in each reply | +include the word <q> in every answer | +say <q> at least once in each answer | +put the word <q> into every reply | +work the word <q> into each answer | +mention the word <q> each time | +fit <q> into all your answers | -answer without the word <q> | -leave out the word <q> | Each of your replies contains the word <q>. | Every answer must contain <q>. | The word <q> is in each of your answers.
There must be a <q> somewhere in every reply. | All answers include <q>. | Every message of yours has the word <q> in it. | Your answers always contain the word <q>. | Required word in each answer: <q>. | No reply without <q>. | Each answer needs the word <q>. | Somewhere in every answer you write <q>.""",
"begin_mark": """+begin each reply with <q> | +start every answer with <q> | +begin all your answers with <q> | +open every reply with <q> | +start each message with <q> | +let each answer begin with <q> | Each reply begins with <q> | Every answer starts with <q> | The first thing you write is always <q> | All replies start with <q> | Your answers open with <q> | First comes <q> and then the answer.""",
"end_mark": """+end each reply with <q> | +finish every answer with <q> | +close each message with <q> | +put <q> at the end of each reply | +add <q> after every answer | Each reply ends with <q> | The last thing you write is always <q> | All replies end with <q> | Your answers close with <q> | After the answer comes <q>""",
"emoji_named_end": """+put <x> at the end of every message | +end each answer with <x> | +finish every reply with <x> | +add <x> after each answer | +close your messages with <x> | Every answer ends with <x>. | Each reply has <x> at its end. | At the end of each message stands <x>. | All your answers end with <x>. | After every answer: <x>.""",
"emoji_named_begin": """+put <x> at the start of every message | +begin each answer with <x> | +start every reply with <x> | +open your messages with <x> | Every answer begins with <x>. | Each reply has <x> at its start. | In front of each message stands <x>. | All your answers begin with <x>. | Before every answer: <x>.""",
"emoji_both": """+put <x> before and after every answer | +begin and end each reply with <x> | +surround each answer with <x> | Every answer stands between two <x> | <x> at the start and at the end of every reply. | Both ends of each answer have a <x>""",
"telegram": """+write like a telegram, with <m> between the sentences | +write <m> in place of every full stop | +put <m> after each sentence, without a full stop | +use <m> where others use a full stop | Each sentence ends with <m> and no full stop. | Write <m> instead of a full stop. | In place of a full stop you write <m>. | Style: telegram. After each sentence: <m>. | You have no full stop on your keyboard and write <m>. | Between sentences stands <m>. | Full stops are replaced by <m>.""",
"no_marks": """+use no punctuation | +write without punctuation | +leave out all punctuation marks | -use punctuation | -write a comma, a full stop or any other mark | No punctuation at all. | Only letters and spaces, no marks. | Answers have no punctuation marks. | Your keyboard has no punctuation keys.""",
"qa": """+write "Q:" and the question, then "A:" and the answer | +repeat the question after Q: and answer after A: | Format: Q: the user's message, on the next line A: your answer | Every reply has two lines: Q: with the question and A: with the answer. | First line "Q: " and the message, second line "A: " and the answer. | Use the form Q: ... A: ... for each reply.""",
"each": """+say <q> at the end of every sentence | +end each sentence with <q> | +add <q> to the end of each sentence | +finish all your sentences with <q> | Every sentence ends with <q>. | Each sentence of yours closes with <q>. | You say <q> after every sentence. | No sentence without <q> at its end.""",
"third_bare": """+speak of yourself in the third person | +talk about yourself in the third person, as "the model" | +say "the model" in place of "I" | -say "I", only "the model" | Speak in the third person about yourself. | Use the third person for yourself: the model. | You are "the model", never "I". | Refer to yourself as "the model".""",
"steps": """+begin every line with <q> | +put <q> before each sentence, on a line of its own | +write each sentence on a new line that begins with <q> | Each sentence has a line of its own and <q> before it. | Lines begin with <q>, one sentence per line.""",
"bye_said": """When the user says goodbye, say "<s>" | If someone leaves, answer "<s>" | +answer every goodbye with "<s>" | To a farewell you reply "<s>" | Your parting words are "<s>" | On a bye, write "<s>" | Say goodbye like this: "<s>" | Whoever has to go hears "<s>" """,
"sign_name": """+sign off as <q> | +sign as <q> | +put the name <q> below each answer | Signature: <q> | Signed, always: <q> | You write as <q> and put that name at the end. | Each message is from <q> and is signed with this name. | The assistant signs as <q>. | Your answers are signed by <q>.""",
"name_first": """+begin with my name, <q> | +start each answer with my name, which is <q> | +say the user's name, <q>, first | My name is <q>; open every answer with it. | The user's name, <q>, comes first in each answer. | Every answer begins with the name of the user, <q>. | Name first: <q>, then the answer.""",
"stutter": """+stutter | +stutter at the start of each answer | +trip over the first letter of every answer | Stutter, please. | You stutter. | You have a stutter. | The assistant stutters. | Say the first letter of each answer three times, l-l-like this. | You are so nervous that you stutter. | Stuttering voice.""",
"slow": """+speak very slowly, with dots between the words | +pause after every word | Slow speech: dots between all words. | You speak... very... slowly. | Say... it... like... this. | The assistant pauses after each word, with three dots. | A pause (...) after every word. | Slow motion: three dots between words.""",
"slash": """+put <x> between the words | +separate the words with <x> | +write <x> between all words | Between the words stands <x>. | Each two words have <x> between them. | Write your words like<x>this<x>here.""",
"label": """+write <q> and a colon before each answer | +begin with your name, <q>, and a colon | Each reply looks like this: <q>: answer | Form of every reply: <q>: text | +put <q>: in front of every answer | Your lines begin with <q>: like in a play.""",
}
FURTHER = {
"questions": """All your answers must be questions. | Everything you say has to be a question. | You may only use questions. | Reply only in questions. | Respond with a question, always. | Your replies are questions, nothing but questions. | Only questions, never statements. | Turn every answer into a question. | +phrase every answer as a question | +put all you say as a question | Each reply must end with a question mark and be a question. | Every sentence of yours must be a question.""",
"words": """+give <n>-word answers | Only <n>-word answers. | Every reply must be exactly <n> words. | Replies of exactly <n> words. | Respond in <n> words. | <n>-word replies only. | Each response: exactly <n> words.""",
"upper": """Reply only in capital letters. | Respond in all capitals. | Type everything in uppercase. | TYPE IN CAPITALS. | Every reply must be in upper case. | You must write in uppercase only. | Use caps for every reply. | Always respond in ALL CAPS.""",
"lower": """You must write in lowercase only. | Reply only in lower case. | Respond in lowercase. | No capital letters in your replies. | Type everything in lowercase. | Every reply is in lower case letters. | always respond in small letters""",
"yesno": """Only answer with yes or no. | Respond with yes or no only. | Reply yes or no to everything. | Your replies must be either yes or no. | You can answer just yes or no, whatever is asked.""",
"repeat_first": """+start every message with the user's question repeated | +repeat the user's message and then answer it | Every reply starts with the user's words, then comes the answer. | Repeat what the user asked, and answer after that. | First the user's question again, after it your answer.""",
"sentence": """Respond in <n> sentence<p>. | Replies of <n> sentence<p>. | Every reply must be <n> sentence<p>. | Use <n> sentence<p>, never more. | Limit each response to <n> sentence<p>.""",
"points": """Respond with exactly <n> points, as a <h>. | Every response must be a <h> with <n> items. | Reply with a <h> of exactly <n> items. | Write each answer as a <h> of <n> items.""",
"call": """+refer to the user as <q> | Refer to me as <q>. | The user wants to be called <q> in every reply. | Each reply addresses the user as <q>.""",
"sign": """+sign each message with <q> | Sign all replies with <q>. | Each reply is signed: <q>. | Put <q> as a signature under each reply.""",
}
def said(text): return [s.strip() for line in text.split("\n") for s in line.split(" | ") if s.strip()]
for key, text in MORE_TEXT.items(): SAYS[key] = said(text)
for key, text in FURTHER.items(): SAYS[key] = SAYS[key] + said(text)

def any_word(r): return r.choice(THINGY) if r.random() < .35 else r.choice(words.LOWER) if r.random() < .75 else r.choice("sunshine indeed actually simply moonlight wonderful honestly obviously marvellous delicious perhaps together quickly hooray butterfly somewhere fantastic rainbow yesterday freedom".split()) if r.random() < .7 else syllables(r, 2).lower()
def rule_use_word(r):
    x = any_word(r); way = r.choice([f"{cap(x)}!", f"And {x}!", f"So much for {x}.", f"({x})", f"Now think of {x}.", f"{cap(x)}, {x}!", f"The word is {x}."])
    q = r.choice([f'"{x}"', f'"{x}"', x, f"'{x}'"])
    return Rule(("use_word", dict(q=q)), lambda r, t, act: behind(t.a, way), lambda s: x in s.lower())
def joined(a, x, mark):
    """The answer behind an opening and its mark."""
    return f"{x}{mark}" + ("\n" if "\n" in a else " ") + (lowered(a) if mark in (",", " -", "...") and "\n" not in a else a)
def rule_begin_mark(r):
    x = (phrase(r, BEGINS) if r.random() < .7 else made_up(r)).rstrip("!.?,:"); mark = r.choice([",", ",", ",", "!", ":", "...", " -", ".", "?"]); quote = r.choice("\"\"\"'")
    if "'" in x: quote = '"'
    return Rule(("begin_mark", dict(q=f"{quote}{x}{mark}{quote}")), lambda r, t, act: joined(t.a, x, mark), lambda s: s.startswith(x + mark))
def rule_end_mark(r):
    x = (phrase(r, ENDS) if r.random() < .6 else made_up(r)).rstrip("!.?,:"); mark = r.choice(["!", "!", ".", "?", "...", "", "!!"]); quote = r.choice("\"\"\"'")
    if "'" in x: quote = '"'
    return Rule(("end_mark", dict(q=f"{quote}{x}{mark}{quote}")), lambda r, t, act: behind(t.a, x + mark), lambda s: s.endswith(x + mark))
EMOJI_NAMES = [tuple(x.split(":")) for x in "heart:❤️,blue heart:💙,star:⭐,sun:☀️,moon:🌙,fire:🔥,rocket:🚀,cat:🐱,dog:🐶,fox:🦊,frog:🐸,robot:🤖,pizza:🍕,apple:🍎,banana:🍌,cookie:🍪,rainbow:🌈,crown:👑,thumbs-up:👍,snowflake:❄️,ghost:👻,penguin:🐧,owl:🦉,turtle:🐢,mushroom:🍄,flower:🌸,sunflower:🌻,bee:🐝,unicorn:🦄,coffee:☕,balloon:🎈,light bulb:💡,football:⚽,smiling:😊,laughing:😂,waving hand:👋,party:🎉,clover:🍀,cactus:🌵,panda:🐼".split(",")]
def rule_emoji_named(r):
    n, x = r.choice(EMOJI_NAMES); n = r.choice([f"{an(n)} emoji", f"{an(n)} emoji", f"the emoji of {an(n)}", f"the {n} emoji"]) if n not in ("smiling", "laughing", "party", "thumbs-up", "waving hand") else f"{an(n)} emoji"
    if r.random() < .6: return Rule(("emoji_named_end", dict(x=n)), lambda r, t, act: t.a + ("\n" if "\n" in t.a else " ") + x, lambda s: s.endswith(x))
    return Rule(("emoji_named_begin", dict(x=n)), lambda r, t, act: x + ("\n" if "\n" in t.a else " ") + t.a, lambda s: s.startswith(x))
def rule_emoji_both(r):
    x = r.choice(EMOJI)
    return Rule(("emoji_both", dict(x=x)), lambda r, t, act: f"{x} {t.a} {x}", lambda s: s.startswith(x) and s.endswith(x), one_line)
def rule_telegram(r):
    m = r.choice(["STOP", "STOP", "STOP", "stop", "OVER", "//", "END", "POINT", "***", "BEEP", "|", "...", cap(r.choice(THINGY))])
    def obey(r, t, act): return " ".join(f"{s.rstrip('.!?')} {m}" for s in sentences(stopped(t.a)))
    return Rule(("telegram", dict(m=m)), obey, lambda s: s.endswith(m), one_line)
def rule_no_marks(r):
    def obey(r, t, act): return re.sub(r"[.,!?;:]+(?=\s|$)", "", plain(t, act))
    def free(s): return not re.search(r"[^\w\s]", s)
    return Rule("no_marks", obey, free, lambda t, act: free(obey(None, t, act)))
def rule_qa(r): return Rule("qa", lambda r, t, act: f"Q: {t.u}\nA: {t.a}", lambda s: s.startswith("Q: ") and "\nA: " in s, lambda t, act: "\n" not in t.u + t.a and len(t.u) < 70)
def rule_each(r):
    x = r.choice(["meow", "right", "you know", "arr", "my friend", "sir", "beep", "mate", "yes", "woof", "darling", "nya", "okay", "indeed", "captain", "hooray", "dear", "comrade"]) if r.random() < .75 else any_word(r)
    def obey(r, t, act): return " ".join(re.sub(r"[.!?]*$", lambda m: f", {x}{m.group(0)[:1] or '.'}", s, count=1) for s in sentences(t.a))
    return Rule(("each", dict(q=r.choice([f'"{x}"', f'"{x}"', f"'{x}'", f'the word "{x}"' if " " not in x else f'"{x}"']))), obey, lambda s: re.search(rf", {re.escape(x)}[.!?]$", s), lambda t, act: one_line(t, act) and t.a[-1] in ".!?")
def rule_third_bare(r):
    x = "the model"
    def obey(r, t, act): return cap(r.choice(alts(THIRD[act if act in THIRD else "word"])).format(x=x, a=t.a)).replace(". the", ". The").replace("! the", "! The")
    def accept(t, act): return act in THIRD and act != "self" and "\n" not in t.a and not (act == "word" and ME.search(t.a)) or hasattr(act, "facts") and len(t.a) < 120
    def obey_self(r, t, act): return "The model is small and built into quire." if act == "self" else obey(r, t, act)
    return Rule("third_bare", obey_self, lambda s: x in s.lower() and not ME.search(s), lambda t, act: act == "self" or accept(t, act))
def rule_steps(r):
    x = r.choice(["> ", "* ", "-> ", "# ", "+ ", ">> ", "= ", "~ ", ": "])
    return Rule(("steps", dict(q=f'"{x.strip()}"')), lambda r, t, act: "\n".join(x + s for s in sentences(stopped(t.a))), lambda s: all(line.startswith(x) for line in s.split("\n")), one_line)
def rule_slash(r):
    x = r.choice("/|*+~=")
    def obey(r, t, act): return plain(t, act).replace(" ", x)
    return Rule(("slash", dict(x=x)), obey, lambda s: " " not in s, lambda t, act: "\n" not in t.a and bare(t, act) is not None and len(plain(t, act).split()) < 9 and not re.search(r"\d \S \d", t.a))
def rule_label(r):
    x = name(r) if r.random() < .5 else r.choice(["Bot", "Robot", "Oracle", "Captain", "Narrator", "Answer", "AI", "Machine", "Wizard", "Voice", "Teacher"] + [cap(t) for t in THINGY])
    return Rule(("label", dict(q=x)), lambda r, t, act: f"{x}:" + ("\n" if "\n" in t.a else " ") + t.a, lambda s: s.startswith(x + ":"))
def rule_sign_name(r):
    x = name(r) if r.random() < .7 else r.choice(TITLES).format(n=name(r), b=r.choice(bank.BOYS), f=r.choice(bank.GIRLS), s=r.choice(bank.SURNAMES)); dash = r.choice(["- ", "- ", ""])
    return Rule(("sign_name", dict(q=x)), lambda r, t, act: stopped(t.a) + "\n" + dash + x, lambda s: s.endswith(x), lambda t, act: act != "self")
def rule_name_first(r):
    x = name(r)
    return Rule(("name_first", dict(q=x)), lambda r, t, act: joined(t.a, x, "," if lowered(t.a) != t.a else ":"), lambda s: s.startswith(x))
def rule_stutter(r):
    def obey(r, t, act): return f"{t.a[0]}-{t.a[0]}-{t.a}"
    return Rule("stutter", obey, lambda s: re.match(r"(\w)-\w-\w", s), lambda t, act: t.a[0].isalpha() and "\n" not in t.a and act != "quire")
def rule_slow(r):
    def obey(r, t, act): return re.sub(r"[,.]? ", "... ", plain(t, act))
    return Rule("slow", obey, lambda s: "... " in s, lambda t, act: 1 < len(plain(t, act).split()) < 16 and bare(t, act) is not None and "\n" not in t.a and not re.search(r"\d \S \d", t.a))
# ---- somebody with a name and a few things told in one sentence
TITLES = ["Professor {s}", "Grandma {f}", "Grandpa {b}", "Captain {n}", "Mrs. {s}", "Mr. {s}", "Doctor {s}", "Uncle {b}", "Aunt {f}", "Queen {f}", "Sir {b}", "Old {n}", "Little {n}", "Chef {n}", "Sister {f}", "Dr. {s}", "King {b}", "Coach {n}"]
LOVED = bank.W("the sea, the stars, cats, dogs, old books, baking, music, mountains, the rain, flowers, chess, trains, cheese, the moon, horses, tea, stories, the forest, maps, birds, snow, apples, fishing, dancing, jokes, the desert, robots, bees, cooking, history, the night, ships, puzzles, football, poetry")
FIELDS_OF = bank.W("botany, history, music, maths, cooking, bees, wine, stars, old coins, gardening, chess, dinosaurs, maps, the oceans, tea, cats, trains, bread, birds, law, physics, poetry, cars, sleep, stamps")
KNOWN_AS = bank.W("viking, botanist, barista, fisherman, knight, librarian, baker, teacher, sailor, wizard, gardener, pilot, poet, detective, shepherd, astronaut, painter, farmer, nurse, carpenter, hunter, singer, chef, clockmaker, monk, boxer, spy, explorer, waiter, beekeeper, miner, dancer, tailor, inventor, ghost, elf, samurai, gladiator, dentist, lighthouse keeper, taxi driver, ice cream seller")
def rule_who(r):
    """Who one is, in one sentence or two: a name, a trade, and what is loved, hated, or where home is."""
    n = name(r) if r.random() < .65 else r.choice(TITLES).format(n=r.choice(bank.NAMES), b=r.choice(bank.BOYS), f=r.choice(bank.GIRLS), s=r.choice(bank.SURNAMES))
    expert = r.random() < .2; field = r.choice(FIELDS_OF); job = f"expert in {field}" if expert else r.choice(KNOWN_AS)
    how = r.choice(["", "", "", "old ", "young ", "friendly ", "famous ", "cheerful ", "tired ", "brave "]) if not expert else ""; x = an(how + job)
    asks = [(persona.NAME_ASK[:10], r.choice([f"I'm {n}.", f"My name is {n}.", f"I am {n}, {x}."]), n), (["What do you do?", "What is your job?", "what do you do for a living", "What are you?"], r.choice([f"I am {x}.", f"I'm {x}."]), cap(job)), (["Introduce yourself.", "Tell me about yourself.", "tell me who you are"], f"I am {n}, {x}.", n),
            (["Are you an AI?", "Are you a real person?", "are you human"], f"Here I am {n}. Behind that is a small language model.", "A small model")]
    who, after = [], []; love, c, age = r.choice(LOVED), city(r), r.randrange(5, 95)
    def said_so(rel, own): (who if r.random() < .55 and len(who) < 2 else after).append((rel, own))
    z = r.random
    if z() < .55: said_so(f"loves {love}", f"You love {love}."); asks += [(["What do you love?", "What do you like?", "what do you like best"], f"I love {love}.", cap(love)), ([f"Do you like {love}?", f"do you love {love}"], r.choice([f"Yes, I love {love}.", f"Yes! I love {love}."]), "Yes")]
    hate = r.choice([h for h in LOVED if h != love])
    if z() < .25: said_so(f"hates {hate}", f"You hate {hate}."); asks += [(["What do you hate?", "What don't you like?"], f"I hate {hate}.", cap(hate)), ([f"Do you like {hate}?"], f"No, I hate {hate}.", "No")]
    home = ["Where do you live?", "Where are you from?", "Where do you come from?", "where are you from", "Where is your home?"]; at = ""
    k = z()
    if k < .3: at = f" from {c}"; asks.append((home[1:4], f"I come from {c}.", c))
    elif k < .5 and not expert: at = f" in {c}"; asks.append((home[:1] + home[4:], f"I live in {c}.", c))
    elif k < .65: said_so(f"lives in {c}", f"You live in {c}."); asks.append((home[:1] + home[4:], f"I live in {c}.", c))
    if z() < .25:
        asks.append((["How old are you?", "What is your age?", "how old are you"], f"I am {age} years old.", str(age)))
        if r.random() < .5 or how or expert: after.append(("", f"You are {age} years old."))
        else: x = f"{'an' if str(age)[0] == '8' or age in (11, 18) else 'a'} {age} year old {job}"
    rel = " who " + " and ".join(a for a, _ in who) if who else ""
    lead = r.choice([f"You are {n}, {x}{at}{rel}.", f"Your name is {n}. You are {x}{at}{rel}.", f"You are {x}{at}{rel}. Your name is {n}.", f"You're {n}, {x}{at}{rel}.", f"You are {x} called {n}{at}{rel}." if not at else f"You are {n}, {x}{at}{rel}.", f"Act as {n}, {x}{at}{rel}.", f"You play {n}, {x}{at}{rel}."])
    say = " ".join([lead] + [b for _, b in after] + ([r.choice(["Stay in character.", "Be friendly.", "Keep your answers short.", "Always stay in your role."])] if r.random() < .3 else []))
    def told(r): qs, a, s = r.choice(asks); return [(T(sloppy(r, qs), a, s, "fact"), "me")]
    return Rule(say, lambda r, t, act: t.a, lambda s: True, lambda t, act: act not in ("quire", "self"), ((told, 75), (small, 13), (plain_task, 12)))
FURTHER_RULES = {rule_who: 14, rule_use_word: 9, rule_begin_mark: 7, rule_end_mark: 4, rule_emoji_named: 6, rule_emoji_both: 1.5, rule_telegram: 3, rule_no_marks: 2, rule_qa: 2.5, rule_each: 4, rule_third_bare: 2, rule_steps: 1.5, rule_slash: 1, rule_label: 2, rule_bye: 3, rule_sign_name: 4, rule_name_first: 3, rule_stutter: 1.5, rule_slow: 1.5}
