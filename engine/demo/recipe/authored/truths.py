"""Questions of yes or no about simple things, from tables of what is so: each has a false sister in the same words."""
from skill_common import an, bank, cap
import skill_everyday as everyday

def T(text): return dict(x.split(":") for x in bank.W(text))
SORT = {"animal": "dog, cat, horse, cow, lion, tiger, mouse, frog, rabbit, sheep, goat, bear, fox, wolf, duck, hen, owl, snake, bee, whale, penguin, zebra, camel, monkey, donkey", "fruit": "apple, banana, pear, plum, cherry, lemon, grape, peach, mango, strawberry, melon, fig", "vegetable": "carrot, onion, cabbage, potato, leek, cucumber, beetroot, turnip", "tool": "hammer, saw, screwdriver, spade, drill, rake, wrench, axe",
        "vehicle": "car, bus, train, bicycle, lorry, tram, van, motorbike", "drink": "tea, coffee, milk, juice, lemonade, water", "colour": "red, blue, green, yellow, purple, brown, grey, white", "bird": "eagle, sparrow, robin, parrot, swan, crow, goose, pigeon", "insect": "ant, bee, fly, beetle, wasp, moth, butterfly, mosquito", "metal": "iron, gold, silver, copper, tin, lead",
        "piece of furniture": "chair, table, sofa, bed, wardrobe, shelf", "musical instrument": "piano, violin, guitar, drum, flute, trumpet, harp", "month": "January, March, April, May, June, August, October, December", "day of the week": "Monday, Tuesday, Wednesday, Friday, Sunday", "season": "spring, summer, autumn, winter", "number": "one, three, seven, ten, twelve", "flower": "rose, tulip, daisy, lily, sunflower", "sport": "football, tennis, swimming, rowing, basketball", "country": "France, Spain, Japan, Egypt, Norway, Peru", "job": "teacher, baker, doctor, farmer, pilot, nurse, judge"}
SORT = {k: v.split(", ") for k, v in SORT.items()}
CLOSE = {("animal", "bird"), ("animal", "insect"), ("drink", "fruit"), ("fruit", "colour")}  # no false sisters
BARE = ("drink", "colour", "metal", "month", "day of the week", "season", "number", "sport", "country")
CAN = {"fly": ("birds, eagles, bees, butterflies, owls, planes, bats, flies, sparrows, kites", "dogs, cats, cows, stones, tables, horses, pigs, snakes, cars, trees, elephants, mice, houses"), "swim": ("fish, ducks, whales, frogs, dolphins, seals, swans, sharks, otters, people", "stones, chairs, trees, keys, cakes, cars, hammers, spoons"), "bark": ("dogs", "cats, fish, horses, cows, birds, snakes, chairs"), "talk": ("people, children, teachers, parents", "stones, shoes, tables, spoons, trees, apples, clouds"),
       "read": ("people, teachers, pupils, grown-ups", "fish, cows, stones, horses, worms, trees, pillows"), "drive a car": ("grown-ups, taxi drivers, some people", "babies, cats, fish, dogs, trees, sheep"), "climb trees": ("cats, monkeys, squirrels, children", "fish, cows, whales, cars, elephants"), "grow": ("trees, children, plants, flowers, puppies", "stones, chairs, cups, spoons, cars"), "sing": ("people, birds, children", "stones, spoons, shoes, tables, clouds"), "sleep": ("cats, people, dogs, babies, bears", "stones, cups, hammers, shoes, cars"), "burn": ("wood, paper, candles, coal, dry leaves", "stones, water, ice, sand")}
IS = {"hot": ("fire, the sun, boiling water, an oven, lava", "ice, snow, a fridge, winter, an ice cube"), "cold": ("ice, snow, winter, a fridge, ice cream", "fire, the sun, boiling water, an oven, lava"), "sweet": ("sugar, honey, cake, chocolate, jam, ice cream", "salt, vinegar, lemon juice, sand"), "soft": ("a pillow, wool, cotton, a kitten, a cushion", "glass, a stone, iron, a brick, steel, ice"), "hard": ("a stone, iron, a brick, steel, a diamond, glass", "a pillow, wool, butter, a cushion, cotton"), "wet": ("water, rain, the sea, a river", "a desert, sand in the sun, dry wood"), "alive": ("a tree, a dog, a flower, a child, a bee", "a car, a stone, a chair, a robot, a cup, a spoon"),
      "salty": ("the sea, salt, sea water", "sugar, honey, rain"), "big": ("an elephant, a whale, a house, a mountain, the sea", "an ant, a grain of sand, a crumb, a flea"), "small": ("an ant, a grain of sand, a crumb, a flea", "an elephant, a whale, a house, a mountain, the sea"), "round": ("a ball, a wheel, the moon, a coin, an orange", "a brick, a book, a door, a box"), "dangerous": ("fire, a shark, poison, a tiger, lightning", "a pillow, a feather, a teddy bear"), "heavy": ("an elephant, a lorry, a piano, a big rock", "a feather, a leaf, a hair, a balloon"), "loud": ("thunder, a siren, a drum, a jet plane", "a feather, a snail, a whisper")}
SIZE = "a flea, an ant, a bee, a mouse, a cat, a dog, a goat, a cow, a horse, an elephant, a whale".split(", ")
COUNTED = [("days are in a week", 7, "A week has {n} days"), ("months are in a year", 12, "A year has {n} months"), ("legs has a dog", 4, "A dog has {n} legs"), ("legs has a spider", 8, "A spider has {n} legs"), ("sides has a triangle", 3, "A triangle has {n} sides"), ("sides has a square", 4, "A square has {n} sides"), ("wheels has a bicycle", 2, "A bicycle has {n} wheels"), ("fingers has a hand", 5, "A hand has {n} fingers"), ("hours are in a day", 24, "A day has {n} hours"), ("minutes are in an hour", 60, "An hour has {n} minutes"), ("legs has an ant", 6, "An ant has {n} legs"), ("wings has a bird", 2, "A bird has {n} wings"), ("eyes has a cat", 2, "A cat has {n} eyes"), ("seasons has a year", 4, "A year has {n} seasons"), ("letters has the alphabet", 26, "The alphabet has {n} letters"), ("wheels has a car", 4, "A car has {n} wheels")]
MADE = T("paper:wood, glass:sand, bread:flour, cheese:milk, wine:grapes, butter:milk, a candle:wax, a tyre:rubber, a jumper:wool, a ring:gold, a snowman:snow, a wall:bricks, jam:fruit, chocolate:cocoa, steel:iron")
DOES = [("Do cows give {x}?", "milk", "coffee juice wool petrol honey"), ("Do hens lay {x}?", "eggs", "apples stones bricks"), ("Do bees make {x}?", "honey", "milk bread cheese"), ("Do sheep give {x}?", "wool", "glass paper honey"), ("Do dogs have {x}?", "tails", "wings leaves wheels"), ("Do birds have {x}?", "feathers", "wheels horns hands"), ("Do fish live in {x}?", "water", "trees fire ovens"), ("Do trees have {x}?", "leaves", "legs ears wheels"), ("Does the sun {x}?", "shine", "bark sneeze whistle"), ("Does ice {x} in the sun?", "melt", "grow sing burn"), ("Do people breathe {x}?", "air", "stones soup sand"), ("Do spiders make {x}?", "webs", "bread paper shoes"), ("Do we see with our {x}?", "eyes", "ears knees hair"), ("Do we hear with our {x}?", "ears", "eyes feet elbows"), ("Do we walk on our {x}?", "feet", "ears noses hair"), ("Does rain fall from the {x}?", "clouds", "ground cellar sea"), ("Is Christmas in {x}?", "December", "May July March"), ("Do cats say {x}?", "meow", "moo woof quack"), ("Do dogs say {x}?", "woof", "moo meow quack"), ("Do you sleep in a {x}?", "bed", "")]

def question(r):
    """(question, whether it is so)"""
    yes, z = r.random() < .5, r.randrange(12)
    if z < 3:
        kind = r.choice(list(SORT)); x = r.choice(SORT[kind])
        other = r.choice([k for k in SORT if k != kind and x not in SORT[k] and (k, kind) not in CLOSE and (kind, k) not in CLOSE])
        return f"Is {x if kind in BARE else an(x)} {an(kind if yes else other)}?", yes
    if z < 5:
        verb = r.choice(list(CAN)); return f"Can {r.choice(CAN[verb][not yes].split(', '))} {verb}?", yes
    if z < 7:
        what = r.choice(list(IS)); return f"Is {r.choice(IS[what][not yes].split(', '))} {what}?", yes
    if z == 7:
        i, j = sorted(r.sample(range(len(SIZE)), 2)); big, small = SIZE[j], SIZE[i]
        return r.choice([f"Is {big if yes else small} bigger than {small if yes else big}?", f"Is {small if yes else big} smaller than {big if yes else small}?"]), yes
    if z == 8:
        a, b = sorted(r.sample(range(1, 100), 2)); return r.choice([f"Is {b if yes else a} {r.choice(['bigger', 'more', 'greater', 'larger'])} than {a if yes else b}?", f"Is {a if yes else b} {r.choice(['smaller', 'less'])} than {b if yes else a}?"]), yes
    if z == 9:
        x = r.choice(list(everyday.CAPITAL)); c = everyday.CAPITAL[x] if yes else r.choice([v for k, v in everyday.CAPITAL.items() if k != x])
        return r.choice([f"Is {c} the capital of {x}?", f"Is {c} in {x}?"]), yes
    if z == 10:
        q, n, s = r.choice(COUNTED); k = n if yes else r.choice([m for m in (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 20) if m != n])
        return f"{'Does' if ' has ' in s else 'Do'} {s[0].lower() + s.split(' has ')[0][1:]} have {k} {s.split('{n} ')[1]}?", yes
    if r.random() < .4:
        x = r.choice(list(MADE)); y = MADE[x] if yes else r.choice([v for v in MADE.values() if v != MADE[x]])
        return f"Is {x} made of {y}?" if x not in ("bread", "cheese", "wine", "butter", "jam", "chocolate", "glass", "paper", "steel") else f"Is {x} made from {y}?", yes
    if r.random() < .35:
        x = r.choice(list(everyday.COLOUR)); c = everyday.COLOUR[x] if yes else r.choice([v for v in everyday.COLOUR.values() if v != everyday.COLOUR[x]])
        return f"Is {x} {c}?", yes
    q, right, wrong = r.choice(DOES)
    if not wrong: return question(r)
    return q.format(x=right if yes else r.choice(wrong.split())), yes
