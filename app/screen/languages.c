#include "app/screen/languages.h"

#include <string.h>
#include <strings.h>

#define C_COMMENTS    .line_comments = {"//"}, .comment = {"/*", "*/"}
#define HASH_COMMENTS .line_comments = {"#"}
#define C_KEYWORDS                                                                             \
    "auto bool break case char const continue default do double else enum extern false float " \
    "for goto if inline int long NULL register restrict return short signed sizeof static "    \
    "struct switch true typedef union unsigned void volatile while size_t ssize_t int8_t "     \
    "int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t #include #define #ifdef "      \
    "#ifndef #if #else #elif #endif #pragma #undef #error"
#define JS_KEYWORDS                                                                             \
    "async await break case catch class const continue debugger default delete do else export " \
    "extends false finally for from function get if import in instanceof let new null of "      \
    "return set static super switch this throw true try typeof undefined var void while yield"

// clang-format off
static const struct language TABLE[] = {
    {.names = "c h", C_COMMENTS, .strings = {"\"", "'"}, .keywords = C_KEYWORDS},
    {.names = "cpp c++ cc cxx hpp cuda cu", C_COMMENTS, .strings = {"\"", "'"},
     .keywords = C_KEYWORDS " alignas and catch class concept constexpr decltype delete explicit final friend mutable "
                 "namespace new noexcept not nullptr operator or override private protected public requires "
                 "static_assert static_cast template this throw try typename using virtual __global__ __device__ "
                 "__host__ __shared__"},
    {.names = "python py python3", HASH_COMMENTS, .strings = {"\"\"\"", "'''", "\"", "'"}, .long_strings = "\"\"\" '''",
     .keywords = "and as assert async await break case class continue def del elif else except False finally for from "
                 "global if import in is lambda match None nonlocal not or pass raise return self True try while with "
                 "yield"},
    {.names = "javascript js jsx mjs node", C_COMMENTS, .strings = {"\"", "'", "`"}, .long_strings = "`",
     .keywords = JS_KEYWORDS},
    {.names = "typescript ts tsx", C_COMMENTS, .strings = {"\"", "'", "`"}, .long_strings = "`",
     .keywords = JS_KEYWORDS " abstract any as boolean declare enum implements interface is keyof namespace never number "
                 "object private protected public readonly string type unknown"},
    {.names = "java", C_COMMENTS, .strings = {"\"\"\"", "\"", "'"}, .long_strings = "\"\"\"",
     .keywords = "abstract assert boolean break byte case catch char class const continue default do double else enum "
                 "extends false final finally float for if implements import instanceof int interface long native new "
                 "null package private protected public record return short static super switch synchronized this throw "
                 "throws transient true try var void volatile while"},
    {.names = "kotlin kt", C_COMMENTS, .strings = {"\"\"\"", "\"", "'"}, .long_strings = "\"\"\"",
     .keywords = "as break by class companion constructor continue data do else false for fun if import in init "
                 "interface internal is null object open override package private protected public return sealed super "
                 "suspend this throw true try typealias val var when while"},
    {.names = "swift", C_COMMENTS, .strings = {"\"\"\"", "\""}, .long_strings = "\"\"\"",
     .keywords = "as async await break case catch class continue default defer do else enum extension false for func "
                 "guard if import in init inout internal is let nil private protocol public return self static struct "
                 "super switch throw throws true try typealias var where while"},
    {.names = "csharp cs c#", C_COMMENTS, .strings = {"\"", "'"},
     .keywords = "abstract as async await base bool break byte case catch char class const continue decimal default "
                 "delegate do double else enum event false finally float for foreach get if in int interface internal is "
                 "lock long namespace new null object out override params private protected public readonly record ref "
                 "return sealed set static string struct switch this throw true try typeof uint ulong using var virtual "
                 "void while yield"},
    {.names = "go golang", C_COMMENTS, .strings = {"\"", "'", "`"}, .long_strings = "`",
     .keywords = "any bool break byte case chan const continue default defer else error fallthrough false float64 for "
                 "func go goto if import int int32 int64 interface iota map nil package range return rune select string "
                 "struct switch true type uint8 var"},
    {.names = "rust rs", C_COMMENTS, .strings = {"\""}, .long_strings = "\"",
     .keywords = "as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if "
                 "impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u8 "
                 "u32 u64 unsafe use usize where while"},
    {.names = "zig", .line_comments = {"//"}, .strings = {"\"", "'"},
     .keywords = "and anytype async await bool break catch comptime const continue defer else enum errdefer error export "
                 "extern false fn for if inline null or orelse pub return struct switch test true try undefined union "
                 "unreachable usize var void while"},
    {.names = "php", .line_comments = {"//", "#"}, .comment = {"/*", "*/"}, .strings = {"\"", "'"}, .long_strings = "\" '",
     .keywords = "abstract and array as break case catch class const continue default do echo else elseif extends false "
                 "final finally fn for foreach function global if implements include instanceof interface match "
                 "namespace new null or private protected public require return static switch this throw trait true try "
                 "use var while yield"},
    {.names = "ruby rb", HASH_COMMENTS, .strings = {"\"", "'"},
     .keywords = "alias and begin break case class def defined? do else elsif end ensure false for if in module next nil "
                 "not or puts redo require rescue retry return self super then true undef unless until when while yield"},
    {.names = "perl pl", HASH_COMMENTS, .strings = {"\"", "'"},
     .keywords = "and else elsif for foreach if last local my next not or our package print return sub undef unless until "
                 "use while"},
    {.names = "lua", .line_comments = {"--"}, .comment = {"--[[", "]]"}, .strings = {"\"", "'"},
     .keywords = "and break do else elseif end false for function goto if in local nil not or repeat return then true "
                 "until while"},
    {.names = "haskell hs", .line_comments = {"--"}, .comment = {"{-", "-}"}, .strings = {"\""},
     .keywords = "case class data deriving do else if import in infix instance let module newtype of otherwise then type "
                 "where"},
    {.names = "r", HASH_COMMENTS, .strings = {"\"", "'"},
     .keywords = "break else FALSE for function if in library NA next NULL repeat return TRUE while"},
    {.names = "bash sh shell zsh console", HASH_COMMENTS, .strings = {"\"", "'"}, .long_strings = "\" '",
     .keywords = "case cd do done echo elif else esac exit export fi for function if in local read return set shift sudo "
                 "then trap unset until while"},
    {.names = "sql sqlite mysql postgresql", .line_comments = {"--"}, .comment = {"/*", "*/"}, .strings = {"'", "\""},
     .any_case = true, .raw = true,
     .keywords = "add all alter and as asc begin between by case cast check column commit constraint create cross database "
                 "default delete desc distinct drop else end exists foreign from full group having if in index inner "
                 "insert integer into is join key left like limit not null offset on or order outer primary recursive "
                 "references right rollback select set table text then transaction union unique update using values "
                 "varchar view when where with"},
    {.names = "json jsonc json5 jsonl", C_COMMENTS, .strings = {"\""}, .keywords = "true false null"},
    {.names = "yaml yml", HASH_COMMENTS, .strings = {"\""}, .keywords = "true false null yes no"},
    {.names = "toml ini conf", .line_comments = {"#", ";"}, .strings = {"\"\"\"", "\""}, .long_strings = "\"\"\"",
     .keywords = "true false"},
    {.names = "html xml svg", .comment = {"<!--", "-->"}, .strings = {"\""}, .keywords = "", .raw = true},
    {.names = "css scss", .comment = {"/*", "*/"}, .strings = {"\"", "'"}, .keywords = "important inherit none auto"},
    {.names = "dockerfile docker", HASH_COMMENTS, .strings = {"\""},
     .keywords = "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME WORKDIR AS"},
    {.names = "makefile make cmake", HASH_COMMENTS, .strings = {"\""},
     .keywords = "else endif function if include set ifdef ifeq ifneq ifndef endfunction foreach endforeach"},
};
// clang-format on
enum { LANGUAGE_COUNT = sizeof TABLE / sizeof TABLE[0] };

// Is the word among those that blanks separate?
static bool has_word(const char *words, const char *word, size_t length, bool any_case) {
    while (*words) {
        const size_t size = strcspn(words, " ");
        if (size == length &&
            (any_case ? strncasecmp(words, word, length) == 0 : strncmp(words, word, length) == 0))
            return true;
        words += size + (words[size] == ' ');
    }
    return false;
}

const struct language *language_find(const char *name, size_t length) {
    for (size_t i = 0; length > 0 && i < LANGUAGE_COUNT; i++)
        if (has_word(TABLE[i].names, name, length, true)) return &TABLE[i];
    return NULL;
}

bool language_has_keyword(const struct language *language, const char *word, size_t length) {
    return has_word(language->keywords, word, length, language->any_case);
}

bool language_has_long_string(const struct language *language, const char *quote) {
    return language->long_strings && has_word(language->long_strings, quote, strlen(quote), false);
}
