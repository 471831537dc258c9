import { afterAll, expect, test } from "bun:test";
import { CodeColours } from "../../highlight/code-colours.ts";
import { textWorkerUrl } from "../../workers.ts";
import { colourFile, colourFiles, linesOf } from "./colours.ts";

const colours = new CodeColours({ worker: textWorkerUrl, patienceMs: 120_000 });
afterAll(() => colours[Symbol.dispose]());
const forge = { colours };
const { signal } = new AbortController();

test("the end of the last line begins no further one", () => {
  expect(linesOf("a\r\nb\n")).toEqual(["a\r", "b"]);
  expect(linesOf("a")).toEqual(["a"]);
  expect(linesOf("")).toEqual([]);
});

test("each line has its own colours, also of what goes over several", async () => {
  const text = "/* a\n <b> */\nlet x = `1\n2`;\r\n\nclass A { m() {} }\n";
  const { lines, symbols } = await colourFile(forge, { oid: "1", path: "src/a.ts", text }, signal);
  expect(lines.map((line) => line.text)).toEqual([
    "<i class=c>/* a</i>",
    "<i class=c> &lt;b&gt; */</i>",
    "<i class=k>let</i> x = <i class=s>`1</i>",
    "<i class=s>2`</i>;\r",
    "",
    "<i class=k>class</i> <i class=t>A</i> { <i class=f>m</i>() {} }",
  ]);
  expect(symbols).toEqual([
    { name: "A", kind: "class", line: 6, depth: 0 },
    { name: "m", kind: "method", line: 6, depth: 1 },
  ]);
});

test("a file in no language that is known is plain, and escaped", async () => {
  const { lines, symbols } = await colourFile(forge, { oid: "2", path: "NOTES", text: "a & <b>\nc" }, signal);
  expect(lines.map((line) => line.text)).toEqual(["a &amp; &lt;b&gt;", "c"]);
  expect(symbols).toEqual([]);
});

test("a file is read once, and one that nobody can read has no colours", async () => {
  let reads = 0;
  const file = (oid: string, text: string | null) => ({
    oid,
    path: "a.go",
    read: async () => {
      reads++;
      return text;
    },
  });
  const files = [
    file("3", "func f() {}"),
    file("4", null),
    { ...file("5", ""), read: () => Promise.reject(new Error("lost")) },
  ];
  const [first, ...others] = await colourFiles(forge, files, signal);
  expect(first?.map((line) => line.text)).toEqual(["<i class=k>func</i> <i class=f>f</i>() {}"]);
  expect(others).toEqual([null, null]);
  expect(await colourFiles(forge, files.slice(0, 2), signal)).toEqual([first!, null]);
  expect(reads).toBe(2);
});
