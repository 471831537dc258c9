import { expect, test } from "bun:test";
import { isBranchName, isRefName, isTagName } from "./ref-name.ts";

test("a full name has two components at least", () => {
  expect(isRefName("refs/heads/main")).toBe(true);
  expect(isRefName("refs/heads/é/@")).toBe(true);
  expect(isRefName("HEAD")).toBe(false);
  expect(isRefName("refs/heads//main")).toBe(false);
  expect(isRefName("refs/heads/\ud800")).toBe(false);
});

test("branches and tags have rules of their own", () => {
  expect(isBranchName("HEAD")).toBe(false);
  expect(isBranchName("-x")).toBe(false);
  expect(isBranchName("feature/x")).toBe(true);
  expect(isTagName("-x")).toBe(false);
  expect(isTagName("v1.0")).toBe(true);
});

test("agrees with git check-ref-format on generated names", () => {
  const pieces = [
    "a",
    "refs",
    "/",
    ".",
    "..",
    ".lock",
    "@",
    "{",
    "@{",
    "~",
    "^",
    ":",
    "?",
    "*",
    "[",
    "\\",
    " ",
    "\t",
    "\x7f",
    "é",
    "-",
    "HEAD",
    "lock",
  ];
  let seed = 12345;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  const names = new Set<string>();
  while (names.size < 400) {
    let name = next(2) === 0 ? "refs/" : "";
    for (let count = 1 + next(5); count > 0; count--) {
      name += pieces[next(3) === 0 ? next(pieces.length) : next(8)] ?? "";
    }
    if (name !== "") {
      names.add(name);
    }
  }
  const list = [...names];
  const script = `for n in "$@"; do git check-ref-format "$n" && echo 1 || echo 0; done`;
  const { stdout } = Bun.spawnSync(["sh", "-c", script, "sh", ...list]);
  const answers = stdout.toString().trim().split("\n");
  const wrong = list.filter((name, index) => isRefName(name) !== (answers[index] === "1"));
  expect(wrong).toEqual([]);
  expect(answers).toContain("1");
  expect(answers.filter((answer) => answer === "0").length).toBeGreaterThan(50);
});
