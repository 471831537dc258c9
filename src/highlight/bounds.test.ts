import { afterAll, expect, test } from "bun:test";
import { textWorkerUrl } from "../workers.ts";
import { CodeColours } from "./code-colours.ts";
import { highlightFile } from "./highlight-code.ts";

const { signal } = new AbortController();
const colours = new CodeColours({ worker: textWorkerUrl, patienceMs: 120_000 });
afterAll(() => colours[Symbol.dispose]());

/** Texts that are made to keep a parser busy. */
const hostile: readonly (readonly [path: string, text: string])[] = [
  ["deep.ts", "(".repeat(200_000)],
  ["deep.json", "[".repeat(200_000)],
  ["deep.py", Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}if a:\n`).join("")],
  ["deep.html", "<div>".repeat(80_000)],
  ["deep.md", `${"> ".repeat(20_000)}a`],
  ["links.md", "[a](".repeat(50_000)],
  ["stars.md", "*a **b ".repeat(40_000)],
  ["generics.ts", `let a = ${"b<".repeat(80_000)}`],
  ["templates.ts", "`${".repeat(80_000)],
  ["arrows.ts", "(a,".repeat(80_000)],
  ["generics.cpp", "a<b<".repeat(50_000)],
  ["casts.java", "(a)".repeat(80_000)],
  ["line.js", `a${" ".repeat(200_000)}b`],
  ["line.sh", `a="${"\\".repeat(200_000)}`],
  ["quotes.rb", "%q(".repeat(60_000)],
  ["lines.rb", "<<A\n".repeat(50_000)],
  ["words.sql", `${"a ".repeat(2400)}\n`.repeat(80)],
  ["spaces.nix", `${" ".repeat(4900)}\n`.repeat(80)],
  ["words.tf", `${"a-".repeat(2400)}\n`.repeat(80)],
  ["blocks.tf", `${"a ".repeat(2400)}\n`.repeat(80)],
  ["names.nix", `${"a.".repeat(2400)}\n`.repeat(80)],
  ["names.mk", `${"a ".repeat(2400)}\n`.repeat(80)],
  ["strings.ex", `${"~a(".repeat(1600)}\n`.repeat(80)],
  ["modifiers.cs", `${"public ".repeat(700)}\n`.repeat(80)],
];

test.each(hostile)("%s ends soon after its time", async (path, text) => {
  await highlightFile(path, "a", 100);
  const started = performance.now();
  const found = await highlightFile(path, text, 100);
  const took = performance.now() - started;
  expect(took).toBeLessThan(100 * 50);
  if (found !== null) {
    expect(found.markup.split("\n")).toHaveLength(text.split("\n").length);
  }
});

test("the main thread goes on meanwhile, and a text that is too long stays plain", async () => {
  const text = "export const a = (b: number) => b + 1; // c\n";
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  const files = [1, 2, 3].map((n) => ({ oid: `${n}`, path: "a.ts", read: async () => text.repeat(8000) }));
  const found = await colours.find(files, signal);
  clearInterval(turning);
  expect(found.map((one) => one?.markup.split("\n").length)).toEqual([8001, 8001, 8001]);
  expect(turns).toBeGreaterThan(20);
  const large = { oid: "4", path: "a.ts", read: async () => text.repeat(120_000) };
  expect(await colours.find([large], signal)).toEqual([null]);
});

test("a page does not wait for longer than it may, and has the colours later", async () => {
  await using hasty = new AsyncDisposableStack();
  const one = hasty.use(new CodeColours({ worker: textWorkerUrl, patienceMs: 0 }));
  const { promise, resolve } = Promise.withResolvers<string>();
  const file = { oid: "1", path: "a.go", read: async () => promise };
  expect(await one.find([file], signal)).toEqual([null]);
  const again = one.find([file], signal);
  resolve("var a");
  expect((await again)[0]?.markup).toBe("<i class=k>var</i> a");
});

test("a text that a thread does not come back from is not tried again", async () => {
  using stuck = new CodeColours({
    worker: URL.createObjectURL(new Blob(["for (;;) {}"], { type: "application/javascript" })),
    patienceMs: 120_000,
  });
  let reads = 0;
  const read = async (): Promise<string> => `${++reads}`;
  const file = { oid: "1", path: "a.go", read };
  expect(await stuck.find([file], signal)).toEqual([null]);
  expect(await stuck.find([file], signal)).toEqual([null]);
  expect(reads).toBe(1);
});
