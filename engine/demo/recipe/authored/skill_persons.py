"""Sentences in all persons, rewritten: as a question, in the negative, in another tense, person or number."""
from skill_common import *

VERBS = [v.split(" ", 3) for v in """like likes liked tea|like likes liked long walks|play plays played chess|play plays played in the garden|read reads read the paper|bake bakes baked bread|live lives lived near the river|work works worked at night|see sees saw a star|need needs needed a new coat|know knows knew the way|sing sings sang in a choir|eat eats ate an apple every day|drink drinks drank milk|buy buys bought flowers|write writes wrote letters|run runs ran to the bus|walk walks walked home|sleep sleeps slept on the sofa|swim swims swam in the lake|open opens opened the window|close closes closed the shop|watch watches watched the birds|wash washes washed the car|help helps helped the neighbour|speak speaks spoke very fast|cook cooks cooked soup|paint paints painted the fence|love loves loved old films|hear hears heard a noise|find finds found the key|lose loses lost the ticket|take takes took the train|make makes made a cake|sell sells sold old books|learn learns learned Spanish|dance dances danced well|draw draws drew a horse|grow grows grew tomatoes|want wants wanted a holiday|have has had a garden|have has had two brothers|go goes went to school|go goes went home early|give gives gave good advice|wait waits waited for the bus|visit visits visited the museum|carry carries carried a bag|bury buries buried a bone|bring brings brought cake|feel feels felt tired|think thinks thought a lot|keep keeps kept a secret|come comes came back late|leave leaves left the house|meet meets met friends|start starts started early|clean cleans cleaned the kitchen|hide hides hid in the box|chase chases chased the ball""".split("|")]
STATES = "tired, late, happy, hungry, at home, in the garden, from the north, ready, very busy, afraid of the dark, good at maths, out of breath, on holiday, in a hurry, proud of the work, new here".split(", ")
ONE = bank.W("he, she, the dog, the cat, the teacher, my sister, my brother, the old man, our neighbour, the baker, the boy, the girl, the child, my uncle, the farmer, the bird, the king, the doctor, the nurse, the bear")
MANY = bank.W("I, you, we, they, the dogs, the cats, the teachers, my sisters, my brothers, the old men, our neighbours, the bakers, the boys, the girls, the children, my uncles, the farmers, the birds, the kings, the doctors, the nurses, the bears")
PLURAL = {"dog": "dogs", "cat": "cats", "teacher": "teachers", "sister": "sisters", "brother": "brothers", "man": "men", "neighbour": "neighbours", "baker": "bakers", "boy": "boys", "girl": "girls", "child": "children", "uncle": "uncles", "farmer": "farmers", "bird": "birds", "king": "kings", "doctor": "doctors", "nurse": "nurses", "bear": "bears"}
PRONOUN = {"he": "He", "she": "She", "they": "They", "we": "We", "you": "You", "I": "I"}

class Said:
    """Who does what, in every form."""
    def __init__(self, r):
        self.many = r.random() < .62
        self.s = name(r) if not self.many and r.random() < .2 else r.choice(MANY if self.many else ONE)
        self.state = r.random() < .25
        self.v, self.o = (None, r.choice(STATES)) if self.state else (lambda v: (v[:3], v[3]))(r.choice(VERBS))
    def be(self, past=False, s=None):
        s = s or self.s
        if past: return "was" if s == "I" or not (self.many or s in ("they", "we", "you")) else "were"
        return "am" if s == "I" else "are" if self.many or s in ("they", "we", "you") else "is"
    def plain(self): return self.line(self.be() if self.state else self.v[0] if self.many else self.v[1])
    def line(self, verb, s=None): return cap(f"{s or self.s} {verb} {self.o}.")
    def ask(self): return cap(f"{self.be()} {self.s} {self.o}?" if self.state else f"{'do' if self.many else 'does'} {self.s} {self.v[0]} {self.o}?")
    def deny(self): return self.line(self.be() + " not" if self.state else f"{'do' if self.many else 'does'} not {self.v[0]}")
    def past(self): return self.line(self.be(True) if self.state else self.v[2])
    def past_ask(self): return cap(f"{self.be(True)} {self.s} {self.o}?" if self.state else f"did {self.s} {self.v[0]} {self.o}?")
    def future(self): return self.line("will be" if self.state else f"will {self.v[0]}")
    def by(self, s):
        """The same of another person."""
        one = s in ("he", "she", "it")
        return self.line({"I": "am"}.get(s, "is" if one else "are") if self.state else self.v[1] if one else self.v[0], s)
    def plural(self):
        if self.many or self.s.split()[-1] not in PLURAL: return None
        *first, last = self.s.split()
        return self.line("are" if self.state else self.v[0], " ".join(first + [PLURAL[last]]))

def seg(r):
    while True:
        x, z = Said(r), r.randrange(9); p = x.plain()
        if z == 0: u, a = ["Turn this into a question: {p}", "Make a question of this: {p}", "Ask this as a question: {p}", "question form: {p}", "Write this as a question: {p}"], x.ask()
        elif z == 1: u, a = ["Make this negative: {p}", "Say the opposite with not: {p}", "Negate this: {p}", "Put a not into this: {p}"], x.deny()
        elif z == 2: u, a = ["Put this in the past: {p}", "Past tense: {p}", "Write this in the past tense: {p}", "Say this as if it was yesterday: {p}"], x.past()
        elif z == 3: u, a = ["Put this in the future: {p}", "Future tense: {p}", "Write this with will: {p}", "Say this about tomorrow: {p}"], x.future()
        elif z == 4: p, a = x.ask(), p; u = ["Turn this question into a statement: {p}", "Make a statement of this: {p}", "Answer with a full sentence and yes left out: {p}", "Statement, please: {p}"]
        elif z == 5: p, a = x.past(), x.past_ask(); u = ["Turn this into a question: {p}", "Make this a question: {p}", "Ask whether this was so: {p}"]
        elif z == 6: s = r.choice(list(PRONOUN)); a = x.by(s); u = [f"Write this with \"{s}\": {{p}}", f"Use {s} as the subject: {{p}}", f"Change the subject to {s}: {{p}}", f"Say it about \"{s}\": {{p}}"]
        elif z == 7: a = x.plural(); u = ["Put this in the plural: {p}", "Make this plural: {p}", "More than one of them: {p}", "Plural: {p}"]
        else: p, a = x.past(), p; u = ["Put this in the present: {p}", "Present tense: {p}", "Write this as if it was today: {p}"]
        if a and a != p: return [T(r.choice(u).format(p=p if r.random() < .7 else f'"{p}"'), a, a, "data")]
