"""What the conversations of tests/golden/demo_eval and demo_dev say, so that no chat of the training says the same."""
import glob
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
EVAL = os.path.join(HERE, '..', '..', '..', 'tests', 'golden', 'demo_[de]*')  # both: as a pattern
ROW = 6  # words in a row


def words(text):
    return re.sub(r"[^a-z0-9' ]+", ' ', text.lower()).split()


def rows(found):
    return (' '.join(found[i:i + ROW]) for i in range(len(found) - ROW + 1))


class Apart:
    def __init__(self):
        said = []
        for path in glob.glob(EVAL + '/*.jsonl'):
            for case in map(json.loads, open(path, encoding='utf-8')):
                said += case['turns'] + [case.get('system', '')] + [text for pair in case.get('shots', []) for text in pair]
        if not said:
            raise SystemExit('apart.py: no conversations in tests/golden')
        found = [words(text) for text in said]
        self.whole = {' '.join(w) for w in found if len(w) > 4 or any(c.isdigit() for word in w for c in word) and len(w) > 2}
        self.rows = {row for w in found for row in rows(w)}

    def meets(self, text):
        """Whether a text is one of theirs (of five words, or three with a number), or has six words in a row of one."""
        found = words(text)
        return ' '.join(found) in self.whole or any(row in self.rows for row in rows(found))

    def free(self, chat):
        return not any(role != 'a' and self.meets(text) for role, text in chat)
