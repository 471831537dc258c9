import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Scratch } from "../support/git.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";

/** Forks with the Go SDK of the family, through the small program in go/. */

const hasGo = Bun.which("go") !== null;
if (!hasGo) {
  console.log("LEFT OUT: the Go SDK's forks, because there is no go");
}

const app = await useTestApp();
await app.admin("root-of-all");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

test.if(hasGo)(
  "the Go SDK forks repositories and brings forks up to date",
  async () => {
    const program = scratch.join("sdk");
    const build = Bun.spawn(["go", "build", "-o", program, "."], {
      cwd: join(import.meta.dir, "go"),
      stdout: "inherit",
      stderr: "inherit",
    });
    expect(await build.exited).toBe(0);
    const child = Bun.spawn([program, app.url, "root-of-all", testPassword, "forks"], {
      env: { PATH: process.env["PATH"] ?? "", HOME: scratch.path },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect({ code, stderr, done: stdout.trim().split("\n") }).toEqual({
      code: 0,
      stderr: "",
      done: [
        "repositories are forked, and forks are listed",
        "forks are brought up to date",
        "forks follow their parent, and outlive it",
      ],
    });
  },
  300_000,
);
