import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { npmClient } from "../support/installed-clients.ts";
import { Scratch } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";
import { missingPrograms } from "../registries/shared/run-program.ts";

/** Renovate with its usual configuration: it offers its own, then updates a dependency of a registry that this test serves. */

setDefaultTimeout(300_000);

const isMissing = missingPrograms("Renovate", ["node", "npm", "git"]);
const app = await useTestApp();
const alice = await app.user("alice");
const bot = await app.user("renovate-bot");
const scratch = new Scratch();
const released = { "1.0.0": "2020-01-01T00:00:00.000Z", "1.1.0": new Date().toISOString() };

const registry = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    const { origin } = new URL(url);
    const versions = Object.keys(released).map((version) => [
      version,
      { name: "anvil", version, dist: { tarball: `${origin}/anvil-${version}.tgz` } },
    ]);
    const latest = { latest: "1.1.0" };
    return Response.json({
      name: "anvil",
      "dist-tags": latest,
      versions: Object.fromEntries(versions),
      time: released,
    });
  },
});
afterAll(async () => {
  await registry.stop(true);
  scratch[Symbol.dispose]();
});

async function renovate(program: string): Promise<void> {
  const child = Bun.spawn(["node", program, "alice/site"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: scratch.path,
      LOG_FORMAT: "json",
      RENOVATE_PLATFORM: "gitea",
      RENOVATE_ENDPOINT: `${app.url}/api/v1/`,
      RENOVATE_TOKEN: bot.token,
      RENOVATE_BASE_DIR: scratch.join("base"),
      RENOVATE_GIT_AUTHOR: "Renovate Bot <renovate-bot@example.com>",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const warnings = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    // It is installed without the scripts of its dependencies, one of which compiles this.
    .filter(({ level, msg }) => level >= 40 && !msg.startsWith("RE2 not usable"));
  expect({ code, warnings, stderr }).toEqual({ code: 0, warnings: [], stderr: "" });
}

interface Pull {
  number: number;
  title: string;
  user: { login: string };
  head: { ref: string; sha: string };
}
const at = "/repos/alice/site";
const pulls = async () => (await alice.api.get<Pull[]>(`${at}/pulls`)).body;
const write = (path: string, text: string) =>
  alice.api.post(`${at}/contents/${path}`, { content: btoa(text), message: `Add ${path}` });

describe.skipIf(isMissing)("Renovate", () => {
  test("offers its configuration, and then a pull request with a status for the update", async () => {
    const program = await npmClient("renovate", "39.264.1");
    await app.repository(alice, "site", { auto_init: true });
    await alice.api.put(`${at}/collaborators/renovate-bot`, { permission: "write" });
    const manifest = { name: "site", dependencies: { anvil: "1.0.0" } };
    expect((await write("package.json", `${JSON.stringify(manifest, null, 2)}\n`)).status).toBe(201);
    expect((await write(".npmrc", `registry=${registry.url.href}\n`)).status).toBe(201);

    await renovate(program);
    const [offered, ...others] = await pulls();
    expect([offered?.title, offered?.user.login, others]).toEqual(["Configure Renovate", "renovate-bot", []]);
    expect((await alice.api.post(`${at}/pulls/${offered?.number}/merge`, { Do: "merge" })).status).toBe(200);
    const { sha } = (await alice.api.get<{ sha: string }>(`${at}/contents/renovate.json`)).body;
    const config = { extends: ["config:recommended"], minimumReleaseAge: "3 days", internalChecksFilter: "none" };
    const content = btoa(JSON.stringify(config));
    const changed = await alice.api.put(`${at}/contents/renovate.json`, { sha, content, message: "Wait for releases" });
    expect(changed.status).toBe(200);

    await renovate(program);
    const [update, ...more] = await pulls();
    expect([update?.title, update?.head.ref, more]).toEqual([
      "Update dependency anvil to v1.1.0",
      "renovate/anvil-1.x",
      [],
    ]);
    const manifestOfUpdate = await fetch(`${app.url}/alice/site/raw/branch/renovate/anvil-1.x/package.json`);
    expect(((await manifestOfUpdate.json()) as { dependencies: object }).dependencies).toEqual({ anvil: "1.1.0" });
    const { body } = await alice.api.get<{ statuses: { context: string; status: string }[] }>(
      `${at}/commits/${update?.head.sha}/status`,
    );
    expect(body.statuses.map(({ context, status }) => [context, status])).toEqual([
      ["renovate/stability-days", "pending"],
    ]);
    const issues = await alice.api.get<{ title: string }[]>(`${at}/issues?type=issues`);
    expect(issues.body.map(({ title }) => title)).toEqual(["Dependency Dashboard"]);
  });
});
