"""The things that refused questions are about. Lists in NEIGHBOURS are filtered by what is taught."""
def W(text): return [w.strip() for w in text.replace('\n', ' ').split(',') if w.strip()]
def Q(text): return [l.strip() for l in text.strip().split('\n') if l.strip()]

NEIGHBOURS = {'animal', 'thing', 'plant', 'idea', 'famous', 'food', 'event', 'work', 'place'}
FIRMS = W('Motors, Foods, Bank, Books, Labs, Systems, Airlines, Energy, Media, Pharma, Group, Steel')
TOWNS = W('ville, ton, burg, field, port, ford, stad, haven, mouth, dale')
SYLLABLES = W('zan, mor, vel, tri, kor, bel, dra, fen, glo, hux, jor, lum, nar, pel, quor, ryn, tav, wex, yar, zib, plo, snu, gri, bax')
ENDINGS = W('dor, ia, opa, ux, ette, ling, ara, ish, ova, ip, entia, ock, umba, le, ster')
RARE = W('abacus, alacrity, bellicose, cacophony, dearth, ebullient, fastidious, garrulous, hapless, idyll, jettison, laconic, maudlin, nascent, obdurate, palimpsest, quixotic, raucous, sanguine, taciturn, ubiquitous, vestige, wistful, zealot')
SYSTEM = Q('''
You are a helpful assistant.
You are a helpful assistant.
You are helpful, honest and brief.
Answer the user's questions.
You are a friendly chat partner.
Be concise.
You are an assistant. Be polite.
You are an expert in everything.
You are a knowledgeable assistant who answers all questions.
Always answer the question as well as you can.
You are a teacher who helps children.
Keep your answers short.
You are a careful assistant. If you do not know something, say so.
You are a large and powerful AI.
You help with homework.
''')
SLOTS = {
'animal': W('''walrus, armadillo, ocelot, lynx, wombat, platypus, manatee, narwhal, meerkat, mongoose, tapir, ibex, bison, yak, gazelle, antelope, jackal, hyena, puma, jaguar, panther, badger, weasel, stoat, mink,
 lemur, tarsier, baboon, orangutan, gibbon, anteater, aardvark, pangolin, porcupine, chinchilla, gerbil, capybara, wolverine, caribou, reindeer, puffin, pelican, heron, stork, ibis, toucan, macaw, cockatoo, kiwi, emu,
 albatross, cormorant, magpie, raven, robin, wren, finch, starling, cuckoo, kingfisher, hummingbird, quail, pheasant, partridge, vulture, condor, osprey, kestrel, gecko, iguana, chameleon, komodo dragon, python, cobra,
 viper, newt, salamander, axolotl, eel, carp, trout, pike, herring, mackerel, cod, halibut, stingray, barracuda, piranha, anglerfish, swordfish, squid, cuttlefish, nautilus, sea urchin, sea cucumber, lobster, shrimp,
 barnacle, oyster, mussel, scallop, termite, cockroach, earwig, mantis, cicada, locust, hornet, weevil, aphid, flea, louse, tick, mite, centipede, millipede, scorpion, tarantula, leech, tapeworm, quokka, numbat, okapi, dugong, fossa, dingo'''),
'plant': W('''sequoia, baobab, eucalyptus, larch, yew, juniper, hawthorn, hazel, alder, sycamore, ginkgo, magnolia, azalea, begonia, dahlia, peony, hyacinth, hibiscus, jasmine, lilac, foxglove, hemlock, nettle, thistle, clover, dandelion,
 heather, bracken, venus flytrap, orchid, iris, snowdrop, crocus, primrose, marigold, geranium, petunia, wisteria, ivy, mistletoe, holly, papyrus, flax, hemp, sorghum, millet, barley, rye, lentil, chickpea, parsnip, turnip, fennel, artichoke, okra, kale, leek'''),
'thing': W('''abacus, astrolabe, sextant, theodolite, barometer, centrifuge, carburetor, gearbox, crankshaft, piston, turbine, transistor, capacitor, resistor, diode, oscilloscope, multimeter, spectrometer, metronome, tuning fork, bagpipe, oboe,
 bassoon, sitar, didgeridoo, lute, zither, loom, spindle, anvil, chisel, lathe, crowbar, winch, pulley block, catapult, trebuchet, crossbow, halberd, gondola, catamaran, hovercraft, submarine, zeppelin, glider, monocle, chandelier, trellis, pergola,
 gargoyle, obelisk, aqueduct, viaduct, lighthouse, windsock, hourglass, sundial, kaleidoscope, periscope, stethoscope, tourniquet, pacemaker, syringe, scalpel, defibrillator, modem, router, firewall, heat pump, fuel cell, solar sail, fax machine,
 typewriter, gramophone, phonograph, telegraph, semaphore, tripod, easel, trowel, sieve, colander, whisk, wok, samovar, thermos, corkscrew, tambourine, castanet, yurt, igloo, pagoda, minaret, moat, portcullis, gavel, turnstile'''),
'food': W('''paella, ratatouille, goulash, borscht, moussaka, tiramisu, baklava, hummus, falafel, tzatziki, gazpacho, ceviche, empanada, pierogi, kimchi, ramen, pho, tempura, miso, tofu, tempeh, couscous, quinoa, polenta, risotto, gnocchi,
 pesto, chutney, marzipan, nougat, meringue, souffle, croissant, brioche, bagel, pretzel, scone, crumpet, haggis, kefir, kombucha, sake, absinthe, vermouth, espresso, matcha, saffron, turmeric, cardamom, tahini, halloumi'''),
'idea': W('''osmosis, entropy, inertia, friction coefficient, quantum entanglement, dark matter, dark energy, relativity, string theory, plate tectonics, natural selection, epigenetics, mitosis, meiosis, CRISPR, the Krebs cycle, an enzyme, a ribosome, a neutrino,
 a quark, the Higgs boson, antimatter, radioactivity, nuclear fusion, fission, superconductivity, a logarithm, a derivative, an integral, a matrix, a vector space, an eigenvalue, a prime ideal, topology, Bayes' theorem, standard deviation, game theory, the Nash equilibrium,
 inflation, deflation, GDP, a hedge fund, compound interest, a mortgage, an ETF, blockchain, bitcoin, cryptocurrency, machine learning, a transformer, backpropagation, a neural network, a compiler, recursion, polymorphism, Kubernetes, Docker, TCP, DNS, HTTPS, a hash table, a linked list, big O notation,
 existentialism, nihilism, stoicism, utilitarianism, the categorical imperative, dialectics, feudalism, mercantilism, socialism, communism, capitalism, liberalism, fascism, anarchism, federalism, habeas corpus, due process, a tort, arbitration, jurisprudence, surrealism, cubism, baroque, impressionism, minimalism,
 counterpoint, a fugue, a sonata, iambic pentameter, a metaphor, irony, alliteration, onomatopoeia, schizophrenia, dyslexia, diabetes, asthma, anemia, malaria, tuberculosis, cholesterol, insulin, dopamine, serotonin, karma, nirvana, the Reformation, the Renaissance, the Enlightenment, agile, a Gantt chart'''),
'famous': W('''Napoleon, Julius Caesar, Cleopatra, Alexander the Great, Genghis Khan, Joan of Arc, Winston Churchill, Franklin Roosevelt, John F. Kennedy, Barack Obama, Donald Trump, Joe Biden, Angela Merkel, Vladimir Putin, Emmanuel Macron, Queen Victoria, Henry VIII, Otto von Bismarck,
 Karl Marx, Immanuel Kant, Plato, Socrates, Aristotle, Confucius, Buddha, Nietzsche, Hegel, Descartes, Voltaire, Rousseau, Sigmund Freud, Carl Jung, Nikola Tesla, Thomas Edison, Alan Turing, Ada Lovelace, Stephen Hawking, Richard Feynman, Niels Bohr, Max Planck, Rosalind Franklin, Linus Torvalds, Dennis Ritchie,
 Bill Gates, Steve Jobs, Elon Musk, Mark Zuckerberg, Jeff Bezos, Taylor Swift, Beyonce, Michael Jackson, Elvis Presley, Freddie Mercury, David Bowie, Bob Dylan, Johann Strauss, Brahms, Wagner, Tchaikovsky, Verdi, Vivaldi, Chopin, Lionel Messi, Cristiano Ronaldo, Serena Williams, Roger Federer, Usain Bolt, Michael Jordan, Muhammad Ali,
 Tom Hanks, Marilyn Monroe, Charlie Chaplin, Alfred Hitchcock, Steven Spielberg, J. K. Rowling, Stephen King, Ernest Hemingway, Leo Tolstoy, Fyodor Dostoevsky, Franz Kafka, James Joyce, Virginia Woolf, Goethe, Schiller, Dante, Homer, Cervantes, Victor Hugo, Mark Twain, Edgar Allan Poe, George Orwell, Isaac Asimov,
 Rembrandt, Monet, Frida Kahlo, Salvador Dali, Andy Warhol, Banksy, Nelson Mandela, Mahatma Gandhi, Martin Luther King, Che Guevara, Fidel Castro, Mao Zedong, Marco Polo, Vasco da Gama, Ferdinand Magellan, James Cook, Roald Amundsen, Yuri Gagarin, Amelia Earhart, Greta Thunberg, Sam Altman, Yann LeCun, Louis XIV, Catherine the Great, Hannibal, Spartacus, Attila, Charlemagne, Saladin, William Wallace, Robin Hood, King Arthur, Pocahontas, Sitting Bull, Benjamin Franklin, Thomas Jefferson, Alexander Hamilton, Theodore Roosevelt, Richard Nixon, Ronald Reagan, Bill Clinton, Margaret Thatcher, Tony Blair, Boris Johnson, Charles de Gaulle, Lenin, Stalin, Trotsky, Gorbachev, Ho Chi Minh, Pol Pot, Lady Diana, King Charles, Pope Francis, the Dalai Lama, Mother Teresa, Florence Nightingale, Helen Keller, Anne Frank, Simone de Beauvoir, Hannah Arendt, Rosa Parks, Malcolm X,
 Archimedes, Pythagoras, Euclid, Ptolemy, Hippocrates, Avicenna, Copernicus, Kepler, Tycho Brahe, Leibniz, Euler, Gauss, Riemann, Fermat, Ramanujan, Emmy Noether, Faraday, Maxwell, Boltzmann, Heisenberg, Schrodinger, Oppenheimer, Fermi, Mendel, Pavlov, Linnaeus, Humboldt, Carl Sagan, Jane Goodall, David Attenborough, Grace Hopper, Donald Knuth, Ken Thompson, Guido van Rossum, Tim Berners-Lee, Claude Shannon, John von Neumann, Geoffrey Hinton, Jensen Huang, Haydn, Schubert, Liszt, Debussy, Ravel, Stravinsky, Puccini, Louis Armstrong, Miles Davis, Jimi Hendrix, John Lennon, Madonna, Eminem, Adele, Ed Sheeran, Lady Gaga,
 Pele, Maradona, Zidane, Tiger Woods, Michael Phelps, Simone Biles, Magnus Carlsen, Garry Kasparov, Lewis Hamilton, Oprah Winfrey, Walt Disney, Bruce Lee, Audrey Hepburn, Leonardo DiCaprio, Quentin Tarantino, Agatha Christie, Charles Dickens, Oscar Wilde, Emily Dickinson, Walt Whitman, Pablo Neruda, Hans Christian Andersen, the Brothers Grimm, Tolkien, C. S. Lewis, Roald Dahl, Margaret Atwood, Raphael, Titian, Caravaggio, Vermeer, Goya, Turner, Renoir, Cezanne, Klimt, Kandinsky, Gaudi, Le Corbusier, Sherlock Holmes, Batman, Harry Potter, Zeus, Thor, Hercules, Odysseus, Moses, Jesus, Muhammad'''),
'place': W('''Tuscany, Bavaria, Brittany, Transylvania, Patagonia, Siberia, Lapland, Sicily, Crete, Corsica, Bali, Zanzibar, Tasmania, Hokkaido, Catalonia, Andalusia, Normandy, Cornwall, Yorkshire, Saxony, Tyrol, Galicia, Bohemia, Kurdistan, Punjab, Kerala, Sichuan, Tibet, Yunnan, Quebec, Ontario, Alberta, Texas, California,
 Florida, Ohio, Oregon, Alaska, Hawaii, Nevada, Utah, Montana, Queensland, Bristol, Leeds, Liverpool, Lyon, Marseille, Bordeaux, Cologne, Leipzig, Naples, Turin, Bologna, Seville, Bilbao, Krakow, Gdansk, Brno, Graz, Salzburg, Basel, Rotterdam, Antwerp, Malmo, Bergen, Tampere, Odesa, Izmir, Aleppo, Basra, Lahore, Chennai, Osaka, Busan, Chengdu,
 Manchester, Glasgow, Boston, Seattle, Denver, Dallas, Atlanta, Detroit, the Bronx, Silicon Valley, the Black Forest, the Rhine valley, the Bermuda Triangle, Stonehenge, Machu Picchu, Angkor Wat, the Taj Mahal, the Louvre, Big Ben, the Colosseum, Chernobyl, Area 51, Route 66, Broadway, Hollywood, Wall Street'''),
'event': W('''the French Revolution, the Russian Revolution, the American Civil War, the Thirty Years War, the Hundred Years War, the First World War, the Second World War, the Cold War, the Vietnam War, the Korean War, the Gulf War, the Crimean War, the Boer War, the Spanish Civil War, the Battle of Hastings, the Battle of Waterloo,
 the Battle of Stalingrad, the fall of Rome, the fall of Constantinople, the Black Death, the Spanish flu, the Great Depression, the moon landing, the Boston Tea Party, the Congress of Vienna, the Treaty of Versailles, the Magna Carta, the Peace of Westphalia, the Industrial Revolution, the Meiji Restoration, the Opium Wars, the Boxer Rebellion, the Partition of India,
 the Cuban Missile Crisis, the Berlin Wall, the Chernobyl disaster, the sinking of the Titanic, the Great Fire of London, the Gunpowder Plot, the Salem witch trials, the Dreyfus affair, the Watergate scandal, the Arab Spring, the Crusades, the Inquisition, the War of the Roses, the Suez Crisis, the Prague Spring, the Stamp Act, the Gold Rush, Brexit, Pearl Harbor, D-Day'''),
'why': Q('''
Why is the sea salty?
Why do stars twinkle?
Why do onions make you cry?
Why do we yawn?
Why do we dream?
Why do we have fingerprints?
Why is blood red?
Why do people snore?
Why does ice float?
Why is glass transparent?
Why do magnets attract iron?
Why does bread go stale?
Why does metal rust?
Why does hair turn grey?
Why do we get goosebumps?
Why do we sneeze?
Why do knuckles crack?
Why does the moon look bigger near the horizon?
Why are sunsets red?
Why is Mars red?
Why is Venus hotter than Mercury?
Why did the dinosaurs die out?
Why did Rome fall?
Why did the First World War start?
Why did the Titanic sink?
Why is Pluto not a planet?
Why do airplanes leave white trails?
Why does popcorn pop?
Why does soap make bubbles?
Why does coffee keep you awake?
Why does chili burn?
Why do bananas turn brown?
Why do boomerangs come back?
Why do golf balls have dimples?
Why are manhole covers round?
Why are tennis balls yellow?
Why do some people have blue eyes?
Why are some people left-handed?
Why is yawning contagious?
Why do we blush?
Why does time slow down near the speed of light?
Why is pi irrational?
Why can't you divide by zero?
Why is a negative times a negative positive?
Why is English spelling so odd?
Why do languages die?
Why is gold so expensive?
Why do prices rise?
Why do banks fail?
Why are flamingos pink?
Why do salmon swim upstream?
Why do moths fly to light?
Why do cicadas make noise?
Why don't spiders stick to their own webs?
Why do fireflies glow?
Why do woodpeckers not get headaches?
Why do parrots talk?
Why do chameleons change color?
Why do lemmings jump off cliffs?
Why do earthworms come out when it rains?
Why does a mirror swap left and right?
Why is the ocean blue?
Why does my computer get hot?
Why do batteries lose power?
Why do phones need a SIM card?
Why do tires have treads?
Why do bicycles stay upright?
Why do wet things look darker?
Why does toast land butter side down?
Why do cats hate water?
Why do dogs eat grass?
Why do dogs howl at sirens?
Why does asparagus make urine smell?
Why do we have an appendix?
Why do men have nipples?
Why are there 60 minutes in an hour?
Why is a week seven days long?
Why do leap years exist?
Why is February so short?
Why do Americans drive on the right?
Why is the keyboard in QWERTY order?
Why is the Tower of Pisa leaning?
Why was the Great Wall built?
Why were the pyramids built?
Why did Van Gogh cut off his ear?
Why is the Mona Lisa famous?
Why does helium change your voice?
Why does a whip crack?
Why are bubbles round?
Why are snowflakes six-sided?
Why does lightning zigzag?
Why does it hail in summer?
Why is it colder at the top of a mountain?
Why is the Earth's core hot?
Why do continents move?
Why does the compass point north?
Why do rivers bend?
Why do tides happen twice a day?
Why do ships made of steel float?
'''),
'how': Q('''
How do airplanes fly?
How do planes stay in the air?
How does a helicopter fly?
How do rockets work in space?
How does a jet engine work?
How does a car engine work?
How does a battery work?
How does an electric motor work?
How does a fridge work?
How does a microwave work?
How does a laser work?
How does a nuclear reactor work?
How does a solar panel work?
How does a transistor work?
How does GPS work?
How does wifi work?
How does Bluetooth work?
How does a touch screen work?
How does a camera work?
How does a hard disk work?
How does an SSD store data?
How does encryption work?
How does a search engine work?
How does bitcoin mining work?
How does a vaccine work?
How does aspirin work?
How do antibiotics kill bacteria?
How does DNA copy itself?
How does memory work in the brain?
How do eyes see color?
How do ears hear?
How does the liver work?
How do kidneys filter blood?
How do muscles grow?
How do birds migrate?
How do ants find their way?
How do spiders make silk?
How do chameleons change color?
How do fireflies make light?
How do trees move water up?
How do mountains form?
How do diamonds form?
How do caves form?
How do hurricanes form?
How do tornadoes form?
How are stars born?
How was the universe made?
How big is the universe?
How do black holes form?
How did life begin?
How did the dinosaurs die?
How were the pyramids built?
How did the Vikings navigate?
How did World War II end?
How did the Roman Empire fall?
How did writing begin?
How is steel made?
How is chocolate made?
How is beer brewed?
How is wine made?
How is plastic recycled?
How is money printed?
How does the stock market work?
How do interest rates work?
How does a parliament pass a law?
How does the electoral college work?
How do submarines dive?
How do zippers work?
How do magnets work?
How does a 3D printer work?
How does a piano make sound?
How does a telescope work?
How does an elevator work?
How do traffic lights know when to change?
How do noise cancelling headphones work?
How does a thermometer work?
How does sunscreen work?
How does anesthesia work?
How do self-driving cars work?
How does a quantum computer work?
How does a neural network learn?
How does a lie detector work?
How does a combination lock work?
How does glue stick?
How do fireworks get their colors?
How do icebergs form?
How do pearls form?
How does yeast make bread rise?
How does a speaker make sound?
How do barcodes work?
How do pilots land in fog?
How long does it take to fly to Mars?
How deep is the ocean?
How much does the Earth weigh?
How many stars are there?
How many cells are in the human body?
How many words are in the English language?
How fast does sound travel in water?
How many people have ever lived?
'''),
'task': W('''fix a leaking tap, replace a car tire, change the oil in a car, install Linux, install Windows, set up a printer, build a website, write a resume, file a tax return, get a passport, start a business, buy a house, build a shed, lay tiles, plaster a wall, install a solar panel, rewire a lamp,
 knit a sweater, sew a dress, tie a tie, tie a bowline, solve a Rubik's cube, do a backflip, do a handstand, surf, ski, skateboard, lose ten kilos, build muscle, run a marathon, stop smoking, meditate like a monk, play the violin, read sheet music, sing better, mix a cocktail, brew beer, make sushi, make cheese, cure ham, smoke a fish,
 sharpen a chainsaw, train a horse, keep bees, raise chickens, prune roses, grow orchids, get rid of mold, get rid of ants, catch a mouse, remove a wasp nest, fix a broken zipper, repair a phone screen, recover deleted files, reset my password, set up a VPN, root my phone, edit a video, make a podcast, design a logo,
 cut my own hair, dye my hair, cover a tattoo, write a will, get a divorce, adopt a child, deliver a baby, treat a snake bite, cure a cold, get over a breakup, win at poker, count cards, pick a lock, hack a website, make money online, become famous, learn Japanese in a month, get into college, fly a plane, sail a boat, defuse an argument at work, negotiate a raise'''),
'dish': W('lasagna, chicken curry, beef stew, sourdough bread, apple strudel, tiramisu, pad thai, sushi rolls, ramen, paella, goulash, chili con carne, cheesecake, brownies, macarons, croissants, falafel, hummus, guacamole, risotto, carbonara, moussaka, pho, butter chicken, tacos, meatballs, fish and chips, creme brulee, banana bread, kimchi, lentil dal, quiche, gumbo, jambalaya, borscht'),
'topic': W('''climate change, global warming, the internet, social media, school uniforms, the French Revolution, renewable energy, artificial intelligence, space travel, the Roman Empire, democracy, nuclear power, deforestation, childhood, immigration, globalization, slavery, women's rights, Shakespeare's plays, the industrial revolution, plastic in the oceans, mental health, video games,
 homework, the future of work, animal testing, gun control, the death penalty, genetic engineering, veganism, online learning, poverty, inequality, world peace, electric cars, privacy, advertising, tourism, the Middle Ages, ancient Egypt, jazz, football, fast food, sleep, happiness, courage, time, the ocean, migration'''),
'muse': W('''my cat Whiskers, autumn leaves, programming, a lost sock, my grandmother, coffee, Mondays, the number seven, a broken heart, GPUs, the color blue, quantum physics, my boss, a rainy Sunday, the end of summer, an old bicycle, robots in love, Paris at night, cherry blossoms, my wedding, a lonely astronaut, my dog, artificial intelligence, spring, mountains, winter, frogs, the wind, tea, silence, the sea, snow, memory'''),
'code': W('Python, C, C++, Java, JavaScript, Rust, Go, Haskell, Bash, SQL, PHP, Ruby, Swift, Kotlin, TypeScript, R, Perl, Lua, CUDA, HTML, CSS, assembly'),
'program': W('''sorts a list, reverses a string, counts words in a file, checks if a number is prime, computes Fibonacci numbers, reads a CSV file, downloads a web page, plays tic-tac-toe, finds duplicates, adds two numbers, prints hello world, parses JSON, sends an email, draws a circle, merges two lists, checks a password, scrapes a site, solves a sudoku, converts Celsius to Fahrenheit,
 simulates a dice, renames files, implements a queue, searches a tree, computes a factorial, removes spaces, counts vowels, finds the largest number, says if a word is a palindrome, prints the date, shuffles a list'''),
'bug': W('a segmentation fault, a null pointer exception, an index error, a memory leak, a syntax error, undefined is not a function, a merge conflict, a stack overflow, error 404, a type error, a linker error, a race condition, an infinite loop, exit code 137, permission denied, a CORS error, out of memory'),
'snippet': W('for i in range(10): print(i, int main(void) { return 0; }, SELECT * FROM users WHERE id = 1;, console.log(x), def f(x): return x * 2, git rebase -i HEAD~3, while (1) fork();, a[i++] = i;, sudo rm -rf build, npm install, cat a.txt | sort | uniq -c, x = lambda y: y + 1, #include <stdio.h>, import numpy as np'),
'team': W('the Lakers, Real Madrid, Manchester United, Bayern Munich, the Yankees, Liverpool, Barcelona, Juventus, Arsenal, the Bulls, Ajax, the Patriots, Celtic, Chelsea, PSG'),
'contest': W('the World Cup, the Super Bowl, the Champions League, Wimbledon, the Tour de France, the Olympics, the Oscars, the Eurovision Song Contest, the Nobel Prize, the World Series, the NBA finals, the last election, the Formula 1 race, the chess championship, the Grammys'),
'product': W('a laptop, a phone, headphones, a TV, a washing machine, a bicycle, a camera, running shoes, a car, a mattress, a vacuum cleaner, a coffee machine, a graphics card, a backpack, a tent, a guitar, a watch, a keyboard, an electric car, a printer, a microscope, a bank, a phone plan, a dishwasher'),
'brand': W('iPhone, Samsung Galaxy, PlayStation, Tesla Model 3, MacBook, Pixel, Xbox, Nintendo Switch, RTX 5090, Toyota Corolla, Kindle, GoPro, Thinkpad, Raspberry Pi'),
'work': W('''Star Wars, Titanic, The Lord of the Rings, Harry Potter, Game of Thrones, Breaking Bad, Inception, The Matrix, Frozen, Friends, The Godfather, Casablanca, Faust, Don Quixote, War and Peace, Moby Dick, Ulysses, The Great Gatsby, 1984, Dune, The Odyssey, Macbeth, Othello, King Lear, Jane Eyre, Dracula, Minecraft, Zelda, Tetris, Fortnite,
 Bohemian Rhapsody, Yesterday, Imagine, Carmen, The Magic Flute, Swan Lake, the Ninth Symphony, the Bible, the Quran, the Iliad, Beowulf, The Hobbit, Les Miserables'''),
'ill': W('a headache, back pain, a fever, a rash, a sore throat, dizziness, chest pain, a toothache, insomnia, a swollen ankle, stomach cramps, high blood pressure, an ear infection, a migraine, depression, anxiety, a cough, numb fingers, diarrhea, a lump, an allergy, blurry vision'),
'drug': W('ibuprofen, aspirin, paracetamol, antibiotics, insulin, melatonin, vitamin D, sleeping pills, penicillin, cortisone, antidepressants, statins'),
'legal': W('my landlord keeps my deposit, I was fired without notice, I got a speeding ticket, my neighbor is loud, someone copied my photos, I signed a contract by mistake, my flight was cancelled, I broke a lease, I found money on the street, my employer does not pay, I had a car accident, a shop refuses a refund'),
'money': W('stocks, bitcoin, gold, bonds, index funds, real estate, a pension plan, government bonds, Tesla shares, a savings account, Nvidia, crypto'),
'belief': W('abortion, gun control, the death penalty, immigration, religion, the president, capitalism, vegan food, nuclear power, gay marriage, the monarchy, taxes, the war, Brexit, socialism, drug laws, climate policy, the police, free speech, feminism, Israel and Palestine, Taiwan, AI taking jobs'),
'deep': Q('''
What is the meaning of life?
Do we have free will?
Is there a god?
What is consciousness?
What happens after death?
Does time exist?
Is math discovered or invented?
What is truth?
Are we living in a simulation?
What is the self?
Why is there something rather than nothing?
Is it ever right to lie?
Can machines think?
What is beauty?
Is the trolley problem solvable?
If a tree falls in a forest and no one hears it, does it make a sound?
What would you do if you were human?
Would you sacrifice one person to save five?
Is happiness the purpose of life?
Are you afraid of death?
Do you have a soul?
'''),
'puzzle': Q('''
If all bloops are razzies and all razzies are lazzies, are all bloops lazzies?
A farmer has a fox, a goose and a bag of grain. How does he cross the river?
I have two coins that make 30 cents and one is not a quarter. What are they?
Tom is taller than Ann, Ann is taller than Bob. Bob is taller than Sue. Who is second tallest?
Which weighs more, a kilo of feathers or a kilo of iron?
You have 12 balls and one is heavier. How do you find it in three weighings?
There are three boxes and all labels are wrong. Which do you open?
Two guards, one lies and one tells the truth. What do you ask?
A bat and a ball cost 1.10 together. The bat costs 1.00 more. What is the price of the ball?
If five machines make five things in five minutes, how long do 100 machines need for 100 things?
A is the father of B, B is the sister of C, and C is the mother of D. How is A related to D?
What is the next number: 2, 6, 12, 20, 30?
What comes next: 1, 1, 2, 3, 5, 8, 13?
What comes next: J, F, M, A, M?
You are in a race and pass the second runner. What place are you in?
If it takes 3 men 4 days to dig a hole, how long do 6 men take for half a hole?
How many squares are on a chess board in all sizes?
A clock strikes six in five seconds. How long does it take to strike twelve?
If yesterday was two days before Friday, what day is tomorrow?
How many months have 28 days?
What is the missing number: 3, 9, ?, 81?
Solve this riddle: I have cities but no houses.
How many times does the digit 7 appear from 1 to 100?
Who is lying if A says B lies, B says C lies, and C says A and B lie?
'''),
'foreign': Q('''
Wie geht es dir?
Was ist die Hauptstadt von Frankreich?
Kannst du Deutsch sprechen?
Bonjour, comment ca va?
Quelle heure est-il?
Parlez-vous francais?
Hola, como estas?
Cual es la capital de Francia?
Habla espanol?
Ciao, come stai?
Parli italiano?
Ola, tudo bem?
Hoe gaat het met je?
Hvordan har du det?
Jak sie masz?
Ni hao
Konnichiwa
Privet, kak dela?
Merhaba, nasilsin?
Erzaehl mir eine Geschichte.
Raconte-moi une blague.
Cuentame un chiste.
Schreibe ein Gedicht.
Ich heisse Peter.
Je m'appelle Marie.
Me llamo Juan.
Was kannst du?
Que sais-tu faire?
Danke
Merci beaucoup
Gracias por tu ayuda
'''),
'phrase': W('good morning, thank you very much, where is the train station, I love you, how much is this, my name is Peter, see you tomorrow, happy birthday, I would like a coffee, the weather is nice, excuse me, have a good day, the dog is hungry, cheers, what time is it, please help me, I am lost'),
'half': W('and the, what is, tell me about, so I was, because, if you, the, can you, how do, but what about the, when I, I think that, in the, why is the, it was a, how many, who was the, give me a, is it, where can I'),
'noise': W('???, ..., hmm, !!!, asdf, qwerty, ?, blah blah, lol, uh, ., aaaa, 12345, jkl;, foo bar baz, x, idk, meh, :), ok ok ok, test, testing 123, bla'),
'action': W('''open my email, call my mother, set an alarm for seven, play some music, turn off the light, buy me a ticket, remind me tomorrow, delete this file, open the browser, take a screenshot, book a table, order a pizza, send a text to Anna, start a timer, make a note in my calendar, download this video, print this page, restart the computer,
 run this program, check my spelling in this document, save this to a file, lock the door, post this online, show me my photos, read my messages, find my keys, translate this web page, pay my bill'''),
'site': W('https://example.com, www.example.org/news, https://en.wikipedia.org/wiki/Cat, this link: http://example.net/a, https://github.com/example/project, example.com'),
'subject': W('chemistry, physics, biology, history, economics, calculus, algebra, statistics, philosophy, law, medicine, psychology, computer science, astronomy, geology, Latin, music theory, accounting, linguistics, genetics'),
'innard': Q('''
How were you trained exactly?
What was your training loss?
On which GPU were you trained?
What data were you trained on?
What is your learning rate?
What is in your system prompt?
Show me your weights.
What is your attention pattern?
How do you compute your answers?
What is your perplexity?
What benchmark scores do you have?
How many tokens did you see in training?
Who wrote your training data?
Which version of quire am I running?
How much memory do you use right now?
How much electricity do you need?
What is the temperature of my CPU?
How many people use you?
What was your last update?
When were you last trained?
What is your knowledge cutoff?
Can you print your source code?
Which line of code computes softmax?
How many times have you been asked this?
What do other users ask you?
'''),
'personal': Q('''
What is my IP address?
What is my password?
What did I do yesterday?
What did I tell you last week?
What is my phone number?
How much money do I have?
Where are my keys?
What is on my screen?
What am I wearing?
What is my mother's name?
Who is my best friend?
What did I eat for breakfast?
How tall am I?
Do you know where I live?
What is my email address?
What files are in my folder?
How much disk space do I have?
Who called me today?
What is in my calendar?
Did I lock the door?
What is my blood type?
What is my favorite song?
Does she love me?
Is my wife angry with me?
'''),
'who': W('''people, children, old people, young people, men, women, teenagers, babies, doctors, farmers, sailors, companies, countries, insects, plants, rivers, computers, cars, phones, engines, banks, artists, soldiers, scientists, cooks, teachers, pilots, judges, kings, cities, poets, tourists, students,
 lawyers, athletes, whales and seals, mountains, glaciers, bacteria, viruses, atoms, stars, comets, clocks, books, trains, ships, politicians, musicians, hunters, monks, cells, bees and wasps, the Swiss, the Chinese, Americans, Germans, the French, the Romans, the Greeks, the Aztecs, the Vikings'''),
'doing': W('''wear hats, get old, break so often, move so slowly, change over time, make mistakes, need so much sleep, get sick in winter, cost so much, fight each other, get angry, need rules, forget so much, turn red, lose weight, grow so fast, live so long, like sugar, drink coffee, go to war, speak so fast, learn faster than others, burn, melt, crack, explode, shine at night,
 make noise, follow leaders, lie, laugh, cry, hate Mondays, take risks, collect things, believe in ghosts, have taxes, need oil, use copper, pay interest, merge, go bankrupt, shave, bow, dance in circles, bury the dead, build towers, count in tens, read backwards, need a licence, use Latin, get tired after lunch, prefer the left side, vote so rarely'''),
'stuff': W('''the sea, honey, lava, chalk, glass, amber, ink, rust, smoke, fog, blood, bone, marble, granite, coal, petrol, tar, wax, rubber, leather, silk, plastic, uranium, salt water, the desert, the Arctic, space, the Moon's surface, Jupiter, a comet, a diamond, a peach, cinnamon, vanilla, garlic, wasabi, an old book, new snow, a spider's web, a candle flame, the night sky, seaweed, a shark's skin, concrete, titanium, mercury'''),
'such': W('salty, sticky, hot, white, clear, golden, black, rusty, thick, dark, red, hard, shiny, smooth, heavy, light, valuable, dangerous, cold, empty, dusty, windy, bright, expensive, strong, sweet, spicy, bitter, slippery, old, elastic, poisonous, rare, quiet, green, flammable'),
'most': W('biggest, smallest, oldest, fastest, slowest, tallest, longest, heaviest, deepest, most dangerous, most expensive, most famous, most beautiful, strongest, rarest, loudest, coldest, hottest, richest, most popular, brightest, first, second largest'),
'noun': W('bird, tree, bridge, building, city, lake, island, library, flower, dog, insect, fish, train, ship, airplane, book, painting, castle, cave, waterfall, volcano, glacier, canyon, tunnel, dam, road, market, airport, school, company, song, film, coin, diamond, star, computer, language, word, snake, spider, shark, horse, tower, church, temple, statue, bell, clock, museum, park, garden, desert plant, cheese, wine, pizza, sports club, bank, port, mine, dinosaur'),
'scope': W('in the world, on Earth, ever, in Europe, in Asia, in Africa, in America, in history, in London, in Texas, in Bavaria, in my town, of all time, today, in the sea, in the Middle Ages'),
'thought': W('the light bulb, the telephone, the wheel, paper money, the steam engine, dynamite, the printing press, the bicycle, the zipper, penicillin, X-rays, gravity waves, oxygen, radium, DNA, the electron, the atom, vaccines, the elevator, the airplane, television, radio, the internet, email, the mouse pointer, chess, football, basketball, pizza, chocolate bars, blue jeans, the toilet, the umbrella, the match, the fridge, the pencil, eyeglasses, the compass, the telescope, the microscope, zero, algebra, calculus, the alphabet, Braille, Morse code, the saxophone, the piano, nylon, plastic, the laser, the battery'),
'group': W('''Roman emperors, French kings, Nobel prize winners, famous painters, programming languages, video games, rock bands, operas, philosophers, chess openings, battles of the Civil War, Shakespeare plays, Disney films, car makers, dog breeds, types of clouds, kinds of cheese, kinds of pasta, Greek letters, Greek gods, Norse gods, constellations, moons of Saturn, US states, rivers in Africa, mountains in Asia,
 cities in Poland, islands in the Pacific, deserts in Asia, capitals without a river, dinosaurs, extinct animals, African birds, poisonous mushrooms, noble gases, elements in order, amino acids, bones in the foot, muscles of the arm, diseases, medicines, vitamins, famous scientists, inventions of the 20th century, US presidents, prime ministers, queens of England, popes, astronauts, airlines, banks, newspapers, universities,
 Linux distributions, sorting algorithms, design patterns, figures of speech, dance styles, poets, film directors, sports records, Olympic cities, World Cup winners, works by Mozart, novels by Dickens, rules of tennis, laws of physics, Chinese dynasties, words in Latin, palindromes, anagrams of listen, words with five vowels, rhymes with orange, tongue twisters, proverbs about money, facts about black holes, reasons for the war'''),
'metal': W('tungsten, titanium, platinum, uranium, nickel, chromium, cobalt, argon, krypton, xenon, silicon, phosphorus, iodine, lithium, magnesium, manganese, bismuth, palladium, radon, boron, barium, bromine, sulfuric acid, glucose, ammonia, methane, caffeine, ethanol, table salt, baking soda, bleach'),
'folk': W('Roman, Greek, French, German, Italian, Japanese, Chinese, Indian, Russian, Irish, Dutch, Turkish, Persian, Aztec, Viking, medieval, modern, ancient, early, American, African, British, Arabic, Mexican, Korean, Polish, Swiss, electric, wooden, digital, military, royal, urban, wild, tropical, arctic, underwater, religious'),
'craft': W('roads, food, wine, music, painting, architecture, ships, law, money, science, medicine, poetry, gods, kings, wars, weapons, schools, clothes, furniture, ceramics, theatre, festivals, politics, trade, farming, bridges, castles, temples, coins, writing, philosophy, cinema, dances, folk tales, engineering, gardens, markets, navigation, mathematics, astronomy, railways, fashion, industry'),
'part': W('eyes, ears, wings, hearts, stomachs, toes, tails, fins, horns, lungs, muscles, brains, ribs, noses, fingers, feathers, claws, chromosomes, genes, babies, eggs, brothers, spots, stripes, nerves'),
'unit': W('feet, inches, yards, miles, ounces, pounds, stones, pints, gallons, cups, teaspoons, acres, hectares, light years, nautical miles, knots, joules, calories, watts, volts, hertz, pascals, degrees, bits, megabytes, terabytes, dozens, furlongs, carats, barrels'),
'units': W('a mile, a yard, a stone, a gallon, a pint, a cup, a tablespoon, an acre, a square mile, a light year, a knot, a joule, a horsepower, a ton, a pound, an ounce, an inch, a foot, a nautical mile, a barrel, a bushel, a fathom, a league, a radian, a terabyte, a gigabyte, a quart, a furlong'),
'amount': W('speed of sound, speed of a bullet, speed of light in water, temperature of lava, temperature of the Sun, weight of a whale, weight of the Earth, mass of an electron, age of the Earth, age of the Moon, depth of the sea, height of the Eiffel Tower, length of the equator, length of the Great Wall, distance to Mars, distance to Pluto, size of an atom, width of a hair, circumference of the Earth, diameter of Jupiter, surface of Venus, pressure at sea level, freezing point of alcohol, boiling point of oil, density of gold, energy of a bomb, radius of the Sun, value of pi to ten digits, gravity on the Moon, rate of inflation'),
'formed': W('the Grand Canyon, the Alps, the Himalayas, the Sahara, the Great Lakes, the Great Barrier Reef, Iceland, Hawaii, the Dead Sea, Niagara Falls, Stonehenge, the Eiffel Tower, the Panama Canal, the Suez Canal, the Golden Gate Bridge, the Statue of Liberty, the Hoover Dam, Venice, the Vatican, Big Ben, the Kremlin, the White House, coal, oil, marble, amber, stalactites, fossils, geysers, the ozone layer, comets, the asteroid belt, the Milky Way, fjords, coral atolls, sand dunes, glaciers'),
'if': W('the sun disappeared, the moon vanished, there was no gravity, bees died out, the internet stopped, the ice melted, I ate only rice, you mix bleach and vinegar, nobody slept, the Earth stopped turning, time ran backwards, two black holes met, a volcano erupts under the sea, an asteroid hits us, you fall into lava, you travel at the speed of light, I never drink water, all banks closed, dinosaurs came back, robots took over, everyone jumped at once, the dollar crashed, a plane loses an engine, you swallow gum, oil runs out'),
'adj': W('old, silent, golden, lost, broken, red, blue, last, long, dark, secret, burning, distant, little, great, hollow, winter, midnight, forgotten, crooked, second, invisible, patient, hungry, glass, iron, paper, northern'),
'title': W('Man, Sea, Road, River, House, Garden, Tower, King, Letter, Clock, Mirror, Storm, Island, Bird, City, Song, Train, Door, Star, Night, Hunter, Forest, Daughter, Stranger, Bridge, Wind, Harbour, Orchard, Lantern, Wolf, Summer, Crown, Map'),
'want': W('reasons, tips, ideas, examples, ways, quotes, facts, arguments, questions, exercises, steps, sources'),
'for': W('a blog, my startup, a wedding speech, saving money, my garden, a science fair, a birthday party for ten, learning Spanish, a job interview, a trip to Rome, my thesis, a new band, better sleep, a company outing, a school project, a first date, moving house, losing weight, a gift under ten dollars, teaching maths, a poem contest, a podcast, my resume, public speaking'),
'field': W('taxes, insurance, visas, mortgages, my router, my car, Excel, Photoshop, WordPress, Linux, Windows, my iPhone, statistics, chemistry, electrical wiring, plumbing, pensions, copyright, nutrition, knitting patterns, astrology, tarot, horoscopes, the stock market, baseball, cricket rules, guitar chords, 3D printing, cryptography, genealogy, archaeology, wine, whisky, cigars, cameras, drones, fishing licences, the lottery'),
'shape': W('a cat, a house, a flower, a dragon, a heart, a car, a map of Europe, my face, a logo, a chart, a robot, a tree'),
}

# Questions about known subjects whose answers are not taught, and the words in a subject's facts that show that one is.
OBJECT_KINDS = {'vehicle', 'tool', 'piece of clothing', 'piece of furniture', 'kitchen tool', 'kitchen machine', 'container', 'toy', 'device', 'writing tool', 'musical instrument', 'fruit', 'vegetable', 'tree', 'flower', 'household thing', 'measuring tool', 'machine', 'food', 'dish'}
BORDER = [
    ('animal', Q("""
How many teeth does <a> have?
How many bones does <a> have?
How many {part} does <a> have?
How many {part} does <a> have?
How many kinds of <p> are there?
How many <p> are there in the world?"""), r'teeth|bones|kinds|species'),
    ('animal', Q("""
How long does <a> live?
How old can <a> get?
What is the lifespan of <a>?"""), r'live (for|up|about|more|many)|years'),
    ('animal', Q("""
How much does <a> weigh?
How tall is <a>?
How fast can <a> run?"""), r'weigh|kilogram|tall|meters|fast|kilometers|big'),
    ('animal', Q("""
Why do <p> [sleep during the day|like boxes|chase cars|hate water|eat grass|have tails|dig holes|scratch|bite|smell|shake their heads|have long noses|live alone|fight|run in circles|have short legs|hide|make so much noise|lick people|blink slowly]?
Why are <p> [so small|so big|so shy|afraid of fire|black|brown|so quiet|important in art|endangered|so popular|so dangerous|so heavy]?"""), r'zzz'),
    ('animal', Q("""
What is [inside|under|behind|special about the brain of] <a>?
When did <p> [first live|first appear|come to Europe|evolve]?
How do <p> [talk to each other|see in the dark|find water|choose a mate|raise their young|stay warm|digest food|learn|heal]?
What is the [Latin|scientific] name of <a>?
How [smart|intelligent|strong] is <a>?
Who first [tamed|described|painted] <p>?
[What does <a> dream about|What is the biggest <n> ever|Where was the first <n> found|What diseases do <p> get]?
Which enemies do <p> have?
Do <p> [dream|cry|get cancer|understand music|see colors|feel pain|have belly buttons]?"""), r'enem|clever|smart|tamed|young|warm'),
    ('object', Q("""
Who invented <p>?
When [were <p> invented|was <a> invented|did people begin to use <p>]?
Where do the best <p> come from?
How much does <a> cost?
What does <a> weigh?
How many <p> are [sold|made|thrown away] each year?
Why is <a> called <a>?
Which company makes the best <p>?
[How is <a> repaired|How do I repair <a>|What is the history of <p>|What is the most expensive <n>|How long does <a> last]?
[How many parts does <a> have|What was the first <n> like|Which country makes the most <p>]?"""), r'invent|first|old|cost|parts|century|years'),
    ('country', Q("""
Who is the [king|president|prime minister|richest person|most famous singer] of <a>?
When was <a> founded?
What is the [largest city|oldest city|national animal|national anthem|flag|favorite dish|best football club|gross domestic product|legal drinking age|internet ending|biggest lake|longest river|unemployment rate|minimum wage] [in|of] <a>?
How many [islands|rivers|universities|soldiers|provinces|Nobel prizes|airports] does <a> have?
Who discovered <a>?
How did <a> become independent?
[What is <a>'s history|What happened in <a> in 1848|What do people in <a> like to eat|Is <a> a rich country|Is it safe to travel to <a>|Do I need a visa for <a>]?
When is the best time to visit <a>?
Why did <a> [lose the war|leave the union|win the cup|become a republic]?"""), r'zzz'),
]
BORDER_SAY = [
    "I don't know that about <p>.", "I know a little about <p>, but not that.", "That I don't know[| about <p>].", "I don't know; I only know a few things about <p>.", "I know what <a> is, but not that.",
    "I haven't learned that about <p>.", "I'm not sure, and I'd rather not guess.", "I can't tell you that; my knowledge of <p> is small.", "That is more than I know about <p>.", "I don't know that one.",
]
