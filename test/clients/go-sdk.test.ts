import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findGo } from "../support/find-go.ts";
import { Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";

/** The Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK");

const app = await useTestApp();
await app.admin("root-of-all");
const keys = [new SshKeyPair(), new SshKeyPair()];
const scratch = new Scratch();
const program = scratch.join("sdk");

afterAll(() => {
  for (const key of keys) {
    key[Symbol.dispose]();
  }
  scratch[Symbol.dispose]();
});

describe.if(hasGo)("the Go SDK", () => {
  beforeAll(async () => {
    const build = Bun.spawn(["go", "build", "-o", program, "."], {
      cwd: join(import.meta.dir, "go"),
      stdout: "inherit",
      stderr: "inherit",
    });
    expect(await build.exited).toBe(0);
  }, 300_000);

  test("works with users, credentials, organizations and teams", async () => {
    const child = Bun.spawn([program, app.url, "root-of-all", testPassword, ...keys.map((key) => key.publicKey)], {
      env: { PATH: process.env["PATH"] ?? "", HOME: scratch.path },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect({ code, stderr, done: stdout.trim().split("\n") }).toEqual({
      code: 0,
      stderr: "",
      done: [
        "version 1.26.0",
        "users are created",
        "users look after themselves",
        "administrators suspend, promote, rename and delete users",
        "tokens",
        "keys",
        "addresses",
        "applications",
        "organizations are created, changed and listed",
        "teams give access and take it away",
        "members come and go, and the last owner stays",
        "organizations are renamed and deleted",
      ],
    });
  });
});
