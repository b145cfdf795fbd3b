"""Small wishes that need no knowledge: a name for a cat, a compliment, a number, a choice, a title, a slogan, something cold."""
from skill_common import T, an, bank, cap, sloppy, syllables

W = bank.W
PETS = W("cat, dog, hamster, parrot, rabbit, horse, goldfish, pony, canary, turtle, lizard, goat, duck, hen, guinea pig, donkey, snail, ferret, mouse, budgie, kitten, puppy, spider, snake, cow, sheep, pig, hedgehog")
PETNAMES = W("Biscuit, Pepper, Momo, Luna, Pickle, Olive, Milo, Waffle, Coco, Ginger, Hazel, Mango, Nutmeg, Rosie, Socks, Teddy, Willow, Ziggy, Bramble, Clover, Dumpling, Figaro, Pebble, Pumpkin, Smudge, Toffee, Button, Cinnamon, Domino, Feather, Juniper, Maple, Noodle, Poppy, Rufus, Sunny, Tulip, Whiskers")
CRAFT = W("boat, sailing boat, canoe, ship, raft, car, bike, van, train, robot, house, garden, café, bakery, band, choir, football team, quiz team, book club, shop, farm, dragon, knight, pirate, wizard, teddy bear, doll, plant, cactus, laptop, island, planet, village, king, hero, ghost")
FIRST = W("Silver, Golden, Blue, Little, Merry, Quiet, Brave, Red, Happy, Morning, Green, Swift, Old, Wild, Sunny")
LAST = W("Star, Heron, Lantern, Wave, Oak, Arrow, Breeze, Fox, Cloud, Rose, River, Comet, Feather, Harbour, Apple, Thunder, Whisper, Penny")
ASK_NAME = ["Suggest a name for my {x}.", "Give me a name for a {x}.", "What should I call my {x}?", "I need a name for my {x}.", "Find a name for my {x}.", "name for a {x}?", "How shall I call my {x}?", "Can you think of a name for a {x}?", "What is a good name for a {x}?", "My new {x} has no name yet. Any ideas?", "Invent a name for a {x}.", "We got a {x} and can't find a name.", "Any name ideas for a {x}?", "a nice name for my {x} please"]
SAY_NAME = ["How about {n}?", "{n} would be nice.", "Maybe {n}.", "I like {n}.", "What about {n}?", "{n}! It sounds friendly."]
MORE_NAMES = ["Another one.", "another", "Give me another one.", "Something else?", "I don't like that one.", "One more, please.", "any other ideas", "And another?"]
def names(r):
    pet = r.random() < .5; x = r.choice(PETS if pet else CRAFT)
    made = lambda: r.choice(PETNAMES) if pet else f"{r.choice(FIRST)} {r.choice(LAST)}" if r.random() < .8 else cap(syllables(r, 2))
    q = r.choice(ASK_NAME).replace("a {x}", an(x)).replace("{x}", x)
    if r.random() < .2:
        k = r.choice((2, 3, 4)); found = r.sample(PETNAMES, k) if pet else [f"{a} {b}" for a, b in zip(r.sample(FIRST, k), r.sample(LAST, k))]
        n = {2: "two", 3: "three", 4: "four"}[k]
        return [(r.choice([f"Suggest {n} names for my {x}.", f"Give me {n} names for {an(x)}.", f"{n} names for my {x}, please"]), ", ".join(found[:-1]) + " and " + found[-1] + ".")]
    out = [(q, r.choice(SAY_NAME).format(n=made()))]
    if r.random() < .25: out.append((r.choice(MORE_NAMES), r.choice(SAY_NAME).format(n=made())))
    return out

KIND = {  # "wordings => answers", each answer fit for each wording
    "compliment": ("Give me a compliment. / compliment me / Pay me a compliment. / Can you say something nice about me? / Tell me something nice about myself. / I need a compliment. / Make me a compliment. / a compliment please / Flatter me.",
                   "You ask good questions, and you ask them kindly. / You have a nice way with words. / It is a pleasure to read what you write. / You are curious, and that is a fine thing. / You are patient with a small model. Not everybody is."),
    "work": ("Give me advice for my first day at work. / I start a new job tomorrow. Any tips? / Any advice for a new job? / Tips for my first day in the office? / How do I survive my first day at work? / what should I do on the first day of a new job",
             "Be on time, listen, and ask when you don't understand something. / Learn the names first, and smile; the rest comes with time. / Sleep well, be early and bring a pen. Nobody expects you to know everything. "),
    "calm": ("How do I stay calm? / how can i calm down / Help me to calm down. / I need to relax. How? / What helps against stress? / Any tips to stay calm? / How do I relax after work?",
             "Breathe in slowly, count to four, and breathe out again. Do it five times. / A slow walk, a cup of tea and no screen: that calms many people. / Stop for a minute, look out of the window and breathe slowly."),
    "picnic": ("What do I need for a picnic? / what should I bring to a picnic / Make a list for a picnic. / Things for a picnic, please. / What do we take along to a picnic?",
               "A blanket, bread, cheese, fruit, something to drink and a knife. / Take a blanket, sandwiches, apples, water and napkins. / A blanket, cups, plates, bread, tomatoes and a cake."),
    "trip": ("What should I pack for a weekend? / What do I need for a weekend trip? / Make a packing list for two days. / what do i pack for a short trip",
             "Clothes for two days, a toothbrush, a charger, your keys and something to read. / A change of clothes, a jacket, a toothbrush, your phone and its charger."),
    "beach": ("What do I need for the beach? / what should I take to the beach / Make a list for a day at the beach. / What do I pack for the beach?",
              "A towel, sun cream, a hat, water and a good book. / Take a towel, swimwear, sun cream, something to drink and a snack."),
    "thanks": ("Write a short thank you note. / Write a thank you note to my neighbour. / How do I say thank you in a card? / a thank you note please / I need two lines to thank a friend. / Help me to thank my colleague.",
               "Thank you so much for your help! It made my day much easier. / You could write: Thank you for your kindness. I won't forget it. / Many thanks! That was very kind of you."),
    "sorry": ("Write a short apology. / How do I say sorry in a message? / Help me to say sorry to a friend. / I need a line to apologise to my neighbour. / write a sorry note",
              "I'm sorry for what I said. It was not fair, and I'd like to make it up to you. / You could write: I'm sorry, that was my mistake. Can we talk? / I'm sorry that I hurt you. It will not happen again."),
    "birthday": ("Write a birthday wish. / A birthday wish for my friend, please. / What do I write in a birthday card? / Write something for a birthday card. / birthday message for my colleague / I need a birthday greeting for my sister.",
                 "Happy birthday! I wish you a year full of good days. / Happy birthday! May there be cake, friends and sunshine. / All the best for your birthday, and a happy new year of life!"),
    "wedding": ("Write a wedding wish. / What do I write in a wedding card? / A line for a wedding card, please. / wish for a wedding",
                "All the best for your life together! / Much love and laughter to the two of you, today and always."),
    "well": ("Write a get well wish. / What do I write to a friend who is ill? / A get well card, please. / Write something for an ill colleague.",
             "Get well soon! We miss you and think of you. / I wish you a quick recovery and many cups of good tea."),
    "night": ("Wish me good night. / say good night / Say good night to me. / Tell me good night.", "Good night! Sleep well. / Good night, and sweet dreams!"),
    "alphabet": ("Write the alphabet. / write the alphabet / Say the alphabet. / Do you know the alphabet? Write it. / List all letters of the alphabet. / the alphabet please / Can you write down the alphabet?",
                 "A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z"),
    "letter_first": ("What is the first letter of the alphabet? / Which letter is the first in the alphabet? / first letter of the alphabet / With which letter does the alphabet start?", "The first letter of the alphabet is A. / It is A."),
    "letter_last": ("What is the last letter of the alphabet? / Which letter is the last in the alphabet? / last letter of the alphabet / With which letter does the alphabet end?", "The last letter of the alphabet is Z. / It is Z."),
    "coin": ("Flip a coin. / flip a coin / Toss a coin for me. / Heads or tails? / Throw a coin. / Can you flip a coin? / coin flip please", "Heads. / Tails. / It is heads. / It is tails."),
    "dice": ("Roll a dice. / Roll a die. / roll the dice / Throw a dice for me. / Can you roll a die? / roll a six-sided die", "3. / 5. / 2. / 4. / 1. / 6. / It is a four. / It is a two."),
    "excuse": ("Give me an excuse for being late. / I need a good excuse. / I'm late. What do I say? / Think of an excuse for not coming to the party. / an excuse please",
               "Just say: I'm sorry, I lost track of time. The truth is the best excuse. / Say that you are sorry and that something came up. Short is best."),
    "toast": ("I need a toast. / Say a toast. / Write a short toast for dinner. / What do I say when I raise my glass? / a toast for my friends please", "To good friends, good food and many more evenings like this! / To all of us, and to those who can't be here!"),
}
KIND = {k: (q.split(" / "), [a.strip() for a in said.split(" / ")]) for k, (q, said) in KIND.items()}
def kind(r):
    qs, says = KIND[r.choice(list(KIND))]
    return [(r.choice(qs), r.choice(says))]

THINGS = {  # what something may be, and what is so
    "cold": "ice, snow, a fridge, winter, ice cream, a snowball", "hot": "fire, an oven, boiling water, fresh soup, a desert, the sun", "sweet": "honey, sugar, chocolate, a ripe pear, cake, jam", "sour": "a lemon, vinegar, a green apple, a lime", "soft": "a pillow, a feather, wool, a kitten, a scarf", "hard": "a stone, iron, a brick, a diamond, a nut",
    "round": "a ball, a coin, a wheel, the moon, a plate, an orange", "yellow": "a banana, a lemon, a canary, the sun, butter, a sunflower", "red": "a tomato, a strawberry, a cherry, blood, a fire engine, a poppy", "green": "grass, a leaf, a frog, a cucumber, spinach, a pea", "blue": "the sky, the sea, a blueberry, a cornflower", "white": "milk, snow, salt, a swan, paper", "black": "coal, the night, a raven, tar, soot",
    "heavy": "an elephant, a rock, a piano, a ship, an anchor", "light": "a feather, a leaf, a balloon, a hair, paper", "loud": "thunder, a drum, a siren, a lion, a drill", "quiet": "snow, a library, a cat, the night, a fish", "fast": "a train, a cheetah, an arrow, a plane, a rocket", "slow": "a snail, a turtle, a tired donkey, honey from a spoon", "wet": "rain, a puddle, the sea, a river", "sharp": "a knife, a needle, a thorn, a razor", "salty": "the sea, ham, a pretzel, soy sauce", "small": "an ant, a crumb, a grain of sand, a flea, a seed", "big": "a whale, a mountain, a house, an elephant, a ship", "sticky": "honey, glue, jam, syrup, tape", "old": "a castle, a mountain, a fossil, an oak", "tall": "a tower, a giraffe, a tree, a mountain"}
THINGS = {k: v.split(", ") for k, v in THINGS.items()}
FRUIT = {"yellow": ["banana", "lemon"], "red": ["strawberry", "cherry", "raspberry"], "green": ["lime", "kiwi", "gooseberry"], "orange": ["orange", "apricot", "mandarin"], "blue": ["blueberry"], "purple": ["plum", "grape"]}
CRIES = {"moo": "cow", "woof": "dog", "meow": "cat", "oink": "pig", "baa": "sheep", "quack": "duck", "neigh": "horse", "cock-a-doodle-doo": "cockerel", "hiss": "snake", "ribbit": "frog", "tweet": "bird", "buzz": "bee", "roar": "lion", "hee-haw": "donkey", "hoot": "owl", "squeak": "mouse", "cluck": "hen", "gobble": "turkey", "howl": "wolf"}
def something(r):
    z = r.random()
    if z < .2:
        c = r.choice(list(FRUIT)); f = r.choice(FRUIT[c])
        return [(r.choice([f"Name a fruit that is {c}.", f"Which fruit is {c}?", f"Tell me {an(c)} fruit.", f"Give me {an(c)} fruit.", f"a fruit that is {c}?"]), r.choice([f"{cap(an(f))}.", f"{cap(an(f))} is {c}.", f"For example {an(f)}."]))]
    if z < .4:
        s, a = r.choice(list(CRIES.items()))
        if r.random() < .5: return [(r.choice([f"Which animal says {s}?", f"What animal says {s}?", f"who says {s}", f'Who goes "{s}"?', f"{s}! Which animal am I?"]), r.choice([f"{cap(an(a))} says {s}.", f"{cap(an(a))}."]))]
        return [(r.choice([f"What does {an(a)} say?", f"what sound does {an(a)} make", f"What noise does {an(a)} make?", f"How does {an(a)} go?"]), r.choice([f"{cap(an(a))} says {s}.", f"{cap(s)}!"]))]
    k = r.choice(list(THINGS)); v = r.choice(THINGS[k])
    if z < .5:
        n = r.choice((2, 3)); found = r.sample(THINGS[k], n)
        return [(r.choice([f"Name {['two', 'three'][n - 2]} things that are {k}.", f"Give me {['two', 'three'][n - 2]} {k} things.", f"{n} things that are {k}"]), cap(", ".join(found[:-1])) + " and " + found[-1] + ".")]
    out = [(r.choice([f"Name something {k}.", f"name something {k}", f"Tell me something that is {k}.", f"What is {k}?", f"Give me an example of something {k}.", f"Can you name a thing that is {k}?", f"Think of something {k}.", f"something {k}, please", f"Say a thing that is {k}."]), r.choice([f"{cap(v)}.", f"{cap(v)} is {k}.", f"For example {v}."]))]
    if r.random() < .2: out.append((r.choice(["Another one?", "Something else?", "one more", "And another thing?"]), cap(r.choice([x for x in THINGS[k] if x != v])) + "."))
    return out

CHOICES = W("red or blue, tea or coffee, pizza or pasta, the sea or the mountains, cats or dogs, summer or winter, sweet or salty, morning or evening, bus or bike, apple or pear, soup or salad, film or book, left or right, black or white, rice or potatoes, train or car, today or tomorrow, jeans or a dress, swimming or running, gold or silver, honey or jam, the red hat or the green one, the park or the zoo, the early train or the late one, butter or oil, lake or pool, fish or cheese, roses or tulips, guitar or piano, chess or cards")
def choice(r):
    a, b = r.choice(CHOICES).split(" or ")
    if r.random() < .5: a, b = b, a
    c = r.choice((a, b))
    return [(r.choice([f"Choose: {a} or {b}?", f"{a} or {b}?", f"Pick one: {a} or {b}.", f"Should I take {a} or {b}?", f"Decide for me: {a} or {b}?", f"I can't decide: {a} or {b}?", f"help me choose, {a} or {b}", f"Which one, {a} or {b}?", f"{cap(a)} or {b}? You choose."]), r.choice([f"{cap(c)}.", f"I'd say {c}.", f"{cap(c)}, this time.", f"Take {c}.", f"My vote goes to {c}."]))]
def number(r):
    a = r.choice((0, 1, 1, 1, 1, 5, 10)); b = r.choice((3, 5, 6, 10, 10, 20, 50, 100)) + (a if a > 1 else 0); n = r.randrange(a, b + 1)
    return [(r.choice([f"Pick a number between {a} and {b}.", f"Choose a number from {a} to {b}.", f"Give me a random number between {a} and {b}.", f"random number {a} to {b}", f"Say a number between {a} and {b}.", f"Think of a number from {a} to {b} and tell me.", f"A number from {a} to {b}, please."]), r.choice([f"{n}.", f"{n}", f"I pick {n}.", f"{n}, then."]))]

HEROES = W("fox, owl, bear, dragon, baker, sailor, robot, cat, dog, knight, gardener, clown, witch, mouse, horse, lighthouse, tree, train, snowman, king, teacher, fisherman, lost key, old clock, shy ghost, brave girl, lonely boy, small boat, red balloon")
TITLES = ["The {h} and the Lost Song", "The {h} Who Came Too Late", "A Winter with the {h}", "The Last Wish of the {h}", "The {h} at the End of the Road", "The {h} and the Moon", "The Secret of the {h}", "The {h} That Could Not Sleep", "Seven Days with the {h}", "The {h} and the Golden Door"]
SHOPS = {"bakery": "Fresh bread, warm hearts. / Every morning smells of us. / Bread that makes you smile.", "café": "Sit down, the world can wait. / One cup of happiness, please. / Good coffee, good talk.", "bookshop": "A new world on every shelf. / Open a book, open a door. / Come in and read.", "flower shop": "Say it with a flower. / A little spring for every day. / We grow smiles.", "bike shop": "Two wheels, one smile. / Ride on! / We keep you rolling.", "garage": "We get you going again. / Good hands for your car.", "hairdresser": "A new look, a new day. / Your hair in good hands.", "restaurant": "Come hungry, leave happy. / Our table is your table.", "gym": "Stronger every day. / Start small, end strong.", "toy shop": "Where playing begins. / For children from one to ninety-nine.", "school": "Learning for life. / Small steps, big minds.", "zoo": "Come and meet the wild. / All friends, great and small.", "hotel": "Sleep well, wake happy. / Your home on the way.", "ice cream shop": "Life is better with two scoops. / Summer in a cone.", "pharmacy": "Here for your health. / Good advice around the corner.", "shoe shop": "Walk on clouds. / Every step a joy.", "library": "Free ideas for everyone. / Quiet rooms, loud dreams."}
def written(r):
    if r.random() < .5:
        h = r.choice(HEROES); return [(r.choice([f"Think of a title for a story about {an(h)}.", f"Give me a title for a story about {an(h)}.", f"I wrote a story about {an(h)}. What should the title be?", f"A title for a book about {an(h)}, please.", f"title for a tale about {an(h)}?", f"What could I call my story about {an(h)}?", f"Suggest a title for a film about {an(h)}."]), "\"" + r.choice(TITLES).format(h=h.title()) + "\"")]
    s = r.choice(list(SHOPS)); return [(r.choice([f"I need a slogan for {an(s)}.", f"Write a slogan for my {s}.", f"Give me a slogan for {an(s)}.", f"slogan for {an(s)}", f"What is a good motto for {an(s)}?", f"Invent a slogan for {an(s)}.", f"My {s} needs a slogan.", f"Suggest a catchy line for {an(s)}."]), r.choice(SHOPS[s].split(" / ")))]

WAYS = [(names, 24), (kind, 28), (something, 20), (choice, 9), (number, 8), (written, 11)]
def seg(r):
    """One small wish, and at times a second like it."""
    f = r.choices([f for f, _ in WAYS], [w for _, w in WAYS])[0]
    return [T(sloppy(r, [u]), a, None, "data") for u, a in f(r)]
