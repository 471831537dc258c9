import { afterAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { startServer } from "../../src/server.ts";
import { gitWorkerUrl } from "../../src/workers.ts";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** An indexing worker that is ended because it is stuck, or that ends by itself, leaves no files: not even those that it writes in its last moment. */

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
const scratch = resources.use(new Scratch());
const app = resources.use(await TestApp.start({}, silentLogger));
const git = resources.use(
  new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: new URL("./stuck-index-worker.ts", import.meta.url),
    workers: 1,
    cacheBytes: 8 * 1024 * 1024,
    limits: { writeTimeoutMs: 1000, stallMs: 50 },
    log: silentLogger,
  }),
);
const { url } = resources.use(await startServer({ ...app.forge, git: { ...app.forge.git, engine: git } }, null));
const alice = await app.user("alice");
await app.repository(alice, "site", { default_branch: "main" });
const work = scratch.join("work");
await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
const temporary = () => readdirSync(app.forge.files.temporaryDirectory, { recursive: true });

test.each([
  ["is stuck", 10, "did not finish"],
  ["crashes", 200_000, "something went wrong"],
])("a push whose worker %s", async (_, bytes, reason) => {
  await Bun.write(join(work, "file"), randomBytes(bytes));
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", `${bytes} bytes`]);
  const { code, stderr } = await runGit(work, [
    "push",
    `${url.replace("://", `://alice:${alice.token}@`)}/alice/site.git`,
    "main",
  ]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) as unknown as string });
  await until("nothing is left", () => temporary().length === 0);
  expect(git.load).toBe(0);
});

test("a commit over the API whose worker is stuck", async () => {
  const response = await fetch(`${url}/api/v1/repos/alice/site/contents/file`, {
    method: "POST",
    headers: { authorization: `token ${alice.token}`, "content-type": "application/json" },
    body: JSON.stringify({ content: "dGV4dA==", message: "m" }),
  });
  expect(response.status).toBe(503);
  await until("nothing is left", () => temporary().length === 0);
});
