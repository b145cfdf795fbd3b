#include "engine/tokenizer/pretokenizer_names.h"

#include <string.h>

#define GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

// Digits are cut off one by one first and GPT-2's expression sees what lies between them, so
// for "followed by no more text" a digit is an end of text as well.
#define DIGITS_THEN_GPT2 \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+|\\s+(?![^\\s\\p{N}])|\\s+"

#define SHORT_FORMS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define LINES       "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SYMBOLS     " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
#define ANY_BUT     "[^\\r\\n\\p{L}\\p{N}]?"

#define WORDS_AND_LINES(digits) SHORT_FORMS "|" ANY_BUT "\\p{L}+|" digits "|" SYMBOLS "|" LINES

// Words end where capitals begin again: "tokenizerJson" is "tokenizer" and "Json".
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define CASED_WORDS(upper, lower, end) \
    ANY_BUT upper "*" lower "+" end "|" ANY_BUT upper "+" lower "*" end
#define CASED_LINES   "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" LINES
#define O200K         CASED_WORDS(UPPER, LOWER, SHORT_FORMS "?") "|\\p{N}{1,3}" CASED_LINES
// The same without Han, which PCRE2 says best by what is left out.
#define UPPER_NOT_HAN "[^\\p{Han}\\p{Ll}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}]"
#define LOWER_NOT_HAN "[^\\p{Han}\\p{Lu}\\p{Lt}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}]"

// ASCII's punctuation and Unicode's.
#define PUNCTUATION "[!-/:-@\\[-`{-~\\p{P}]+"

// Cased letters of Unicode 11, as one model lists them.
#define LETTERS                                                                             \
    "A-Za-z\\x{B5}\\x{C0}-\\x{D6}\\x{D8}-\\x{F6}\\x{F8}-\\x{1BA}\\x{1BC}-\\x{1BF}"          \
    "\\x{1C4}-\\x{293}\\x{295}-\\x{2AF}\\x{370}-\\x{373}\\x{376}\\x{377}\\x{37B}-\\x{37D}"  \
    "\\x{37F}\\x{386}\\x{388}-\\x{38A}\\x{38C}\\x{38E}-\\x{3A1}\\x{3A3}-\\x{3F5}"           \
    "\\x{3F7}-\\x{481}\\x{48A}-\\x{52F}\\x{531}-\\x{556}\\x{10A0}-\\x{10C5}"                \
    "\\x{13A0}-\\x{13F5}\\x{13F8}-\\x{13FD}\\x{1C90}-\\x{1CBA}\\x{1CBD}-\\x{1CBF}"          \
    "\\x{1D00}-\\x{1D2B}\\x{1D6B}-\\x{1D77}\\x{1D79}-\\x{1D9A}\\x{1E00}-\\x{1F15}"          \
    "\\x{1F18}-\\x{1F1D}\\x{1F20}-\\x{1F45}\\x{1F48}-\\x{1F4D}\\x{1F50}-\\x{1F57}\\x{1F59}" \
    "\\x{1F5B}\\x{1F5D}\\x{1F5F}-\\x{1F7D}\\x{1F80}-\\x{1FB4}\\x{1FB6}-\\x{1FBC}\\x{1FBE}"  \
    "\\x{1FC2}-\\x{1FC4}\\x{1FC6}-\\x{1FCC}\\x{1FD0}-\\x{1FD3}\\x{1FD6}-\\x{1FDB}"          \
    "\\x{1FE0}-\\x{1FEC}\\x{1FF2}-\\x{1FF4}\\x{1FF6}-\\x{1FFC}\\x{2102}\\x{2107}"           \
    "\\x{210A}-\\x{2113}\\x{2115}\\x{2119}-\\x{211D}\\x{2124}\\x{2126}\\x{2128}"            \
    "\\x{212A}-\\x{212D}\\x{212F}-\\x{2134}\\x{2139}\\x{213C}-\\x{213F}\\x{2145}-\\x{2149}" \
    "\\x{214E}\\x{2183}\\x{2184}\\x{2C00}-\\x{2C7B}\\x{2C7E}-\\x{2CE4}\\x{2CEB}-\\x{2CEE}"  \
    "\\x{2CF2}\\x{2CF3}\\x{A640}-\\x{A66D}\\x{A680}-\\x{A69B}\\x{A722}-\\x{A76F}"           \
    "\\x{A771}-\\x{A787}\\x{A78B}-\\x{A78E}\\x{AB70}-\\x{ABBF}\\x{FB00}-\\x{FB06}"          \
    "\\x{FB13}-\\x{FB17}\\x{FF21}-\\x{FF3A}\\x{FF41}-\\x{FF5A}\\x{10400}-\\x{1044F}"        \
    "\\x{104B0}-\\x{104D3}\\x{104D8}-\\x{104FB}\\x{10C80}-\\x{10CB2}\\x{10CC0}-\\x{10CF2}"  \
    "\\x{118A0}-\\x{118DF}\\x{1E900}-\\x{1E943}"
// Up to the punctuation of several scripts; the brackets and the bar are meant literally.
#define SENTENCES        " ?[^(\\s|.,!?\\x{2026}\\x{3002}\\x{FF0C}\\x{3001}\\x{964}\\x{6D4}\\x{60C})]+"
#define CHINESE_JAPANESE "[\\x{4E00}-\\x{9FA5}\\x{3040}-\\x{309F}\\x{30A0}-\\x{30FF}]+"
#define EAST_ASIAN       "[\\x{4E00}-\\x{9FA5}\\x{800}-\\x{4E00}\\x{AC00}-\\x{D7FF}]+"

const char pretokenizer_words[] = GPT2;

static const char *const gpt2[] = {GPT2, NULL};
static const char *const digits_then_gpt2[] = {DIGITS_THEN_GPT2, NULL};
static const char *const llama3[] = {WORDS_AND_LINES("\\p{N}{1,3}"), NULL};
static const char *const qwen2[] = {WORDS_AND_LINES("\\p{N}"), NULL};
static const char *const qwen35[] = {
    SHORT_FORMS "|" ANY_BUT "[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" LINES,
    NULL};
static const char *const minicpm5[] = {"\\p{N}{1,3}", WORDS_AND_LINES("\\p{N}+"), NULL};
static const char *const tekken[] = {CASED_WORDS(UPPER, LOWER, "") "|\\p{N}" CASED_LINES, NULL};
static const char *const o200k[] = {O200K, NULL};
static const char *const kimi[] = {
    "[\\p{Han}]+|" CASED_WORDS(UPPER_NOT_HAN, LOWER_NOT_HAN,
                               SHORT_FORMS "?") "|\\p{N}{1,3}|" SYMBOLS "|" LINES,
    NULL};
static const char *const deepseek_llm[] = {
    "[\\r\\n]",
    "\\s?[" LETTERS "]+",
    "\\s?[!-/:-~\\x{FF01}-\\x{FF0F}\\x{FF1A}-\\x{FF5E}\\x{2018}-\\x{201F}\\x{3000}-\\x{3002}]+",
    "\\s+$",
    EAST_ASIAN,
    "\\p{N}"};
static const char *const deepseek_coder[] = {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+",
                                             EAST_ASIAN, "\\p{N}",      NULL};
// A word with one character of punctuation before it, and what is no word.
#define MARKED_WORDS                     \
    "[!\"#$%&'()*+,\\-./"                \
    ":;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+" \
    "|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+"
static const char *const deepseek_v3[] = {"\\p{N}{1,3}", CHINESE_JAPANESE,
                                          MARKED_WORDS "[\\r\\n]*|" LINES, NULL};
static const char *const spark[] = {"\\p{N}{1,3}", CHINESE_JAPANESE,
                                    MARKED_WORDS "|[\\r\\n]|\\s+(?!\\S)|\\s+", "\\p{N}", NULL};
// Groups of three from the right, of a run of digits that the step before has cut out: as
// "\d{1,3}(?=(?:\d{3})*\b)", but that looks ahead from each group to the end of the run.
#define THREES "\\A\\p{N}{1,2}(?=(?:\\p{N}{3})++\\z)|\\p{N}{3}"
static const char *const afmoe[] = {
    "\\p{N}+", THREES,
    "[\\x{4E00}-\\x{9FFF}\\x{3400}-\\x{4DBF}\\x{F900}-\\x{FAFF}\\x{3040}-\\x{30FF}"
    "\\x{FF65}-\\x{FF9F}\\x{2F00}-\\x{2FDF}\\x{E40}-\\x{EFF}\\x{1780}-\\x{17FF}"
    "\\x{1000}-\\x{109F}\\x{AA60}-\\x{AA7F}\\x{A9E0}-\\x{A9FF}\\x{AC00}-\\x{D7AF}"
    "\\x{1100}-\\x{11FF}]+",
    MARKED_WORDS "[\\r\\n]*|" LINES, NULL};
// Digits that a letter follows are cut with the words, from the left.
static const char *const tiny_aya[] = {"(?<!\\d)\\d++(?!\\w)", THREES, O200K, NULL};
static const char *const superbpe[] = {"\\p{N}+", THREES, NULL};
static const char *const laguna[] = {"[^\\n]+|\\n+", WORDS_AND_LINES("\\p{N}"), NULL};
static const char *const ufakzeka[] = {ANY_BUT "\\p{L}+|\\p{N}|" SYMBOLS "|" LINES, NULL};
static const char *const youtu[] = {
    "[\\x{AC00}-\\x{D7A3}\\x{3131}-\\x{318E}]+"
    "|[\\x{FF01}\\x{2026}\\x{201C}\\x{201D}\\x{2018}\\x{2019}\\x{2014}\\x{FF1A}\\x{FF1B}\\x{FF0C}"
    "\\x{3001}-\\x{303F}\\x{FE30}-\\x{FE4F}]+|[\\x{3105}-\\x{312F}]+|" CHINESE_JAPANESE,
    CASED_WORDS(UPPER, LOWER, SHORT_FORMS "?") "|\\p{N}" CASED_LINES, NULL};
static const char *const chameleon[] = {"<sentinel:[0-9]+>",      "IMGIMG[A-I]{1,4}Z",
                                        "[\\t\\n]|    |  ",       "\\p{N}",
                                        "[\\p{P}!-/:-@\\[-`{-~]", GPT2};
// Published ones look for digits among the bytes of a word, which are ASCII's as far as merges go.
static const char *const falcon[] = {PUNCTUATION, GPT2, "[0-9]+", "[0-9][0-9][0-9]", NULL};
// llama.cpp's, for files without a name, or whose converter did not know it.
static const char *const unnamed[] = {
    "[\\p{P}$+<=>^~|]+",
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)", "\\p{N}+",
    "[0-9][0-9][0-9]", NULL};
static const char *const bloom[] = {SENTENCES, NULL};
static const char *const viking[] = {SENTENCES, "\\p{N}", NULL};
static const char *const seed[] = {
    SHORT_FORMS "|" ANY_BUT "\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" LINES, NULL};
static const char *const bailing[] = {
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*"
    "|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
    NULL};
static const char *const exaone_moe[] = {
    SHORT_FORMS "|" ANY_BUT
                "(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?"
                "|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
    NULL};
static const char *const jais2[] = {
    SHORT_FORMS "|" ANY_BUT "\\p{L}+|\\p{N}{1,3}|" SYMBOLS
                "|\\s*[\\r\\n]+|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)"
                "|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s",
    NULL};

// Most families derive from GPT-2's.
static const struct pretokenizer_row rows[] = {
    {gpt2,
     " gpt-2 phi-2 mpt olmo jais trillion granite-docling gigachat a.x-4.0 mellum exaone4"
     " jina-es jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe modern-bert ",
     false, false},
    {digits_then_gpt2, " smollm starcoder refact command-r codeshell exaone minerva-7b mellum2 ",
     false, false},
    {llama3, " llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano ",
     true, true},
    {llama3, " dbrx smaug-bpe chatglm-bpe glm4 ", false, false},
    {qwen2, " qwen2 deepseek-r1-qwen megrez stablelm2 hunyuan solar-open kormo grok-2 f2llmv2 ",
     false, false},
    {qwen35, " qwen35 ", false, false},
    {minicpm5, " minicpm5 ", true, false},
    {tekken, " tekken ", true, true},
    {o200k, " gpt-4o llama4 kanana2 minimax-m2 talkie ", false, false},
    {kimi, " kimi-k2 ", false, false},
    {deepseek_llm, " deepseek-llm ", false, false},
    {deepseek_coder, " deepseek-coder ", false, false},
    {deepseek_v3, " deepseek-v3 hunyuan-dense hy_v4 joyai-llm ", false, false},
    {falcon, " falcon ", false, false},
    {unnamed, " default (none) ", false, false},
    {bloom, " bloom poro-chat gpt3-finnish ", false, false},
    {viking, " viking ", false, false},
    {seed, " seed-coder ", false, false},
    {bailing, " bailingmoe bailingmoe2 llada-moe ", false, false},
    {exaone_moe, " exaone-moe ", false, false},
    {jais2, " jais-2 ", false, false},
    {o200k, " granite-embed-multi-97m ", true, false},
    {spark, " spark2_5 ", false, false},
    {afmoe, " afmoe ", false, false},
    {tiny_aya, " tiny_aya cohere2moe ", false, false},
    {superbpe, " superbpe ", false, false},
    {laguna, " laguna ", false, false},
    {ufakzeka, " ufakzeka ", false, false},
    {youtu, " youtu ", true, false},
    {chameleon, " chameleon ", false, true},
};

static bool is_among(const char *names, struct gguf_string name) {
    const char *at = names;
    for (;;) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, " ");
        if (length == 0) return false;
        if (length == name.length && memcmp(at, name.bytes, length) == 0) return true;
        at += length;
    }
}

const struct pretokenizer_row *pretokenizer_find_row(struct gguf_string name) {
    if (name.length == 0) name = (struct gguf_string){"(none)", strlen("(none)")};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_among(rows[i].names, name)) return &rows[i];
    return NULL;
}

bool pretokenizer_is_of_characters(struct gguf_string name) {
    return is_among(" gemma4 granite-embed-multi-311m sarvam-moe ", name);
}
