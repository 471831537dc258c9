import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allVariables } from "../config/env.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "stithy-restart-")));
afterAll(() => rmSync(root, { recursive: true }));

const directory = join(root, "some where");
mkdirSync(directory);
writeFileSync(
  join(directory, "main.ts"),
  `import { restartWithoutGcTimer } from ${JSON.stringify(join(import.meta.dir, "restart-without-gc-timer.ts"))};
restartWithoutGcTimer();
console.log(JSON.stringify([process.pid, process.cwd(), process.env.BUN_GC_TIMER_DISABLE, process.argv.slice(1), process.execArgv.includes("--smol")]));`,
);

const args = ["serve", "", "a b", "--x=1", "--", "--y"];

test.each([
  ["a path with a space", root, [join("some where", "main.ts")], false],
  ["an option of Bun", directory, ["--smol", "main.ts"], true],
  ["a directory to begin in, relative to this one", root, ["--cwd", "some where", "--smol", "main.ts"], true],
  ["the same in one word", root, ["--cwd=some where", "main.ts"], false],
])("keeps its arguments and is where it was, started with %s", (_, cwd, command, smol) => {
  const { pid, stdout, stderr } = Bun.spawnSync([process.execPath, ...command, ...args], {
    cwd,
    env: { ...allVariables(), BUN_GC_TIMER_DISABLE: undefined },
  });
  expect(stderr.toString()).toBe("");
  expect(JSON.parse(stdout.toString())).toEqual([
    pid,
    command[0]?.startsWith("--cwd") === true ? directory : cwd,
    "1",
    [join(directory, "main.ts"), ...args],
    smol,
  ]);
});
