// app/base/clusters.h — where does a character end, as a person sees it?
//
//   e U+0301                         one accented letter
//   man U+200D woman U+200D girl     one picture; so is a hand with its skin tone, and a flag
//   ka U+094D ssa U+093F             one conjunct, with its vowel
//
// These are the extended grapheme clusters of UAX #29, including Indic conjuncts (rule GB9c), which
// PCRE2 does not join. A byte of ill-formed UTF-8 is a cluster by itself, and so is each mark that
// paste.h and verbatim.h put into a line.
//
// Memory: one regular expression per process, compiled at first use. Threads: the UI's.
#ifndef APP_CLUSTERS_H
#define APP_CLUSTERS_H

#include <stddef.h>

// cluster_end() returns the end of the cluster at text[at], or `length` at the end of the text.
// cluster_begin() returns the start of the cluster before `at`, or 0 at the start of the text.
size_t cluster_end(const char *text, size_t length, size_t at);
size_t cluster_begin(const char *text, size_t length, size_t at);

// The start of what Backspace deletes before text[at], as on macOS. In scripts whose vowel signs
// and tone marks have keys of their own (Thai, Lao, Devanagari, Arabic, Hebrew …), Backspace
// deletes the last code point of the cluster together with a joiner after it: น้ำ loses first the
// vowel, then the tone mark, then the letter. Any other cluster is deleted whole: pictures, flags,
// jamo, letters with accents.
size_t cluster_backspace(const char *text, size_t length, size_t at);

#endif
