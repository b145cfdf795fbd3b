// tests/published.h — where are other people's vocabularies and templates?
//
// They are not in this tree. A folder that has them is named by QUIRE_TEST_DATA:
//
//   vocab/NAME.gguf, .inp, .out     a vocabulary, texts, and a line of ids for each
//   templates/NAME.jinja            a chat template
//   templates/cases.json            conversations
//   templates/expected/NAME.CASE.txt, .error    what Jinja2 makes of them
//
// A program whose tests need them ends at once where the variable is unset, with PUBLISHED_SKIPPED,
// which ctest lists as skipped.
#ifndef TESTS_PUBLISHED_H
#define TESTS_PUBLISHED_H

#include <stdio.h>
#include <stdlib.h>

enum { PUBLISHED_SKIPPED = 77 };

// The folder; NULL, and said, if there is none.
static inline const char *published_folder(void) {
    const char *folder = getenv("QUIRE_TEST_DATA");
    if (folder && *folder) return folder;
    printf("skipped: QUIRE_TEST_DATA is not set: other people's files are not in this tree\n");
    return NULL;
}
#endif
