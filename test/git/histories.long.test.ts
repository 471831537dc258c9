import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fs from "node:fs";
import { cloneWithIsomorphicGit } from "../support/isomorphic-git.ts";
import { histories, type History } from "../../bench/histories.ts";
import { messageOf } from "../../src/lib/errors.ts";
import { Scratch, closureOf, mustGit, runGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";

/** Real histories, pushed with the real git and brought back in every way: what comes back is what went in. */

setDefaultTimeout(20 * 60_000);

const app = await useTestApp();
const alice = await app.user("alice");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const chosen = [...(await histories({ packages: [] })), ...(await madeHistories())];

/** Those made from published packages, as far as npm brings them here. */
async function madeHistories(): Promise<History[]> {
  try {
    const wanted = ["marked", "elysia"];
    return (await histories({ packages: wanted, folder: false })).filter(({ name }) => wanted.includes(name));
  } catch (error) {
    console.log(`LEFT OUT: histories made from packages: ${messageOf(error)}`);
    return [];
  }
}

/** A second implementation takes minutes for what takes git seconds. */
const commitsForSecondOpinion = 2000;
const everything = ["refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*"];
const pushed = ["refs/heads", "refs/tags"];

const refsOf = (path: string) => mustGit(path, ["for-each-ref", "--format=%(objectname) %(refname)", ...pushed]);

/** "oid path" of every file of a commit, sorted. */
async function filesOf(path: string, commit: string): Promise<string[]> {
  const entries = await mustGit(path, ["ls-tree", "-r", "-z", "--format=%(objectname) %(path)", commit]);
  return entries.split("\0").filter(Boolean).sort();
}

/** A repository of Alice's, empty. */
async function newRepository(name: string, defaultBranch: string): Promise<string> {
  await app.repository(alice, name, { default_branch: defaultBranch });
  return `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
}

function remove(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
}

describe.each(chosen)("$name", ({ name, path }) => {
  let branch = "";
  let url = "";
  let refs = "";
  let closure = "";

  async function expectWhole(repository: string): Promise<void> {
    await mustGit(repository, ["fsck", "--full", "--strict"]);
    expect(await refsOf(repository)).toBe(refs);
    expect(await closureOf(repository)).toBe(closure);
  }

  beforeAll(async () => {
    branch = (await mustGit(path, ["symbolic-ref", "HEAD"])).replace("refs/heads/", "");
    refs = await refsOf(path);
    closure = await closureOf(path, pushed);
    url = await newRepository(name, branch);
    const started = performance.now();
    await mustGit(path, ["push", "-q", url, ...everything]);
    const { length } = refs.split("\n");
    console.log(`${name}: ${closure.split(" ")[0]} objects and ${length} refs pushed in ${seconds(started)}`);
  });

  afterAll(async () => {
    await alice.api.delete(`/repos/alice/${name}`);
  });

  test.each([0, 1, 2])("comes back whole by protocol %d", async (version) => {
    const clone = scratch.join(`${name}-${version}`);
    const started = performance.now();
    await mustGit(scratch.path, ["-c", `protocol.version=${version}`, "clone", "-q", "--mirror", url, clone]);
    console.log(`${name}: cloned by protocol ${version} in ${seconds(started)}`);
    await expectWhole(clone);
    expect(await mustGit(clone, ["symbolic-ref", "HEAD"])).toBe(`refs/heads/${branch}`);
    remove(clone);
  });

  test("is not pushed a second time", async () => {
    const again = await runGit(path, ["push", url, ...everything]);
    expect([again.code, again.stderr]).toEqual([0, "Everything up-to-date\n"]);
  });

  test("comes back shallow, and is made whole by a later fetch", async () => {
    const clone = scratch.join(`${name}-shallow`);
    await mustGit(scratch.path, ["clone", "-q", "--bare", "--single-branch", "--no-tags", "--depth=3", url, clone]);
    await mustGit(clone, ["fsck", "--full", "--strict"]);
    expect(await mustGit(clone, ["rev-parse", "--is-shallow-repository"])).toBe("true");
    const [shallow, whole] = await Promise.all(
      [clone, path].map((one) => mustGit(one, ["rev-list", "--count", branch])),
    );
    expect(Number(shallow)).toBeLessThan(Number(whole));
    await mustGit(clone, ["fetch", "-q", "--unshallow", url, ...everything]);
    await expectWhole(clone);
    remove(clone);
  });

  test("comes back as a single branch", async () => {
    const clone = scratch.join(`${name}-single`);
    await mustGit(scratch.path, ["clone", "-q", "--bare", "--single-branch", "--no-tags", url, clone]);
    await mustGit(clone, ["fsck", "--full", "--strict"]);
    const ref = `refs/heads/${branch}`;
    expect(await mustGit(clone, ["for-each-ref", "--format=%(refname)"])).toBe(ref);
    expect(await closureOf(clone)).toBe(await closureOf(path, [ref]));
    remove(clone);
  });

  test("grows by a second push, which a clone of the first fetches", async () => {
    const growing = await newRepository(`${name}-growing`, branch);
    const line = (await mustGit(path, ["rev-list", "--first-parent", branch])).split("\n");
    const middle = line[line.length >> 1] ?? "";
    await mustGit(path, ["push", "-q", growing, `${middle}:refs/heads/${branch}`]);
    const clone = scratch.join(`${name}-growing`);
    await mustGit(scratch.path, ["clone", "-q", "--mirror", growing, clone]);
    expect(await mustGit(clone, ["rev-parse", branch])).toBe(middle);
    const started = performance.now();
    await mustGit(path, ["push", "-q", growing, ...everything]);
    console.log(`${name}: the second half pushed in ${seconds(started)}`);
    const fetching = performance.now();
    await mustGit(clone, ["fetch", "-q"]);
    console.log(`${name}: and fetched in ${seconds(fetching)}`);
    await expectWhole(clone);
    remove(clone);
    await mustGit(scratch.path, ["clone", "-q", "--mirror", growing, clone]);
    await expectWhole(clone);
    remove(clone);
    await alice.api.delete(`/repos/alice/${name}-growing`);
  });

  test("is read by isomorphic-git as well", async () => {
    if (Number(await mustGit(path, ["rev-list", "--count", "--branches", "--tags"])) > commitsForSecondOpinion) {
      return;
    }
    const clone = scratch.join(`${name}-isomorphic`);
    const second = await cloneWithIsomorphicGit(url, clone);
    expect(second.head).toBe(await mustGit(path, ["rev-parse", branch]));
    expect(second.files).toEqual(await filesOf(path, branch));
    remove(clone);
  });
});

function seconds(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(2)} s`;
}
