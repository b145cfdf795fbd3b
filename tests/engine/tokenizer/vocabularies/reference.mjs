// tests/engine/tokenizer/vocabularies/reference.mjs — ids as Hugging Face's tokenizers and llama.cpp have them.
//
// Reads one JSON request from stdin: {"texts": [["text" | "control", TEXT], …], "files": [PATH, …]}, and
// writes a line for each file: its ids for each text as JSON, or {"error": WHY}. Files are NAME.json, a
// tokenizer.json, or NAME.gguf. Runs where node_modules has the packages tokenizers and node-llama-cpp.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

const {texts, files} = JSON.parse(readFileSync(0, "utf8")); // before stdin is made non-blocking
const require = createRequire(process.cwd() + "/");
const {Tokenizer} = require("tokenizers");
const {getLlama, LlamaLogLevel} = await import(require.resolve("node-llama-cpp"));
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.disabled});

async function idsOfJson(path) {
    const tokenizer = Tokenizer.fromFile(path);
    const ids = [];
    for (const [, text] of texts)
        ids.push((await tokenizer.encode(text, null, {addSpecialTokens: false})).getIds());
    return ids;
}

async function idsOfGguf(path) {
    const model = await llama.loadModel({modelPath: path, vocabOnly: true});
    const ids = texts.map(([kind, text]) => [...model.tokenize(text, kind === "control")]);
    await model.dispose();
    return ids;
}

for (const path of files) {
    let answer;
    try {
        answer = await (path.endsWith(".json") ? idsOfJson(path) : idsOfGguf(path));
    } catch (error) {
        answer = {error: String(error.message ?? error)};
    }
    process.stdout.write(JSON.stringify(answer) + "\n");
}
process.exit(0);
