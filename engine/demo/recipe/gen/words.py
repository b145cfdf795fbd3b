"""Word lists and small fact tables for the synthetic dialogue generator (all written by hand)."""

def W(s): return [x.strip() for x in s.replace('\n', ',').split(',') if x.strip()]

GIRLS = W("""Mia, Anna, Lily, Sara, Emma, Nora, Zoe, Ruth, Clara, Maya, Ella, Ivy, Rosa, Leila, Amina, Priya, Yuki, Ingrid, Hana, Tess,
Alice, Julia, Freya, Olga, Carmen, Fatima, Nina, Grace, Holly, Jade, Kate, Laura, Molly, Penny, Rachel, Sofia, Tara, Vera, Wendy, Elena,
Aisha, Bella, Daisy, Esther, Flora, Greta, Helen, Irene, Joan, Kiara, Lucy, Mina, Naomi, Olive, Paula, Rita, Selma, Tilda, Una, Violet""")
BOYS = W("""Tom, Ben, Sam, Leo, Max, Jack, Finn, Omar, Noah, Luca, Hugo, Ivan, Kofi, Ravi, Kenji, Pedro, Adam, Oscar, Felix, Theo,
Arthur, Bruno, Carl, David, Emil, Fred, George, Henry, Isaac, Jonas, Karl, Liam, Marco, Nils, Otto, Paul, Rafi, Simon, Tariq, Victor,
Walter, Yusuf, Zack, Anton, Boris, Callum, Diego, Ethan, Farid, Gus, Hassan, Igor, Jamal, Kai, Lars, Milo, Nico, Owen, Peter, Robin""")
NAMES = GIRLS + BOYS
SURNAMES = W("""Brandt, Kowalski, Nakamura, Okafor, Lindqvist, Moreau, Petrov, Silva, Haddad, Olsen, Varga, Dimitrov, Castellano, Abernathy, Thornbury,
Whitlock, Pembrook, Zielinski, Marchetti, Bergstrom, Delacroix, Fairweather, Goldberg, Hargrove, Ibrahim, Jankovic, Kessler, Lombardi, McAllister, Novak,
Ortega, Pritchard, Quigley, Rasmussen, Sandoval, Tremblay, Underhill, Vasquez, Wainwright, Yamada, Zimmer, Ashworth, Blackwood, Cartwright, Dunmore, Ellery""")
CITIES = W("""Paris, London, Berlin, Rome, Madrid, Lisbon, Oslo, Vienna, Prague, Dublin, Warsaw, Athens, Cairo, Lagos, Nairobi, Accra, Tokyo, Seoul, Delhi, Mumbai,
Sydney, Toronto, Boston, Chicago, Denver, Austin, Seattle, Lima, Bogota, Santiago, Quito, Havana, Montreal, Glasgow, Leeds, Bristol, Munich, Hamburg, Turin, Naples,
Geneva, Zurich, Helsinki, Stockholm, Tallinn, Riga, Krakow, Porto, Seville, Valencia, Lyon, Nice, Antwerp, Bergen, Cork, Galway, Perth, Auckland, Osaka, Hanoi""")
COLOURS = W("red, blue, green, yellow, orange, purple, pink, brown, black, white, grey, silver, gold, turquoise, violet, dark green, light blue, crimson")
FOODS = W("""pizza, pasta, soup, rice, curry, sushi, pancakes, salad, bread, cheese, chocolate, ice cream, apple pie, noodles, dumplings, tacos, fish and chips, omelette,
strawberries, mangoes, roast potatoes, lasagne, falafel, ramen, lentil stew, tomato soup, waffles, cherry cake, fried rice, vegetable stew""")
HOBBIES = W("""painting, hiking, chess, cooking, gardening, reading, swimming, cycling, knitting, photography, fishing, dancing, singing, running, drawing, pottery,
climbing, sailing, skating, birdwatching, writing, baking, woodworking, yoga, stargazing, skiing, juggling, sewing, origami, camping""")
PETS = W("dog, cat, rabbit, parrot, hamster, goldfish, turtle, pony, guinea pig, canary, ferret, lizard, mouse, kitten, puppy")
PETNAMES = W("""Biscuit, Luna, Rex, Milo, Coco, Shadow, Pepper, Ginger, Bella, Max, Daisy, Rocky, Whiskers, Snowy, Bubbles, Rusty, Patch, Noodle, Olive, Pickle, Waffles, Toffee,
Smokey, Ziggy, Hazel, Button, Marble, Nugget, Pip, Tiger, Cleo, Oreo, Poppy, Sunny, Bruno, Maple, Peanut, Storm, Mango, Lucky""")
JOBS_SIMPLE = W("""teacher, nurse, baker, farmer, driver, engineer, cook, painter, gardener, student, musician, writer, carpenter, doctor, librarian, dentist, plumber, pilot,
waiter, programmer, tailor, postman, mechanic, scientist, shopkeeper, electrician, photographer, lawyer, accountant, vet""")
SPORTS = W("football, tennis, basketball, volleyball, rugby, hockey, badminton, cricket, baseball, golf, table tennis, handball, swimming, rowing, judo, skiing")
INSTRUMENTS = W("piano, guitar, violin, flute, drums, cello, trumpet, clarinet, harp, ukulele, saxophone, accordion, banjo, harmonica, trombone, recorder")
LANGS = W("Spanish, French, German, Italian, Japanese, Chinese, Arabic, Portuguese, Russian, Korean, Polish, Dutch, Swedish, Greek, Turkish, Hindi")
DAYS = W("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday")
MONTHS = W("January, February, March, April, May, June, July, August, September, October, November, December")
MLEN = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
SEASONS = W("spring, summer, autumn, winter")
SUBJECTS = W("history, maths, biology, art, music, geography, physics, chemistry, literature, computing")

CATS = {
 'fruits': W("apple, banana, orange, pear, grape, cherry, plum, peach, mango, lemon, kiwi, melon, strawberry, raspberry, blueberry, pineapple, apricot, fig, lime, papaya"),
 'vegetables': W("carrot, potato, onion, cabbage, spinach, broccoli, pea, bean, leek, turnip, beetroot, cauliflower, lettuce, celery, radish, pumpkin, garlic, asparagus, kale, parsnip"),
 'animals': W("dog, cat, horse, cow, sheep, goat, pig, rabbit, fox, wolf, bear, lion, tiger, elephant, giraffe, zebra, monkey, mouse, squirrel, deer, kangaroo, camel, hippo, otter, beaver"),
 'birds': W("robin, sparrow, eagle, owl, crow, swan, duck, penguin, parrot, pigeon, hawk, swallow, gull, heron, ostrich, peacock, woodpecker, flamingo, magpie, stork"),
 'fish': W("salmon, trout, tuna, cod, herring, carp, pike, eel, sardine, mackerel, perch, haddock, shark, goldfish"),
 'insects': W("ant, bee, butterfly, beetle, fly, moth, wasp, cricket, grasshopper, ladybird, dragonfly, mosquito"),
 'farm animals': W("cow, pig, sheep, goat, horse, hen, duck, goose, donkey, turkey"),
 'sea animals': W("whale, dolphin, shark, octopus, crab, lobster, seal, jellyfish, starfish, turtle, squid, seahorse, walrus"),
 'colours': W("red, blue, green, yellow, orange, purple, pink, brown, black, white, grey, violet, gold, silver"),
 'countries': W("France, Spain, Italy, Germany, Portugal, Norway, Sweden, Poland, Greece, Egypt, Kenya, Nigeria, Ghana, Morocco, India, China, Japan, Vietnam, Thailand, Brazil, Peru, Chile, Canada, Mexico, Australia, New Zealand"),
 'countries in Europe': W("France, Spain, Italy, Germany, Portugal, Norway, Sweden, Finland, Denmark, Poland, Greece, Austria, Hungary, Ireland, Belgium, Croatia, Romania, Bulgaria"),
 'countries in Africa': W("Egypt, Kenya, Nigeria, Ghana, Morocco, Ethiopia, Tanzania, Uganda, Senegal, Zambia, Algeria, Tunisia, Mali, Namibia, Angola"),
 'countries in Asia': W("India, China, Japan, Vietnam, Thailand, Nepal, Indonesia, Malaysia, Mongolia, Pakistan, Cambodia, Laos"),
 'countries in South America': W("Brazil, Peru, Chile, Argentina, Colombia, Ecuador, Bolivia, Uruguay, Paraguay, Venezuela"),
 'cities': W("Paris, London, Berlin, Rome, Madrid, Tokyo, Cairo, Lagos, Nairobi, Delhi, Sydney, Toronto, Lima, Moscow, Vienna, Dublin, Athens, Oslo"),
 'jobs': W("teacher, nurse, baker, farmer, doctor, pilot, cook, carpenter, painter, driver, engineer, lawyer, tailor, plumber, dentist, librarian, gardener, scientist"),
 'sports': SPORTS, 'musical instruments': INSTRUMENTS, 'hobbies': HOBBIES, 'languages': LANGS,
 'school subjects': SUBJECTS,
 'drinks': W("water, tea, coffee, milk, apple juice, orange juice, lemonade, hot chocolate, soda, smoothie"),
 'desserts': W("ice cream, apple pie, chocolate cake, pancakes, cheesecake, pudding, cookies, fruit salad, brownies, waffles"),
 'breakfast foods': W("toast, eggs, porridge, cereal, pancakes, yogurt, fruit, bread and jam, waffles, an omelette"),
 'spices': W("pepper, cinnamon, ginger, cumin, paprika, nutmeg, turmeric, saffron, cloves, cardamom"),
 'herbs': W("basil, parsley, mint, thyme, rosemary, sage, dill, oregano, coriander, chives"),
 'trees': W("oak, pine, birch, maple, willow, ash, beech, elm, fir, cedar, chestnut, palm, poplar"),
 'flowers': W("rose, tulip, daisy, lily, sunflower, daffodil, violet, orchid, poppy, lavender, iris, marigold"),
 'kinds of weather': W("rain, snow, wind, fog, sunshine, hail, thunder, frost, a storm, a drizzle"),
 'clothes': W("shirt, trousers, coat, hat, socks, scarf, gloves, dress, skirt, sweater, jacket, boots, belt"),
 'things in a kitchen': W("pan, pot, spoon, knife, fork, plate, oven, fridge, kettle, bowl, cup, sink, table, whisk"),
 'tools': W("hammer, saw, screwdriver, drill, pliers, wrench, axe, chisel, shovel, rake, tape measure, ladder"),
 'vehicles': W("car, bus, train, bicycle, truck, boat, plane, tram, ship, motorbike, helicopter, tractor, ferry, van"),
 'pieces of furniture': W("table, chair, bed, sofa, desk, shelf, wardrobe, bench, stool, armchair, cupboard, lamp"),
 'parts of the body': W("head, arm, leg, hand, foot, nose, ear, eye, mouth, knee, elbow, shoulder, back, finger, toe, neck"),
 'planets': W("Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune"),
 'metals': W("iron, gold, silver, copper, tin, zinc, lead, aluminium, nickel, platinum"),
 'shapes': W("circle, square, triangle, rectangle, oval, pentagon, hexagon, octagon, star, diamond"),
 'oceans': W("the Pacific Ocean, the Atlantic Ocean, the Indian Ocean, the Arctic Ocean, the Southern Ocean"),
 'continents': W("Africa, Asia, Europe, North America, South America, Australia, Antarctica"),
 'board games': W("chess, checkers, backgammon, go, dominoes, ludo, snakes and ladders, mancala"),
 'feelings': W("joy, sadness, anger, fear, surprise, pride, hope, love, relief, boredom, shame, excitement"),
 'things to take to the beach': W("a towel, sunscreen, a hat, sunglasses, a bottle of water, a book, a swimsuit, a ball, snacks, an umbrella"),
 'things to take camping': W("a tent, a sleeping bag, a torch, matches, water, warm clothes, a map, a cooking pot, a rope, a first aid kit"),
 'things you find in a school': W("desks, books, a blackboard, pencils, chairs, maps, computers, a library, a bell, teachers"),
 'things you find in a forest': W("trees, mushrooms, moss, birds, deer, leaves, berries, a stream, ants, ferns"),
 'things that are round': W("a ball, a wheel, a coin, the moon, an orange, a button, a plate, a ring, a marble"),
 'things that fly': W("a bird, a plane, a kite, a bee, a balloon, a helicopter, a bat, a butterfly, a rocket"),
 'things that are cold': W("ice, snow, a fridge, ice cream, a glacier, a winter wind, frost, the North Pole"),
 'things that are soft': W("a pillow, wool, a kitten, cotton, a blanket, a feather, a sponge, a cloud"),
 'ways to relax': W("read a book, take a walk, listen to music, take a warm bath, drink a cup of tea, stretch, call a friend, draw something, take a nap, breathe slowly"),
 'words that start with B': W("ball, bear, book, bread, bridge, bird, boat, box, button, blanket"),
 'words that start with S': W("sun, star, snake, soup, stone, ship, silver, spoon, snow, song"),
 'words that start with M': W("moon, milk, mouse, map, mirror, music, mountain, mango, market, morning"),
 'words that start with T': W("tree, table, tiger, train, tent, tooth, tulip, tower, tea, thunder"),
 'words that start with C': W("cat, cake, car, castle, cloud, coin, corn, cup, candle, clock"),
}
# The first pair with a word on the left gives its opposite; else the first with it on the right.
OPP = {}
_PAIRS = [x.split(':') for x in W("""hot:cold, close:open, lower:upper, stop:start, start:stop, big:small, tall:short, fast:slow, happy:sad, light:dark, up:down, left:right, open:closed, new:old, rich:poor, full:empty, wet:dry,
hard:soft, loud:quiet, early:late, long:short, heavy:light, strong:weak, clean:dirty, high:low, near:far, day:night, black:white, good:bad, right:wrong, easy:difficult, first:last,
inside:outside, front:back, above:below, begin:end, start:finish, win:lose, buy:sell, give:take, push:pull, love:hate, laugh:cry, remember:forget, arrive:leave, true:false,
thick:thin, wide:narrow, deep:shallow, smooth:rough, sweet:sour, sharp:blunt, brave:cowardly, polite:rude, safe:dangerous, noisy:silent, cheap:expensive, always:never, everything:nothing,
friend:enemy, question:answer, north:south, east:west, summer:winter, morning:evening, hello:goodbye, before:after, more:less, many:few, over:under, top:bottom, sunrise:sunset, asleep:awake,
alive:dead, ancient:modern, bright:dim, calm:stormy, careful:careless, kind:cruel, enter:exit, fresh:stale, generous:selfish, guilty:innocent, humble:proud, increase:decrease, lazy:hardworking,
major:minor, maximum:minimum, even:odd, patient:impatient, possible:impossible, public:private, raw:cooked, simple:complicated, success:failure, tight:loose, beautiful:ugly, visible:invisible,
wise:foolish, accept:refuse, add:subtract, attack:defend, borrow:lend, build:destroy, float:sink, freeze:melt, hide:show, multiply:divide, raise:lower, whisper:shout, huge:tiny, young:old,
yes:no, on:off, in:out, here:there, come:go, now:later, today:tomorrow, future:past, man:woman, boy:girl, king:queen, father:mother, son:daughter, brother:sister, uncle:aunt, husband:wife,
male:female, heaven:hell, peace:war, life:death, birth:death, land:sea, sun:moon, land:take off, sit:stand, sleep:wake, smile:frown, stop:go, catch:throw, teach:learn, ask:answer, lead:follow,
fill:empty, find:lose, save:spend, work:rest, help:hinder, speak:listen, live:die, rise:fall, grow:shrink, join:leave, lock:unlock, pack:unpack, tie:untie, dress:undress, wrap:unwrap, like:dislike,
agree:disagree, appear:disappear, obey:disobey, trust:distrust, connect:disconnect, allow:forbid, permit:prohibit, approve:disapprove, admit:deny, praise:blame, reward:punish, create:destroy,
expand:contract, include:exclude, import:export, inhale:exhale, ascend:descend, advance:retreat, arrest:release, attract:repel, bless:curse, capture:free, continue:stop, deposit:withdraw, encourage:discourage,
export:import, gain:loss, profit:loss, victory:defeat, arrival:departure, entrance:exit, beginning:ending, hope:despair, joy:sorrow, happiness:sadness, beauty:ugliness, strength:weakness, wealth:poverty,
youth:age, truth:lie, courage:fear, freedom:slavery, knowledge:ignorance, order:chaos, presence:absence, silence:noise, supply:demand, victory:defeat, light:dark, darkness:light, heat:cold, dawn:dusk,
spring:autumn, giant:dwarf, hero:villain, host:guest, teacher:student, doctor:patient, buyer:seller, winner:loser, leader:follower, master:servant, optimist:pessimist, amateur:professional, adult:child, parent:child,
ancestor:descendant, ally:enemy, predator:prey, genius:fool, expert:beginner, native:foreigner, majority:minority, plus:minus, floor:ceiling, roof:floor, head:tail, surface:depth, left:right, mountain:valley, city:countryside,
desert:swamp, able:unable, certain:uncertain, clear:unclear, comfortable:uncomfortable, common:rare, usual:unusual, familiar:strange, fair:unfair, friendly:unfriendly, healthy:sick, well:ill, helpful:unhelpful, honest:dishonest,
important:unimportant, interesting:boring, exciting:dull, legal:illegal, likely:unlikely, logical:illogical, lucky:unlucky, mature:immature, natural:artificial, necessary:unnecessary, normal:abnormal, pleasant:unpleasant,
popular:unpopular, practical:impractical, perfect:imperfect, pure:impure, rational:irrational, regular:irregular, relevant:irrelevant, responsible:irresponsible, similar:different, same:different, stable:unstable, tidy:messy,
usual:unusual, useful:useless, hopeful:hopeless, harmless:harmful, painful:painless, fearless:fearful, powerful:powerless, thoughtful:thoughtless, meaningful:meaningless, valuable:worthless, willing:unwilling, complete:incomplete,
correct:incorrect, direct:indirect, formal:informal, dependent:independent, sane:insane, secure:insecure, sufficient:insufficient, accurate:inaccurate, active:passive, adequate:inadequate, aware:unaware, equal:unequal, even:uneven,
even:odd, fortunate:unfortunate, grateful:ungrateful, married:single, known:unknown, limited:unlimited, related:unrelated, reliable:unreliable, sober:drunk, solid:liquid, special:ordinary, straight:crooked, strict:lenient, sunny:cloudy,
warm:cool, hungry:full, tame:wild, temporary:permanent, tired:rested, tender:tough, transparent:opaque, upper:lower, inner:outer, urban:rural, vague:precise, vertical:horizontal,
violent:peaceful, wild:tame, modest:boastful, merry:gloomy, cheerful:gloomy, nervous:calm, angry:calm, afraid:brave, bold:timid, shy:outgoing, clever:stupid, smart:stupid, intelligent:stupid, funny:serious, gentle:rough, fat:thin, large:small,
great:small, little:big, enormous:tiny, slim:fat, broad:narrow, steep:gentle, flat:hilly, round:square, curved:straight, bitter:sweet, spicy:mild, ripe:unripe, delicious:disgusting, tasty:tasteless, fragrant:smelly, shiny:dull, colorful:colorless, pale:dark,
busy:idle, crowded:empty, free:busy, available:unavailable, absent:present, ahead:behind, forward:backward, forwards:backwards, upstairs:downstairs, indoors:outdoors, northern:southern, eastern:western, clockwise:counterclockwise, often:rarely,
frequently:seldom, sometimes:never, quickly:slowly, loudly:quietly, well:badly, together:apart, with:without, for:against, to:from, toward:away from, up:down, all:none, everybody:nobody, everyone:no one, somebody:nobody, something:nothing,
everywhere:nowhere, most:least, best:worst, better:worse, bigger:smaller, older:younger, faster:slower, taller:shorter, higher:lower, earlier:later, former:latter, previous:next, final:initial, primary:secondary, positive:negative, superior:inferior,
senior:junior, internal:external, import:export, domestic:foreign, physical:mental, real:imaginary, fact:fiction, comedy:tragedy, poetry:prose, theory:practice, cause:effect, reason:result, problem:solution, success:failure, day:night, sky:ground, north:south,
minimum:maximum, exterior:interior, voluntary:compulsory, innocent:guilty, sharp:blunt, dull:sharp, blunt:sharp, awake:asleep, bent:straight, bumpy:smooth, cautious:reckless, complex:simple, confident:insecure, conscious:unconscious,
crazy:sane, damp:dry, elegant:clumsy, exact:approximate, famous:unknown, fierce:gentle, fragile:sturdy, genuine:fake, gigantic:tiny, glad:sad, greedy:generous, handsome:ugly, idle:busy, jealous:trusting, loyal:disloyal, mean:kind, naughty:good,
neat:messy, nice:nasty, obvious:hidden, plentiful:scarce, rapid:slow, rigid:flexible, rude:polite, secret:open, slim:fat, stingy:generous, stubborn:flexible, swift:slow, vacant:occupied, vast:tiny, wealthy:poor, whole:broken, hollow:solid, whisper:shout,
bring:take, sink:float, lengthen:shorten, strengthen:weaken, widen:narrow, tighten:loosen, heat:cool, speed up:slow down, turn on:turn off, wake up:fall asleep, get up:lie down, put on:take off, pick up:put down, go in:come out, cover:uncover, bury:dig up,
damage:repair, break:fix, separate:unite, divide:unite, defend:attack, demand:supply, empty:full, spend:save, succeed:fail, pass:fail, remain:leave, stay:go, stretch:shrink, surrender:resist, vanish:appear, emigrate:immigrate, innocent:guilty, lost:found""")]
for _a, _b in _PAIRS + [p[::-1] for p in _PAIRS]: OPP.setdefault(_a, _b)
PLUR = dict(x.split(':') for x in W("""cat:cats, dog:dogs, book:books, child:children, man:men, woman:women, foot:feet, tooth:teeth, mouse:mice, goose:geese, ox:oxen, person:people, leaf:leaves,
knife:knives, wolf:wolves, wife:wives, life:lives, shelf:shelves, half:halves, loaf:loaves, thief:thieves, box:boxes, fox:foxes, bus:buses, glass:glasses, dish:dishes, church:churches, watch:watches,
baby:babies, city:cities, lady:ladies, story:stories, party:parties, berry:berries, cherry:cherries, fly:flies, toy:toys, boy:boys, key:keys, day:days, potato:potatoes, tomato:tomatoes, hero:heroes,
piano:pianos, photo:photos, sheep:sheep, fish:fish, deer:deer, apple:apples, house:houses, horse:horses, tree:trees, cloud:clouds, river:rivers, brush:brushes, kiss:kisses, bench:benches, country:countries,
family:families, monkey:monkeys, cactus:cacti, crisis:crises, scarf:scarves, calf:calves, window:windows, chair:chairs, bird:birds, flower:flowers, puppy:puppies, peach:peaches, wish:wishes, bridge:bridges"""))
PAST = dict(x.split(':') for x in W("""go:went, eat:ate, see:saw, run:ran, take:took, give:gave, come:came, make:made, have:had, say:said, get:got, know:knew, think:thought, find:found, tell:told, feel:felt,
leave:left, bring:brought, begin:began, keep:kept, hold:held, write:wrote, stand:stood, hear:heard, meet:met, sit:sat, speak:spoke, read:read, spend:spent, grow:grew, lose:lost, fall:fell, send:sent,
build:built, drive:drove, break:broke, buy:bought, catch:caught, choose:chose, draw:drew, drink:drank, fly:flew, forget:forgot, freeze:froze, hide:hid, ride:rode, ring:rang, rise:rose, sell:sold, sing:sang,
sleep:slept, steal:stole, swim:swam, teach:taught, throw:threw, wake:woke, wear:wore, win:won, walk:walked, talk:talked, play:played, cook:cooked, dance:danced, jump:jumped, laugh:laughed, look:looked, open:opened,
paint:painted, plant:planted, rain:rained, smile:smiled, stop:stopped, study:studied, try:tried, visit:visited, wait:waited, wash:washed, work:worked, carry:carried, cry:cried, help:helped, like:liked, love:loved, move:moved"""))
SYN = dict(x.split(':') for x in W("""big:large, small:little, happy:glad, sad:unhappy, fast:quick, smart:clever, begin:start, end:finish, hard:difficult, easy:simple, angry:mad, scared:afraid, pretty:beautiful,
rich:wealthy, tired:sleepy, strange:odd, brave:courageous, quiet:silent, funny:amusing, kind:friendly, correct:right, sick:ill, speak:talk, look:watch, shut:close, gift:present, choose:pick, jump:leap, huge:enormous,
tiny:very small, wonderful:marvellous, terrible:awful, important:significant, nice:pleasant, help:assist, buy:purchase, answer:reply, shout:yell, cold:chilly, hungry:starving, dirty:filthy, wet:soaked, old:ancient,
calm:peaceful, delicious:tasty, road:street, house:home, child:kid, job:work, stone:rock, forest:woods, trip:journey, error:mistake, idea:thought, famous:well known, polite:courteous, strong:powerful, weak:feeble"""))
RHY = [W(x) for x in ["cat, hat, bat, mat, rat, sat", "day, play, say, way, May, stay, gray", "light, night, bright, sight, kite, white", "tree, sea, bee, me, free, key, three", "moon, spoon, soon, noon, tune",
 "star, car, far, jar", "rain, train, plane, lane, chain", "house, mouse, blouse", "book, look, cook, hook, took", "ball, tall, wall, fall, small, hall", "ring, sing, king, wing, spring, thing", "blue, shoe, two, new, you, true, zoo",
 "cake, lake, snake, make, take, wake", "boat, coat, goat, note, float", "snow, go, slow, grow, know, low, toe", "hand, sand, land, band, stand", "bed, red, head, bread, said", "dog, log, fog, frog", "bell, shell, well, tell, smell",
 "fish, dish, wish", "nose, rose, toes, goes, those", "rock, clock, sock, lock, block", "nest, best, rest, west, test", "pan, man, fan, can, van", "sun, fun, run, one, done", "dream, stream, team, cream", "hill, will, still, mill",
 "door, floor, more, four, shore", "fire, wire, tire, higher", "bear, chair, hair, pear, where, share"]]

# name | plural | group | young | sound | home | food | legs | fact
ANIMALS = [tuple(y.strip() for y in x.split('|')) for x in """dog|dogs|mammal|puppy|bark|in homes with people|meat and dog food|4|Dogs have an excellent sense of smell and are often called a person's best friend.
cat|cats|mammal|kitten|meow|in homes and on farms|meat, fish and mice|4|Cats sleep for many hours a day and can see well in dim light.
cow|cows|mammal|calf|moo|on farms|grass and hay|4|Cows give us milk, which is used to make butter and cheese.
horse|horses|mammal|foal|neigh|on farms and in stables|grass, hay and oats|4|Horses can run fast and can sleep standing up.
sheep|sheep|mammal|lamb|bleat|on farms and hills|grass|4|The thick coat of a sheep is called wool and is used for warm clothes.
goat|goats|mammal|kid|bleat|on farms and in the mountains|grass, leaves and shrubs|4|Goats are very good climbers.
pig|pigs|mammal|piglet|oink|on farms|grain, roots and vegetables|4|Pigs are clever animals and roll in mud to stay cool.
hen|hens|bird|chick|cluck|on farms|seeds, grain and insects|2|Hens lay eggs, often about one a day.
duck|ducks|bird|duckling|quack|near ponds and rivers|plants, seeds and small water animals|2|Ducks have webbed feet that help them swim.
goose|geese|bird|gosling|honk|near lakes and on farms|grass and grain|2|Many geese fly south in autumn in the shape of a letter V.
owl|owls|bird|owlet|hoot|in forests and barns|mice and other small animals|2|Owls hunt at night and can turn their heads very far around.
eagle|eagles|bird|eaglet|screech|in mountains and near lakes|fish and small animals|2|Eagles can see a small animal from very far away.
penguin|penguins|bird|chick|bray|on cold southern coasts, such as Antarctica|fish and krill|2|Penguins can't fly, but they are excellent swimmers.
parrot|parrots|bird|chick|squawk|in warm forests|seeds, nuts and fruit|2|Some parrots can copy human words.
swan|swans|bird|cygnet|hiss|on lakes and rivers|water plants|2|Swans have long curved necks and often stay with one partner.
ostrich|ostriches|bird|chick|boom|on the plains of Africa|plants and seeds|2|The ostrich is the largest bird. It can't fly, but it runs very fast.
lion|lions|mammal|cub|roar|on the grasslands of Africa|meat, such as zebra and antelope|4|Lions live in family groups called prides.
tiger|tigers|mammal|cub|roar|in the forests of Asia|meat, such as deer and wild pigs|4|The tiger is the biggest of the cats, and no two tigers have the same stripes.
elephant|elephants|mammal|calf|trumpet|in Africa and Asia|grass, leaves and fruit|4|The elephant is the largest land animal. It uses its trunk to drink, smell and pick things up.
giraffe|giraffes|mammal|calf|hum|on the grasslands of Africa|leaves from tall trees|4|The giraffe is the tallest animal in the world.
zebra|zebras|mammal|foal|bark|on the grasslands of Africa|grass|4|Every zebra has its own pattern of black and white stripes.
monkey|monkeys|mammal|infant|chatter|in warm forests|fruit, leaves and insects|4|Many monkeys use their long tails to hold on to branches.
bear|bears|mammal|cub|growl|in forests and mountains|fish, berries, honey and plants|4|Many bears sleep through the winter in a den.
wolf|wolves|mammal|pup|howl|in forests and mountains|deer and other animals|4|Wolves live and hunt in groups called packs.
fox|foxes|mammal|cub|bark|in woods, fields and even cities|mice, birds, berries and insects|4|Foxes have bushy tails and very good hearing.
rabbit|rabbits|mammal|kit|squeak|in burrows under the ground|grass, leaves and carrots|4|Rabbits have long ears and strong back legs for jumping.
mouse|mice|mammal|pup|squeak|in fields and houses|seeds, grain and crumbs|4|Mice are small and can squeeze through very tiny holes.
squirrel|squirrels|mammal|kit|chatter|in trees|nuts and seeds|4|Squirrels bury nuts so that they have food in winter.
hedgehog|hedgehogs|mammal|hoglet|snuffle|in gardens and hedges|insects, worms and snails|4|A hedgehog rolls into a spiky ball when it is afraid.
deer|deer|mammal|fawn|bellow|in forests and meadows|grass, leaves and twigs|4|Male deer grow new antlers every year.
kangaroo|kangaroos|mammal|joey|cough|in Australia|grass and leaves|4|A kangaroo carries its baby in a pouch and moves by hopping.
koala|koalas|mammal|joey|grunt|in Australia|eucalyptus leaves|4|Koalas sleep up to twenty hours a day.
panda|pandas|mammal|cub|bleat|in the mountains of China|bamboo|4|Pandas spend most of the day eating bamboo.
camel|camels|mammal|calf|grumble|in deserts|dry grass and desert plants|4|Camels store fat in their humps and can go a long time without water.
hippo|hippos|mammal|calf|grunt|in rivers and lakes in Africa|grass|4|Hippos spend the hot day in the water and come out to eat at night.
bat|bats|mammal|pup|squeak|in caves, trees and old buildings|insects or fruit|2|Bats are the only mammals that can truly fly.
dolphin|dolphins|mammal|calf|click and whistle|in the sea|fish and squid|0|Dolphins are clever, breathe air and live in groups called pods.
whale|whales|mammal|calf|sing|in the ocean|krill, fish or squid|0|The blue whale is the largest animal that has ever lived.
seal|seals|mammal|pup|bark|in the sea and on cold coasts|fish|0|Seals have a thick layer of fat that keeps them warm.
shark|sharks|fish|pup|make no sound|in the sea|fish and other sea animals|0|Sharks lose and grow new teeth all their lives.
octopus|octopuses|mollusc|larva|make no sound|in the sea|crabs, clams and fish|0|An octopus has eight arms, three hearts and blue blood.
crab|crabs|crustacean|larva|click|on the sea floor and on beaches|plants and small animals|10|Crabs have a hard shell and walk sideways.
frog|frogs|amphibian|tadpole|croak|near ponds and streams|insects and worms|4|Frogs start life as tadpoles in water and breathe partly through their skin.
snake|snakes|reptile|snakelet|hiss|in forests, deserts and fields|mice, eggs and other small animals|0|Snakes smell with their tongues and have no legs.
turtle|turtles|reptile|hatchling|make almost no sound|in the sea and in ponds|plants, jellyfish and small animals|4|Turtles carry a hard shell and can live for many years.
crocodile|crocodiles|reptile|hatchling|growl|in warm rivers and swamps|fish and other animals|4|Crocodiles have lived on Earth since the time of the dinosaurs.
lizard|lizards|reptile|hatchling|hiss|in warm, dry places|insects|4|Many lizards can drop their tail to escape and grow a new one.
bee|bees|insect|larva|buzz|in hives|nectar and pollen|6|Bees make honey and help flowers make seeds.
ant|ants|insect|larva|make almost no sound|in nests under the ground|seeds, insects and sweet things|6|An ant can carry many times its own weight.
butterfly|butterflies|insect|caterpillar|make no sound|in gardens and meadows|nectar from flowers|6|A caterpillar changes into a butterfly inside a chrysalis.
spider|spiders|arachnid|spiderling|make almost no sound|in webs, gardens and houses|insects|8|Spiders spin silk, and they are not insects because they have eight legs.
snail|snails|mollusc|baby snail|make no sound|in damp gardens|leaves and plants|0|A snail carries its shell on its back and moves very slowly.
earthworm|earthworms|worm|baby worm|make no sound|in the soil|dead leaves and soil|0|Earthworms make the soil better for plants.""".split('\n')]
SIZE = W("ant, bee, snail, mouse, frog, hedgehog, rabbit, cat, fox, goose, dog, sheep, pig, wolf, lion, horse, cow, hippo, elephant, whale")

# thing | used for (verb phrase) | made of | kept where
OBJECTS = [tuple(y.strip() for y in x.split('|')) for x in """hammer|hit nails|wood and metal|in a toolbox
saw|cut wood|steel with a handle|in a workshop
spoon|eat soup or stir things|metal or wood|in the kitchen
knife|cut food|steel|in the kitchen
kettle|boil water|metal or plastic|in the kitchen
oven|bake and roast food|metal|in the kitchen
fridge|keep food cold|metal and plastic|in the kitchen
umbrella|stay dry in the rain|cloth and metal|by the front door
ladder|reach high places|wood or metal|in the garage
broom|sweep the floor|a long stick and bristles|in a cupboard
needle|sew cloth|steel|in a sewing box
scissors|cut paper or cloth|metal and plastic|in a drawer
pencil|write and draw|wood and graphite|on a desk
pen|write with ink|plastic or metal|on a desk
eraser|remove pencil marks|rubber|in a pencil case
ruler|measure short lengths and draw straight lines|plastic or wood|on a desk
book|read stories or learn things|paper|on a shelf
map|find your way|paper|in a bag or a car
compass|find north|metal and glass|in a backpack
telescope|look at the stars|glass lenses and metal|by a window or in an observatory
microscope|look at very small things|glass lenses and metal|in a laboratory
clock|tell the time|metal, wood or plastic|on the wall
calendar|keep track of the days|paper|on the wall
candle|give light|wax and a wick|on a table
lamp|light a room|metal and glass|on a table
mirror|see yourself|glass|in the bathroom
towel|dry yourself|cotton|in the bathroom
toothbrush|clean your teeth|plastic|in the bathroom
soap|wash your hands|fats and oils|in the bathroom
comb|tidy your hair|plastic|in the bathroom
pillow|rest your head on|cloth and feathers or foam|on a bed
blanket|keep warm in bed|wool or cotton|on a bed
backpack|carry things on your back|cloth|in the hall
wallet|carry money and cards|leather|in a pocket
key|open a lock|metal|in a pocket
bicycle|ride from place to place|metal and rubber|in a shed
tent|sleep outdoors|cloth and poles|on a campsite
rope|tie or pull things|twisted fibres|in a shed
bucket|carry water|plastic or metal|in a shed
shovel|dig holes|wood and metal|in a garden shed
rake|gather leaves|wood and metal|in a garden shed
wheelbarrow|carry heavy loads in the garden|metal and a wheel|in the garden
thermometer|measure temperature|glass or plastic|on a wall or in a medicine box
camera|take pictures|metal, plastic and glass|in a bag
phone|call and write to people|glass, metal and plastic|in a pocket
computer|write, calculate and look things up|metal, plastic and silicon chips|on a desk
printer|put text and pictures on paper|plastic and metal|in an office
keyboard|type letters into a computer|plastic|on a desk
battery|store electricity|metals and chemicals|inside a torch or a toy
torch|see in the dark|plastic and metal|in a drawer
whistle|make a loud sound|metal or plastic|around a coach's neck
drum|make a beat|wood and skin or plastic|in a music room
kite|fly in the wind|paper or cloth and string|in a toy box
wheel|let things roll|rubber and metal|on a car or a cart
anchor|keep a ship in one place|iron|on a ship
parachute|fall slowly from the sky|light, strong cloth|on a plane
helmet|protect your head|hard plastic and foam|near your bicycle
scale|weigh things|metal or plastic|in the kitchen
sponge|wipe and wash things|soft plastic foam|by the sink
basket|carry fruit or shopping|woven twigs|in the kitchen
net|catch fish|knotted string|on a boat
paintbrush|paint pictures or walls|wood and bristles|in a paint box
glue|stick things together|a sticky mixture|in a craft box
zip|close a jacket or a bag|metal or plastic teeth|on clothes
bell|call people or give a signal|metal|in a tower or on a door""".split('\n')]
# job | what they do | where they work
JOBS = [tuple(y.strip() for y in x.split('|')) for x in """teacher|helps students learn|in a school
nurse|cares for sick people|in a hospital
doctor|treats people who are ill|in a hospital or a clinic
baker|makes bread and cakes|in a bakery
farmer|grows crops and raises animals|on a farm
pilot|flies planes|in an aircraft
carpenter|makes things from wood|in a workshop
plumber|fixes pipes and taps|in people's homes
electrician|installs and repairs wiring|in buildings
librarian|looks after books and helps readers|in a library
dentist|takes care of teeth|in a dental clinic
vet|treats sick animals|in an animal clinic
firefighter|puts out fires and rescues people|at a fire station
police officer|keeps people safe and enforces the law|in a town or city
chef|cooks meals|in a restaurant kitchen
waiter|serves food and drinks|in a restaurant
tailor|makes and mends clothes|in a shop
mechanic|repairs cars and machines|in a garage
postman|delivers letters and parcels|along the streets of a town
gardener|plants and looks after gardens|in parks and gardens
astronaut|travels and works in space|on a spacecraft
scientist|studies how the world works|in a laboratory
engineer|designs and builds machines or structures|in an office or on a site
architect|designs buildings|in an office
journalist|finds and writes news|for a newspaper or website
author|writes books|at a desk
musician|plays music|on a stage or in a studio
painter|paints pictures or walls|in a studio or in houses
actor|plays roles in plays and films|in a theatre or on a film set
lawyer|gives advice about the law|in an office or a court
judge|decides cases in court|in a courtroom
sailor|works on a ship|at sea
fisherman|catches fish|on a boat
miner|digs minerals out of the ground|in a mine
barber|cuts hair|in a barber shop
photographer|takes pictures|in a studio or outdoors
programmer|writes computer programs|at a computer
accountant|keeps track of money|in an office
butcher|prepares and sells meat|in a butcher's shop
florist|sells flowers|in a flower shop
shepherd|looks after sheep|in the hills
potter|makes pots from clay|in a pottery
blacksmith|shapes hot iron|in a forge
astronomer|studies stars and planets|in an observatory
geologist|studies rocks|outdoors and in a laboratory
biologist|studies living things|in nature and in a laboratory
historian|studies the past|in archives and libraries
translator|turns text from one language into another|in an office or at home
optician|tests eyes and sells glasses|in an optician's shop
lifeguard|watches swimmers and helps them|at a beach or a pool""".split('\n')]
PLANETS = [("Mercury", "first", "the smallest planet and the closest one to the Sun", "no moons"), ("Venus", "second", "the hottest planet, wrapped in thick clouds", "no moons"),
 ("Earth", "third", "our home, the only planet known to have life", "one moon"), ("Mars", "fourth", "called the red planet because of its rusty soil", "two small moons"),
 ("Jupiter", "fifth", "the largest planet, a giant ball of gas with a great red spot", "many moons, including four big ones"),
 ("Saturn", "sixth", "famous for its bright rings of ice and rock", "many moons, the largest is Titan"),
 ("Uranus", "seventh", "a cold ice giant that spins on its side", "at least 27 known moons"), ("Neptune", "eighth", "a windy blue ice giant, the farthest planet from the Sun", "at least 14 known moons")]
ELEMENTS = dict(x.split(':') for x in W("hydrogen:H, helium:He, carbon:C, nitrogen:N, oxygen:O, sodium:Na, iron:Fe, gold:Au, silver:Ag, copper:Cu, lead:Pb, tin:Sn, calcium:Ca, potassium:K, chlorine:Cl, zinc:Zn, neon:Ne, sulfur:S, mercury:Hg, aluminium:Al"))
# question variants | answer | short
QA = [x.split('|') for x in """What is the largest ocean?;Which ocean is the biggest?;biggest ocean in the world|The largest ocean is the Pacific Ocean.|The Pacific Ocean.
What is the tallest mountain?;What is the highest mountain on Earth?;Which mountain is the highest?|The highest mountain on Earth is Mount Everest, in the Himalayas.|Mount Everest.
What is the longest river?;Which river is the longest in the world?|The Nile, in Africa, is usually called the longest river in the world.|The Nile.
How many days are in a year?;How many days does a year have?|A year has 365 days, and a leap year has 366.|365.
How many hours are in a day?;How many hours does a day have?|There are 24 hours in a day.|24.
How many minutes are in an hour?|There are 60 minutes in an hour.|60.
How many seconds are in a minute?|There are 60 seconds in a minute.|60.
How many days are in a week?|There are seven days in a week.|Seven.
How many months are in a year?|There are twelve months in a year.|Twelve.
How many weeks are in a year?|There are 52 weeks in a year.|52.
How many letters are in the English alphabet?;How many letters does the alphabet have?|The English alphabet has 26 letters.|26.
How many continents are there?|There are seven continents: Africa, Asia, Europe, North America, South America, Australia and Antarctica.|Seven.
How many planets are in the solar system?;How many planets are there?|There are eight planets in the solar system.|Eight.
What is water made of?;What is water made from?|Water is made of hydrogen and oxygen. Its formula is H2O.|Hydrogen and oxygen.
At what temperature does water boil?;When does water boil?|Water boils at 100 degrees Celsius at sea level.|100 degrees Celsius.
At what temperature does water freeze?;When does water freeze?|Water freezes at 0 degrees Celsius.|0 degrees Celsius.
Why is the sky blue?;What makes the sky blue?;why does the sky look blue|The sky looks blue because air scatters blue light from the Sun more than red light.|Air scatters blue light the most.
Why do we sleep?;Why do people need sleep?|We sleep so that the body can rest and repair itself and the brain can sort out what it has learned.|To rest and recover.
Why do leaves fall in autumn?;Why do trees lose their leaves?|Trees drop their leaves in autumn to save water and energy during the cold, dark months.|To save water and energy.
What is the Sun?|The Sun is a star at the centre of our solar system. It gives us light and heat.|A star.
What is the Moon?|The Moon is a ball of rock that travels around the Earth about once a month.|Earth's natural satellite.
What is a star?|A star is a huge ball of very hot gas that gives off light and heat.|A huge ball of hot, glowing gas.
What is gravity?;Can you explain gravity?|Gravity is the force that pulls things toward each other. It keeps us on the ground and the planets in their orbits.|The force that pulls things together.
What is a rainbow?;How does a rainbow form?|A rainbow appears when sunlight passes through drops of water and splits into its colours.|Sunlight split into colours by water drops.
What causes rain?;Why does it rain?;How does rain form?|Rain forms when water vapour cools into tiny drops in clouds. When the drops grow heavy, they fall.|Water drops in clouds that grow heavy and fall.
What causes thunder?;What is thunder?|Thunder is the sound made when lightning heats the air so quickly that it expands with a bang.|Air heated quickly by lightning.
What is snow?;How does snow form?|Snow is made of tiny ice crystals that form in cold clouds and fall to the ground.|Frozen ice crystals from clouds.
What do plants need to grow?;What do plants need?|Plants need light, water, air and minerals from the soil to grow.|Light, water, air and minerals.
What is photosynthesis?|Photosynthesis is how plants use sunlight to make food from water and carbon dioxide.|How plants make food from light.
What do bees make?;What does a bee make?|Bees make honey and wax.|Honey and wax.
Where does milk come from?|Milk comes from mammals. The milk we drink mostly comes from cows.|Mostly from cows.
What is bread made of?;What is bread made from?|Bread is usually made of flour, water, yeast and a little salt.|Flour, water, yeast and salt.
What is cheese made from?;What is cheese made of?|Cheese is made from milk.|Milk.
What is paper made from?;What is paper made of?|Paper is mostly made from wood fibres.|Wood fibres.
What is glass made from?;What is glass made of?|Glass is made by melting sand at a very high temperature.|Melted sand.
Who wrote Romeo and Juliet?;Who is the author of Romeo and Juliet?|Romeo and Juliet was written by William Shakespeare.|William Shakespeare.
Who wrote Hamlet?|Hamlet was written by William Shakespeare.|William Shakespeare.
Who wrote Alice in Wonderland?;Who wrote Alice's Adventures in Wonderland?|Alice's Adventures in Wonderland was written by Lewis Carroll.|Lewis Carroll.
Who wrote Sherlock Holmes?;Who created Sherlock Holmes?|Sherlock Holmes was created by Arthur Conan Doyle.|Arthur Conan Doyle.
Who wrote Pride and Prejudice?|Pride and Prejudice was written by Jane Austen.|Jane Austen.
Who painted the Mona Lisa?|The Mona Lisa was painted by Leonardo da Vinci.|Leonardo da Vinci.
Who was Albert Einstein?;Who is Albert Einstein?;Tell me about Einstein.|Albert Einstein was a physicist born in Germany who is famous for the theory of relativity.|A physicist known for relativity.
Who was Isaac Newton?;Who is Isaac Newton?|Isaac Newton was an English scientist who described gravity and the laws of motion.|A scientist who described gravity.
Who was Marie Curie?;Who is Marie Curie?|Marie Curie was a scientist who studied radioactivity and won two Nobel Prizes.|A scientist who studied radioactivity.
Who was Charles Darwin?;Who is Charles Darwin?|Charles Darwin was an English naturalist who explained evolution by natural selection.|A naturalist who explained evolution.
Who was William Shakespeare?;Who is Shakespeare?|William Shakespeare was an English writer of plays and poems who lived about 400 years ago.|An English playwright and poet.
Who was Mozart?;Who is Mozart?|Wolfgang Amadeus Mozart was a composer from Salzburg, Austria, who wrote more than 600 pieces of music.|A composer from Austria.
Who was the first person on the Moon?;Who walked on the Moon first?|The first person on the Moon was Neil Armstrong, in 1969.|Neil Armstrong.
What is the speed of light?;How fast is light?|Light travels at about 300,000 kilometres per second.|About 300,000 km per second.
How far away is the Sun?;How far is the Sun from Earth?|The Sun is about 150 million kilometres from the Earth.|About 150 million kilometres.
How far away is the Moon?;How far is the Moon from Earth?|The Moon is about 384,000 kilometres from the Earth.|About 384,000 kilometres.
How many legs does a spider have?|A spider has eight legs.|Eight.
How many legs does an insect have?;How many legs do insects have?|Insects have six legs.|Six.
How many bones are in the human body?;How many bones do people have?|An adult human has 206 bones.|206.
What does the heart do?;What is the heart for?|The heart pumps blood around the body.|It pumps blood.
What do the lungs do?;What are lungs for?|The lungs take in oxygen from the air and get rid of carbon dioxide.|They take in oxygen.
What does the brain do?;What is the brain for?|The brain controls the body and lets us think, feel and remember.|It controls the body and lets us think.
What is the largest animal?;Which animal is the biggest?|The largest animal is the blue whale.|The blue whale.
What is the fastest land animal?;Which land animal is the fastest?|The fastest land animal is the cheetah.|The cheetah.
What is the tallest animal?;Which animal is the tallest?|The tallest animal is the giraffe.|The giraffe.
What is the largest planet?;Which planet is the biggest?|The largest planet is Jupiter.|Jupiter.
What is the smallest planet?;Which planet is the smallest?|The smallest planet is Mercury.|Mercury.
Which planet is known for its rings?|Saturn is known for its rings.|Saturn.
Which planet is closest to the Sun?|Mercury is the planet closest to the Sun.|Mercury.
What is the hardest natural material?|Diamond is the hardest natural material.|Diamond.
What colour do you get when you mix blue and yellow?;What do blue and yellow make?|Blue and yellow make green.|Green.
What colour do you get when you mix red and yellow?;What do red and yellow make?|Red and yellow make orange.|Orange.
What colour do you get when you mix red and blue?;What do red and blue make?|Red and blue make purple.|Purple.
What colour do you get when you mix red and white?;What do red and white make?|Red and white make pink.|Pink.
What colour do you get when you mix black and white?;What do black and white make?|Black and white make grey.|Grey.
What colours are in a rainbow?;What are the colours of the rainbow?|The colours of the rainbow are red, orange, yellow, green, blue, indigo and violet.|Red, orange, yellow, green, blue, indigo and violet.
What are the four seasons?;What are the seasons?|The four seasons are spring, summer, autumn and winter.|Spring, summer, autumn and winter.
What are the days of the week?;Name the days of the week.|The days of the week are Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday.|Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday.
What are the months of the year?;Name the months of the year.|The months are January, February, March, April, May, June, July, August, September, October, November and December.|January to December.
What are the vowels?;Which letters are vowels?|The vowels are a, e, i, o and u, and sometimes y.|A, e, i, o and u.
What is a noun?|A noun is a word for a person, a place, a thing or an idea, such as "dog" or "city".|A word for a person, place, thing or idea.
What is a verb?|A verb is a word for an action or a state, such as "run" or "be".|A word for an action or a state.
What is an adjective?|An adjective is a word that describes a noun, such as "red" or "happy".|A word that describes a noun.
What is an adverb?|An adverb is a word that describes a verb, an adjective or another adverb, such as "quickly".|A word that describes a verb.
What is a computer?|A computer is a machine that follows instructions to store, change and show information.|A machine that processes information.
What is the internet?;How would you explain the internet?|The internet is a worldwide network that lets computers send information to each other.|A worldwide network of computers.
What is a program?;What is a computer program?|A program is a list of instructions that tells a computer what to do.|Instructions for a computer.
What is a language model?;What is an LLM?|A language model is a program that has learned from text to guess which words come next. I am a very small one.|A program that predicts words.
What is electricity?|Electricity is the flow of tiny charged particles called electrons. It powers lights and machines.|The flow of electrons.
What is a volcano?|A volcano is an opening in the ground where melted rock, ash and gas come out.|An opening where melted rock comes out.
What is an earthquake?;What causes earthquakes?|An earthquake is a shaking of the ground caused by large pieces of the Earth's crust moving.|Shaking of the ground.
What is a desert?|A desert is a very dry place where little rain falls.|A very dry place.
What is an island?|An island is a piece of land with water all around it.|Land surrounded by water.
What is a river?|A river is a long stream of fresh water that flows to a lake or the sea.|Flowing fresh water.
What is a mountain?|A mountain is a very high part of the land, higher and steeper than a hill.|Very high land.
What is a forest?|A forest is a large area covered with trees.|A large area of trees.
What is the opposite of war?|The opposite of war is peace.|Peace.
What shape has three sides?;Which shape has three sides?|A triangle has three sides.|A triangle.
What shape has four equal sides?|A square has four equal sides.|A square.
How many sides does a hexagon have?|A hexagon has six sides.|Six.
How many sides does a triangle have?|A triangle has three sides.|Three.
How many centimetres are in a metre?;How many cm are in a metre?|There are 100 centimetres in a metre.|100.
How many metres are in a kilometre?|There are 1,000 metres in a kilometre.|1,000.
How many grams are in a kilogram?|There are 1,000 grams in a kilogram.|1,000.
What language do people speak in Brazil?;What do people speak in Brazil?|People in Brazil speak Portuguese.|Portuguese.
What is the currency of Japan?;What money do they use in Japan?|The currency of Japan is the yen.|The yen.
What is the currency of the United Kingdom?|The currency of the United Kingdom is the pound sterling.|The pound.
Is a tomato a fruit?;Is tomato a fruit or a vegetable?|A tomato is a fruit to a botanist, but cooks use it as a vegetable.|A fruit, botanically.
Is a whale a fish?|No, a whale is a mammal. It breathes air and feeds its young with milk.|No, it is a mammal.
Is a bat a bird?|No, a bat is a mammal that can fly.|No, it is a mammal.
Is a spider an insect?|No, a spider is an arachnid. It has eight legs, and insects have six.|No, it is an arachnid.
Can penguins fly?|No, penguins can't fly, but they swim very well.|No.
Do fish sleep?|Yes, most fish rest, although they don't close their eyes.|Yes, in a way.
Is the Earth flat?;Is the Earth round?|The Earth is round, almost like a ball.|It is round.
Does the Sun go around the Earth?|No, the Earth goes around the Sun once a year.|No, the Earth goes around the Sun.""".split('\n')]
JOKES = [x.split('|') for x in """Why did the bicycle fall over?|Because it was two-tired.
What do you call a bear with no teeth?|A gummy bear.
Why can't your nose be twelve inches long?|Because then it would be a foot.
What do you call cheese that isn't yours?|Nacho cheese.
Why did the scarecrow win a prize?|Because he was outstanding in his field.
What has hands but can't clap?|A clock.
Why was the maths book sad?|It had too many problems.
What do you call a sleeping dinosaur?|A dino-snore.
Why did the cookie go to the doctor?|Because it felt crumby.
What did one wall say to the other?|I'll meet you at the corner.
Why don't eggs tell jokes?|They would crack each other up.
What do you get when you cross a snowman and a dog?|Frostbite.
Why did the tomato turn red?|Because it saw the salad dressing.
What kind of tree fits in your hand?|A palm tree.
How does the ocean say hello?|It waves.
Why did the computer go to the doctor?|It had a virus.
What do you call a fish without an eye?|A fsh.
Why are ghosts bad at lying?|You can see right through them.
What is a cat's favourite colour?|Purrple.
Why did the chicken join a band?|It had the drumsticks.
What do clouds wear under their clothes?|Thunderwear.
Why was six afraid of seven?|Because seven ate nine.
How do you make a tissue dance?|Put a little boogie in it.
What do you call a pile of cats?|A meow-ntain.
What did the zero say to the eight?|Nice belt.
Why do bees have sticky hair?|Because they use honeycombs.
What building has the most stories?|The library.
What gets wetter the more it dries?|A towel.
Why did the student eat his homework?|The teacher said it was a piece of cake.
What kind of shoes do spies wear?|Sneakers.""".split('\n')]
RIDDLES = [x.split('|') for x in """What has keys but can't open locks?|A piano.
What has a neck but no head?|A bottle.
What goes up but never comes down?|Your age.
What has to be broken before you can use it?|An egg.
What has one eye but can't see?|A needle.
What is full of holes but still holds water?|A sponge.
What has legs but can't walk?|A table.
What runs but never walks?|A river.
What can travel around the world while staying in a corner?|A stamp.
What has many teeth but can't bite?|A comb.
What has words but never speaks?|A book.
What belongs to you but is used more by others?|Your name.
What gets bigger the more you take away?|A hole.
What comes once in a minute, twice in a moment, but never in a thousand years?|The letter M.
What has a face and two hands but no arms or legs?|A clock.
What can you catch but not throw?|A cold.""".split('\n')]
