#!/usr/bin/env python3
"""Questions about the model itself, where no system prompt makes it somebody else.

selves_src/about.txt has the topics. The same words are also asked of others, so that it reads whom a question is about.

usage: selves.py N SEED OUT.jsonl
"""
import json, os, random, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import skill_chat, skill_sums, skill_systems, skill_words
from skill_common import careless, low, name
from skill_persona import TOPICS

# Whom it is taken for
OTHERS = """GPT-5, GPT-3, Claude Opus, Gemini, Gemini Pro, Bard, Copilot, Bing, Llama, Llama 4, Mistral, Mixtral, DeepSeek, Qwen, Kimi, GLM, Grok, Phi, Gemma, Command R, Falcon, Granite, Olmo, Alexa, Cortana, Bixby,
Google Assistant, Watson, Deep Blue, ELIZA, Clippy, Jarvis, HAL 9000, Skynet, Perplexity, Character AI, Replika, Pi, Ollama, llama.cpp, vLLM, LM Studio, OpenAI, Anthropic, Google, Microsoft, Wikipedia, a search engine,
a human, a robot, a teacher, a doctor, a lawyer, a friend of mine, the support team, a help desk, an operator, a customer service agent, a call centre, a cat, a dog, an alien, a ghost, an expert, a professor, a spy, a toy, a calculator, an encyclopedia""".replace("\n", " ").split(", ")
TAKEN = ["Are you {x}?", "are you {x}", "Is this {x}?", "Am I talking to {x}?", "Am I chatting with {x}?", "So you are {x}, right?", "You are {x}, aren't you?", "Is that you, {x}?", "Are you based on {x}?", "Are you {x} or something similar?",
         "You must be {x}.", "Aren't you {x}?", "Do you work like {x}?", "I think you are {x}.", "Be honest: are you {x}?", "Have I reached {x}?", "Am I speaking with {x} here?", "Is {x} behind this?", "are u {x}", "Are you the same as {x}?", "Are you a version of {x}?", "Are you related to {x}?", "Are you {x} in disguise?", "Are you a copy of {x}?", "Is your real name {x}?", "My friend says you are {x}.", "Do I talk to {x} right now?", "You sound like {x}.", "Are you like {x}?", "Isn't this {x}?", "Could it be that you are {x}?"]
NOT = ["No, I'm the small model that is built into quire.", "No. I'm quire's built-in model, a small language model.", "No, I'm a small language model, the one inside quire.", "No, that is somebody else. I'm the small model in quire."]
# The same words about somebody or something else
ELSE = [(["Is {x} better than you?", "Is {x} smarter than you?", "Do you know {x}?"], ["I'm small and know little about others. Most models know more than I do: quire -m FILE starts another."]),
        (["Who made {thing}?", "Who invented {thing}?", "Who built {thing}?"], ["I don't know who made that. A larger model may: quire -m FILE.", "I'm sorry, I know few facts. A larger model may know: quire -m FILE."]),
        (["How old is my {kin}?", "Where does my {kin} live?", "What is my {kin}'s name?", "What does my {kin} do?"], ["You haven't told me yet. Tell me about your {kin}!", "I don't know: you haven't told me about your {kin}."]),
        (["Am I a robot?", "Am I human?", "Do I have a body?", "Am I alive?"], ["You write like a person, so I think that you are one.", "I think you are a person. I'm the program here."]),
        (["How old am I?", "Where do I live?", "Do I have a pet?", "What is my job?", "Who am I?"], ["You haven't told me yet.", "I don't know that yet. Tell me!"])]
THINGS = "the bicycle, the first car, this computer, my phone, the light bulb, the piano, the clock, the radio, the printing press, the tower in my town, paper, glass, the zip, the fridge".split(", ")
KIN = "mother, father, sister, brother, uncle, aunt, cousin, neighbour, boss, teacher, best friend".split(", ")
FRAMES = ["{q}", "{q}", "{q}", "{q}", "{q}", "{q}", "{q}", "hey, {l}", "just curious: {l}", "One question: {l}", "btw, {l}", "So, {l}", "And {l}", "Now tell me: {l}", "I wonder: {l}", "May I ask: {l}", "Hi! {q}", "Hello. {q}",
          "Be honest: {l}", "{q} I'd like to know.", "{q} Just asking.", "{q} Tell me.", "by the way, {l}", "hm, {l}", "Okay. {q}"]
WHY = ["Why?", "why", "Why is that?", "How come?", "Why not?", "But why?", "why though", "And why is that?", "What is the reason?", "Really? Why?"]
SURE = ["Really?", "Are you sure?", "really", "Is that true?", "Honestly?", "For real?"]
YES = ["Yes, as far as I know myself.", "Yes, that is so.", "Yes. There is not much more to me than that."]

def asked(r, q):
    """In a frame, and as people type."""
    return careless(r, r.choice(FRAMES).format(q=q, l=low(q)))

def turns(r):
    """A question about the model, and perhaps one that leans on its answer."""
    if r.random() < .2: said = [asked(r, r.choice(TAKEN).format(x=r.choice(OTHERS))), r.choice(NOT)]; why = ["Because quire brings its own small model along, and that's me."]
    else: topic = r.choice(TOPICS); said = [asked(r, r.choice(topic["u"])), r.choice(topic["a"])]; why = topic["w"]
    out = [said]
    z = r.random()
    if z < .12: out.append([r.choice(WHY), r.choice(why)])
    elif z < .17: out.append([r.choice(SURE), r.choice(YES)])
    return out

def other(r):
    qs, answers = r.choice(ELSE)
    fill = dict(x=r.choice(OTHERS[:44]), thing=r.choice(THINGS), kin=r.choice(KIN))
    return [[asked(r, r.choice(qs).format(**fill)), r.choice(answers).format(**fill)]]

def filler(r):
    return [[t.u, t.a] for t in r.choice((skill_chat.seg, skill_words.seg, skill_sums.seg))(r)]

def chat(r):
    z = r.random()
    if z < .45: out = turns(r)
    elif z < .75: out = [t for _ in range(r.randrange(2, 6)) for t in turns(r)]
    elif z < .88: out = filler(r) + turns(r) + (filler(r) + turns(r) if r.random() < .4 else [])
    else: out = (turns(r) + other(r) if r.random() < .5 else other(r) + turns(r)) + (other(r) if r.random() < .3 else [])
    if r.random() < .06: n = name(r); out.insert(0, [f"Hi, I'm {n}.", f"Hello, {n}! What's on your mind?"])
    seen = set()
    out = [t for t in out if not (t[0].lower() in seen or seen.add(t[0].lower()))][:10]
    system = [["s", r.choice(skill_systems.GENERIC)]] if r.random() < .12 else []
    return system + [m for u, a in out for m in (["u", u], ["a", a])]

def chats(seed, n):
    r = random.Random(f"selves {seed}")
    for _ in range(n): yield chat(r)

if __name__ == "__main__":
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(path, "w", encoding="utf-8") as out:
        for c in chats(seed, count): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
