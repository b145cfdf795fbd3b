"""What the skills share: turns, names that must be copied, and the way people type."""
import os, re, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from gen import words as bank

# One exchange: what is asked, the answer, the answer in a word or two, and its kind:
# "say" may be restyled freely, "data" is output whose form was asked for, "no" is a refusal.
class T:
    __slots__ = ("u", "a", "s", "k")
    def __init__(self, u, a, s=None, k="say"):
        self.u, self.a, self.s, self.k = u, a, s, k

ONSET = "b br c ch d dr f fl g gr h j k kl l m n p pr qu r s sh st t th tr v w y z".split()
VOWEL = "a e i o u ai ea ia oo ou ei".split()
CODA = "l m n r s t k d nd rn ss th x sk ld rt n n r l".split()
NAMES = sorted(set(bank.NAMES + bank.W("""Aarav, Abel, Ada, Agnes, Ahmed, Akira, Alba, Alma, Amara, Andre, Anouk, Asher, Astrid, Basil, Beatrix, Birgit, Bjorn, Cedric,
Chidi, Chloe, Conrad, Cyrus, Dalia, Dmitri, Edda, Eilidh, Emre, Enzo, Erika, Ezra, Fabian, Faye, Femi, Fergus, Fiona, Gemma, Gideon, Giulia, Hamza, Harriet, Hiro, Ilse, Imran,
Ines, Isla, Jasmin, Jorge, Kamila, Keiko, Kwame, Lamar, Linnea, Lorenzo, Magnus, Malik, Margit, Matilda, Mehmet, Mireille, Nadia, Nasrin, Ngozi, Nikhil, Noor, Odette, Olaf, Oona,
Paolo, Petra, Phoebe, Quentin, Ramona, Rashid, Rebecca, Renata, Rohan, Rosalind, Rupert, Saskia, Sean, Seamus, Siobhan, Stella, Sven, Tadeusz, Tamsin, Thandiwe, Tobias, Ulrike,
Umar, Valentina, Vikram, Wanda, Wilhelm, Ximena, Yara, Yolanda, Zainab, Zora, Chris, Sarah, Mike, John, Mary, James, Linda, Robert, Susan, Daniel, Maria, Kevin, Brian, Lisa, Mark""")))
CITIES = sorted(set(bank.CITIES + bank.W("""Aarhus, Adelaide, Amsterdam, Ankara, Atlanta, Baku, Bangkok, Barcelona, Basel, Belfast, Bern, Bilbao, Bologna, Brisbane, Brno, Budapest,
Calgary, Cape Town, Cardiff, Cologne, Dakar, Dallas, Damascus, Dhaka, Dresden, Dubai, Edinburgh, Florence, Gdansk, Ghent, Graz, Houston, Istanbul, Jakarta, Karachi, Kigali, Kyoto,
Lahore, Leipzig, Linz, Ljubljana, Malmo, Manchester, Marseille, Melbourne, Memphis, Miami, Milan, Minsk, Nantes, New York, Norwich, Odessa, Ottawa, Palermo, Phoenix, Pune, Reykjavik,
Rotterdam, San Diego, Sarajevo, Shanghai, Singapore, Sofia, Split, Tampere, Tbilisi, Tucson, Utrecht, Vancouver, Vilnius, Winnipeg, York, Zagreb""")))
TOWN_END = "ton ham ford bury field wick stad berg ville ova dale mouth ley burg port holm grad".split()

def syllables(r, n):
    s = "".join(r.choice(ONSET) + r.choice(VOWEL) for _ in range(n - 1)) + r.choice(ONSET) + r.choice(VOWEL) + r.choice(CODA + [""] * 8)
    return s.capitalize()
def name(r): return r.choice(NAMES) if r.random() < .6 else syllables(r, r.choice((1, 2, 2, 2, 3)))
def city(r):
    z = r.random()
    if z < .65: return r.choice(CITIES)
    if z < .92: return syllables(r, r.choice((1, 2))) + r.choice(TOWN_END)
    return r.choice(("New ", "Old ", "Upper ", "Lower ", "Little ", "Port ", "Saint ")) + syllables(r, 2)
def two(r, f):
    a = f(r)
    while True:
        b = f(r)
        if b != a: return a, b

def an(w): return ("an " if re.match(r"[aeio]|u(?!ni|se|ku)|hour|honest", w, re.I) else "a ") + w
def cap(s): return s[:1].upper() + s[1:]
def low(s):
    """The first letter in lower case, if the word may lose it."""
    return s if not s or re.match(r"(I\b|I'|[A-Z]{2}|[A-Z]$)", s) or s.split()[0].strip(".,!?'s") in PROPER else s[0].lower() + s[1:]
PROPER = set(NAMES) | set(CITIES)
def join(xs, last="and"): return xs[0] if len(xs) == 1 else ", ".join(xs[:-1]) + " " + last + " " + xs[-1]

BEFORE = ["hey, ", "hi, ", "so, ", "ok, ", "please, ", "quick question: ", "um, ", "Tell me: ", "Question: ", "One more: ", "Hello! ", "Now: ", "Next: ", "can you tell me: "]
AFTER = [" please", " pls", " thanks", " thx", ", please"]
def careless(r, u):
    """As people type: lower case, no mark at the end, a typo; never inside what is to be copied or quoted."""
    z = r.random()
    if "\n" in u or len(u) > 150: return u
    plain = not re.search(r"[\":\d]", u)
    if r.random() < .05 and len(u) > 22 and not re.match(r"(And|Now|One|Next|So|Ok|What about)\b", u, re.I): u = r.choice(BEFORE) + (low(u) if z < .6 else u)
    if r.random() < .05 and u[-1:] in "?." and plain:
        u = u[:-1] + r.choice(AFTER) + u[-1]
    if z < .16 and plain: u = u.lower()
    if r.random() < .2: u = u.rstrip("?.!")
    if r.random() < .06: u = u.replace("'", "")
    if plain and r.random() < .03 and len(u) > 14:
        i = r.randrange(1, len(u) - 3)
        if u[i:i + 2].islower() and u[i - 1].isalpha() and u[i].isalpha():
            z = r.random()
            u = u[:i] + (u[i + 1] + u[i] if z < .5 else u[i] * 2 + u[i + 1] if z < .75 else u[i]) + u[i + 2:]
    return u
def sloppy(r, us):
    """One of the questions, typed carelessly."""
    return careless(r, r.choice(us))
