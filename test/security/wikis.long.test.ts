import { afterAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { mustGit, Scratch } from "../support/git.ts";
import { productDocument } from "../contract/product-document.ts";
import type { ApiClient } from "../support/client.ts";
import { inParallel } from "../support/in-parallel.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

/**
 * A wiki is a repository of its own, and nothing shows it but the operations of wikis: each GET that the API has, also
 * those that come later, answers the same before and after the wikis of a forge are written.
 */

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1_000_000 } });
const root = await app.admin("root");
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.organization("works", alice);
const site = await app.repository(alice, "site", { auto_init: true, readme: "Default" });
const made = await alice.api.post<{ id: number }>("/orgs/works/repos", {
  name: "site",
  private: true,
  auto_init: true,
});
const team = await makeTeam(alice, "works", { name: "docs", permission: "write", includes_all_repositories: true }, [
  bob,
]);
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());
await mustGit(scratch.path, ["init", "-q", "-b", "main"]);
await writeFile(scratch.join("Home.md"), "Only the wiki has this\n");
await mustGit(scratch.path, ["add", "-A"]);
await mustGit(scratch.path, ["commit", "-q", "-m", "Only the wiki has this"]);
await mustGit(scratch.path, ["tag", "wiki-tag"]);
const commit = await mustGit(scratch.path, ["rev-parse", "HEAD"]);
const blob = await mustGit(scratch.path, ["rev-parse", "HEAD:Home.md"]);

/** What may stand for a parameter of a path: what is there, and what would be a wiki's. */
const values: Readonly<Record<string, readonly (string | number)[]>> = {
  owner: ["alice", "works"],
  repo: ["site", "site.wiki"],
  username: ["alice"],
  org: ["works"],
  id: [site.id, -site.id, made.body.id, -made.body.id, team.id, alice.id],
  sha: ["main", commit, blob],
  ref: ["main", "heads/main", "tags/wiki-tag"],
  branch: ["main"],
  tag: ["wiki-tag"],
  filepath: ["README.md", "Home.md"],
  basehead: [`main...${commit}`],
  archive: ["main.tar.gz", `${commit}.zip`],
};
/** What finds more than the bare list does, where an operation takes it. */
const queries: Readonly<Record<string, readonly string[]>> = {
  q: ["?q=site", "?q=wiki"],
  sort: ["?sort=size&order=desc"],
};

function fill(template: string): string[] {
  const [, name] = /\{([^}]+)\}/.exec(template) ?? [];
  return name === undefined
    ? [template]
    : (values[name] ?? []).flatMap((value) => fill(template.replace(`{${name}}`, encodeURIComponent(value))));
}

const paths = Object.entries(productDocument().paths).flatMap(([path, { get }]) => {
  const asked = (get?.parameters ?? []).flatMap(({ in: place, name }) => (place === "query" && queries[name]) || []);
  // The bytes of wikis count for their owner.
  return get === undefined || path.includes("/wiki/") || path.endsWith("/quota")
    ? []
    : ["", ...asked].flatMap((query) => fill(path.replace(/^\/api\/v1/, "")).map((filled) => filled + query));
});
const callers: readonly ApiClient[] = [app.anonymous, bob.api, root.api];

async function look(as = callers): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const asked = as.flatMap((caller) => paths.map((path) => ({ caller, path })));
  await inParallel(asked, async ({ caller, path }) => {
    const response = await caller.fetch("GET", path);
    const total = response.headers.get("x-total-count");
    // When a token was last used is noted once a minute, which may be in between.
    const text = (await response.text()).replaceAll(/"last_used_at":[^,}]*/g, "");
    seen.set(`${callers.indexOf(caller)} ${path}`, `${response.status} ${total} ${text}`);
  });
  return seen;
}

test("no answer but those about wikis changes when wikis are written", async () => {
  const before = await look();
  // What tells the time, or counts requests, is another answer each time.
  const again = await look();
  const steady = [...before].filter(([name, answer]) => again.get(name) === answer);
  expect(steady.length / before.size).toBeGreaterThan(0.95);
  const push = (name: string) =>
    mustGit(scratch.path, [
      "push",
      "-q",
      app.url.replace("://", `://alice:${alice.token}@`) + name,
      "main",
      "wiki-tag",
    ]);
  await push("/alice/site.wiki.git");
  await push("/works/site.wiki.git");
  const after = await look();
  const changed = steady.filter(([name, answer]) => after.get(name) !== answer).map(([name]) => name);
  expect(changed).toEqual([]);
  // It can be told apart: the same push to the code is seen in many answers.
  await mustGit(scratch.path, [
    "push",
    "-q",
    `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/site.git`,
    "main:other",
    "wiki-tag",
  ]);
  const pushed = await look([root.api]);
  expect(steady.filter(([name, answer]) => (pushed.get(name) ?? answer) !== answer).length).toBeGreaterThan(20);
});
