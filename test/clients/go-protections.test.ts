import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { findGo } from "../support/find-go.ts";
import { Scratch } from "../support/git.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";

/** Rules for branches and tags with the Go SDK of the family, through the small program in go/protections/. */

setDefaultTimeout(300_000);

const hasGo = findGo("protections with the Go SDK");

const app = await useTestApp();
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

test.if(hasGo)("the Go SDK makes rules, and meets them", async () => {
  const owner = await app.user("owner");
  const writer = await app.user("writer");
  await app.repository(owner, "site", { auto_init: true, default_branch: "main" });
  await owner.api.put("/repos/owner/site/collaborators/writer", { permission: "write" });
  const program = scratch.join("protections");
  const build = Bun.spawn(["go", "build", "-o", program, "./protections"], {
    cwd: join(import.meta.dir, "go"),
    stdout: "inherit",
    stderr: "inherit",
  });
  expect(await build.exited).toBe(0);
  const child = Bun.spawn([program, app.url, owner.name, testPassword, writer.name, "site"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: scratch.path },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ code, stderr, done: stdout.trim().split("\n") }).toEqual({
    code: 0,
    stderr: "",
    done: ["rules for branches", "what rules decide", "rules for tags"],
  });
});
