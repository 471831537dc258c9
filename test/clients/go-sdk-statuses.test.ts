import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";

/** Statuses of commits and the server's signing key with the Go SDK of the family, through the small program in go/. */

const hasGo = Bun.which("go") !== null;
if (!hasGo) {
  console.log("LEFT OUT: the Go SDK's statuses, because there is no go");
}

const key = new SshKeyPair();
const app = await useTestApp({ git: { signing_key: key.path } });
await app.admin("root-of-all");
const scratch = new Scratch();
afterAll(() => {
  scratch[Symbol.dispose]();
  key[Symbol.dispose]();
});

test.if(hasGo)(
  "the Go SDK works with statuses and the signing key",
  async () => {
    const program = scratch.join("sdk");
    const build = Bun.spawn(["go", "build", "-o", program, "."], {
      cwd: join(import.meta.dir, "go"),
      stdout: "inherit",
      stderr: "inherit",
    });
    expect(await build.exited).toBe(0);
    const child = Bun.spawn([program, app.url, "root-of-all", testPassword, "statuses"], {
      env: { PATH: process.env["PATH"] ?? "", HOME: scratch.path },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect({ code, stderr, done: stdout.trim().split("\n") }).toEqual({
      code: 0,
      stderr: "",
      done: ["statuses are created", "statuses are listed and combined", "the server's key verifies its commits"],
    });
  },
  300_000,
);
