# tests/harness/gguf.sh — small GGUF files, for tests that are shell scripts.

# begin TENSORS KEY VALUE …: how a GGUF file with those strings begins
begin() {
    printf "GGUF\\003\\0\\0\\0\\00$1\\0\\0\\0\\0\\0\\0\\0"
    shift
    printf "\\00$(printf %o $(($# / 2)))\\0\\0\\0\\0\\0\\0\\0"
    while [ $# -gt 0 ]; do
        printf "\\0$(printf %o ${#1})\\0\\0\\0\\0\\0\\0\\0%s\\010\\0\\0\\0" "$1"
        printf "\\0$(printf %o ${#2})\\0\\0\\0\\0\\0\\0\\0%s" "$2"
        shift 2
    done
}

# adapter NAME FAMILY BYTE: LoRA of rank 1 for the demo model's first queries, in fp16, all 0.13; rows
# of the first half are BYTE * 256 long, and should be 512
adapter() {
    half='\032\0\0\0\0\0\0\0blk.0.attn_q.weight.lora'
    second=$(printf '\\%03o' $((2 * ${3#\\00}))) # of the offset of what is behind those rows
    {
        begin 2 general.type adapter general.architecture "$2" adapter.type lora
        printf "${half}_a\\002\\0\\0\\0\\0$3\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"
        printf "${half}_b\\002\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\0\\002\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\0$second\\0\\0\\0\\0\\0\\0"
    } >"$1"
    head -c $(((32 - $(wc -c <"$1") % 32) % 32)) /dev/zero >>"$1"
    printf '%02048d' 0 >>"$1"
}
