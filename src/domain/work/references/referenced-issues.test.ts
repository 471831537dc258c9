import { expect, test } from "bun:test";
import { referencedIssues } from "./referenced-issues.ts";

const server = "https://forge.example";
const find = (text: string) =>
  referencedIssues(text, server).map(
    ({ place, number, sign, action }) =>
      `${place === null ? "" : `${place.owner}/${place.repository}`}${sign}${number}${action === null ? "" : ` ${action}`}`,
  );

test("issues are named by number, by repository and by address", () => {
  expect(find("See #1, !2 and smith/anvil#3. (#4)\n#1 again")).toEqual(["#1", "!2", "smith/anvil#3", "#4"]);
  expect(find(`As ${server}/smith/anvil/issues/5#issuecomment-7, or <${server}/Smith/Anvil/pulls/5>.`)).toEqual([
    "Smith/Anvil#5",
  ]);
});

test("what is code, or names something else, is none", () => {
  expect(find("`#1`\n```\n#2\n```\n~~~\n#3\n~~~ \na#4 #05 #0 &#39; ##6 1.#7 #8a")).toEqual([]);
  expect(find(`${server}/a/b/wiki/1 https://other.example/a/b/issues/1 ${server}.evil.example/a/b/issues/1`)).toEqual(
    [],
  );
  expect(referencedIssues("http://127.0.0.1/a/b/issues/1", null)).toEqual([]);
});

test("words right before one say what is to become of it", () => {
  for (const word of ["close", "Closes", "closed", "FIX", "fixes", "fixed", "resolve", "resolves", "Resolved:"]) {
    expect(find(`${word} #1`)).toEqual(["#1 closes"]);
  }
  for (const word of ["reopen", "reopens", "Reopened", "reopens:"]) {
    expect(find(`${word} smith/anvil#1`)).toEqual(["smith/anvil#1 reopens"]);
  }
  expect(find(`(fixes ${server}/smith/anvil/issues/1)`)).toEqual(["smith/anvil#1 closes"]);
  for (const text of [
    "prefixes #1",
    "unclosed #1",
    "fixing #1",
    "closes: the #1",
    "closes\n#1",
    "fix#1 closes#2",
    "`closes` #1",
  ]) {
    expect([text, find(text).filter((one) => one.includes(" "))]).toEqual([text, []]);
  }
  // One word is for one issue, and the last word counts.
  expect(find("closes #1, #2")).toEqual(["#1 closes", "#2"]);
  expect(find("closes #1\nreopens #1\nsee #1")).toEqual(["#1 reopens"]);
});

test("a text names 100 issues at most, and a long one takes no longer for it", () => {
  const many = Array.from({ length: 300 }, (_, index) => `#${index + 1}`).join(" ");
  expect(find(many)).toHaveLength(100);
  for (const text of [
    "a/".repeat(200_000),
    "#".repeat(400_000),
    "https://".repeat(50_000),
    "fix ".repeat(100_000),
    "a-".repeat(200_000),
  ]) {
    expect(find(text)).toEqual([]);
  }
});

test("the first 2,000 references of a text are read, however often they name the same", () => {
  expect(find(`${"#1 ".repeat(1999)}closes #2, fixes #3`)).toEqual(["#1", "#2 closes"]);
});
