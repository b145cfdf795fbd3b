# tests/harness/tokenizer.sh — a tokenizer for the small folders of tests/golden, for tests that are shell
# scripts.

# write_tokenizer FOLDER END: a token for each letter up to END, so that the smallest of vocabularies
# has them all.
write_tokenizer() {
    awk -v end="$2" 'BEGIN {
        special = "\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special\":true}"
        printf "{\"added_tokens\":[{\"id\":0,\"content\":\"<unk>\",%s,{\"id\":1,\"content\":\"<s>\",%s,{\"id\":2,\"content\":\"</s>\",%s],", special, special, special
        printf "\"normalizer\":null,\"pre_tokenizer\":null,\"post_processor\":null,\"decoder\":{\"type\":\"Fuse\"},"
        printf "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"merges\":[],\"vocab\":{\"<unk>\":0,\"<s>\":1,\"</s>\":2"
        for (c = 32; c < end; c++) {
            letter = sprintf("%c", c)
            if (letter == "\"" || letter == "\\") letter = "\\" letter
            printf ",\"%s\":%d", letter, c - 29
        }
        print "}}}"
    }' >"$1/tokenizer.json"
}
