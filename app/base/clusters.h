// app/base/clusters.h — where does a character end, as a person sees it?
//
//   e U+0301                         one accented letter
//   man U+200D woman U+200D girl     one picture; so is a hand with its skin tone, and a flag
//   ka U+094D ssa U+093F             one conjunct, with its vowel
//
// Extended grapheme clusters of UAX #29, those of Indic conjuncts (rule GB9c) too, which the
// library that finds the others does not join. A byte of ill-formed UTF-8 is one by itself, and so
// is what paste.h and verbatim.h put into a line.
//
// Memory: one expression for the process, compiled at the first use. Threads: the UI's.
#ifndef APP_CLUSTERS_H
#define APP_CLUSTERS_H

#include <stddef.h>

// The end of the cluster that holds text[at], and the beginning of the one that holds text[at - 1].
// At the end, or the beginning, of the text: that.
size_t cluster_end(const char *text, size_t length, size_t at);
size_t cluster_begin(const char *text, size_t length, size_t at);

// Where the part begins that Backspace deletes before text[at], as on macOS. Where vowel signs and
// tone marks are keys of their own (Thai, Lao, Devanagari, Arabic, Hebrew …) it takes the last code
// point of the cluster, with a joiner behind it: of น้ำ first the vowel, then the tone mark, then
// the letter. All else goes whole: pictures, flags, jamo, and a letter with accents.
size_t cluster_backspace(const char *text, size_t length, size_t at);

#endif
