import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/**
 * A repository with ten thousand refs, and pushes of hundreds. The large pushes go over SSH: over HTTP git's own client
 * takes time that grows with the square of the refs, whatever the server (see docs/operations.md).
 */

const count = 10_000;
const app = await useTestApp({ ssh: { enabled: true } });
const alice = await app.user("alice");
const scratch = new Scratch();
const key = new SshKeyPair();
await key.addTo(alice);
const { env } = key;
const overHttp = (name: string) => `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
const overSsh = (name: string) => `${app.ssh}/alice/${name}.git`;
const source = scratch.join("source.git");
const name = (number: number) => `refs/heads/group-${number % 10}/b${String(number).padStart(5, "0")}`;

/** Two hundred commits in a line, and refs to them. */
beforeAll(async () => {
  const commits = Array.from(
    { length: 200 },
    (_, at) =>
      `commit refs/heads/main\nmark :${at + 1}\ncommitter A <a@example.org> ${1_700_000_000 + at} +0000\ndata 1\nm\n`,
  );
  await mustGit(scratch.path, ["init", "-q", "--bare", "-b", "main", source]);
  await mustGit(source, ["fast-import", "--quiet", "--export-marks=marks"], { input: commits.join("") });
  const oids = (await Bun.file(`${source}/marks`).text())
    .trim()
    .split("\n")
    .map((line) => line.split(" ")[1]);
  const heads = Array.from({ length: count }, (_, number) => ({
    ref: name(number),
    oid: oids[number % oids.length] ?? "",
  }));
  await packRefs(source, [...heads, { ref: "refs/heads/main", oid: await mustGit(source, ["rev-parse", "main"]) }]);
  await app.repository(alice, "many");
  await mustGit(source, ["push", "-q", "--mirror", overSsh("many")], { env });
});

afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

/** Gives a bare repository these refs and no others: a file for each would take seconds. */
async function packRefs(repository: string, refs: readonly { ref: string; oid: string }[]): Promise<void> {
  rmSync(join(repository, "refs/heads"), { recursive: true });
  mkdirSync(join(repository, "refs/heads"));
  const sorted = refs.toSorted((left, right) => (left.ref < right.ref ? -1 : 1));
  await Bun.write(
    join(repository, "packed-refs"),
    `# pack-refs with: peeled fully-peeled sorted \n${sorted.map(({ ref, oid }) => `${oid} ${ref}\n`).join("")}`,
  );
}

const refsOf = async (url: string, ...args: string[]) =>
  (await mustGit(scratch.path, [...args, "ls-remote", url, "refs/*"], { env })).split("\n").filter(Boolean);
const localRefs = async (repository: string) =>
  (await mustGit(repository, ["for-each-ref", "--format=%(objectname)%09%(refname)"])).split("\n");
let made = 0;
const folder = () => scratch.join(`clone-${++made}`);

test("all of them are listed, in every version of the protocol", async () => {
  const expected = await localRefs(source);
  expect(expected.length).toBe(count + 1);
  for (const version of [0, 1, 2]) {
    expect(await refsOf(overHttp("many"), "-c", `protocol.version=${version}`)).toEqual(expected);
  }
  expect(await refsOf(overSsh("many"))).toEqual(expected);
});

test("one branch of them is cloned alone, and five hundred are fetched at once", async () => {
  for (const url of [overHttp("many"), overSsh("many")]) {
    const clone = folder();
    await mustGit(
      scratch.path,
      ["clone", "-q", "--bare", "--single-branch", "-b", name(7).slice("refs/heads/".length), url, clone],
      { env },
    );
    expect((await localRefs(clone)).map((line) => line.split("\t")[1])).toEqual([name(7)]);
    const wanted = Array.from({ length: 500 }, (_, at) => name(at * 3));
    await mustGit(clone, ["fetch", "-q", url, ...wanted.map((ref) => `+${ref}:${ref}`)], { env });
    expect((await localRefs(clone)).length).toBe(501);
    await mustGit(clone, ["fsck", "--connectivity-only"]);
  }
});

test("a mirror makes the other side equal: refs are added, moved and removed, thousands at once", async () => {
  const mirror = folder();
  await mustGit(scratch.path, ["clone", "-q", "--mirror", source, mirror]);
  const main = await mustGit(mirror, ["rev-parse", "main~50"]);
  const refs = (await localRefs(mirror)).map((line) => ({
    ref: line.split("\t")[1] ?? "",
    oid: line.split("\t")[0] ?? "",
  }));
  const kept = refs
    .filter((_, at) => at % 2 === 0)
    .map(({ ref, oid }, at) => ({ ref, oid: at % 5 === 0 ? main : oid }));
  await packRefs(mirror, [...kept, { ref: "refs/notes/new", oid: main }]);
  await app.repository(alice, "mirrored");
  await mustGit(source, ["push", "-q", "--mirror", overSsh("mirrored")], { env });
  await mustGit(mirror, ["push", "-q", "--mirror", overSsh("mirrored")], { env });
  expect(await refsOf(overHttp("mirrored"))).toEqual(await localRefs(mirror));
});

describe("over HTTP", () => {
  test("hundreds are mirrored, moved and removed", async () => {
    const few = folder();
    await mustGit(scratch.path, ["init", "-q", "--bare", "-b", "main", few]);
    await mustGit(few, [
      "fetch",
      "-q",
      source,
      "refs/heads/main:refs/heads/main",
      "refs/heads/group-1/b00*:refs/heads/x/*",
      "refs/heads/group-2/b00*:refs/heads/y/*",
      "refs/heads/group-3/b00*:refs/tags/*",
    ]);
    await app.repository(alice, "few");
    await mustGit(few, ["push", "-q", "--mirror", overHttp("few")]);
    expect(await refsOf(overHttp("few"))).toEqual(await localRefs(few));
    const names = (await localRefs(few))
      .map((line) => line.split("\t")[1] ?? "")
      .filter((ref) => ref.startsWith("refs/heads/"));
    await mustGit(few, ["update-ref", "--stdin"], {
      input: names
        .filter((ref) => ref.includes("/y/"))
        .map((ref) => `delete ${ref}\n`)
        .join(""),
    });
    await mustGit(few, ["push", "-q", "--mirror", "--atomic", overHttp("few")]);
    expect(await refsOf(overHttp("few"))).toEqual(await localRefs(few));
  });

  test("a lease that is right moves a ref, a stale one keeps it; an atomic push moves none of hundreds when one is stale", async () => {
    const url = overHttp("few");
    const work = folder();
    await mustGit(scratch.path, ["clone", "-q", "--bare", url, work]);
    const [main, old, older] = (await mustGit(work, ["rev-parse", "main", "main~1", "main~2"])).split("\n");
    await mustGit(work, ["push", "-q", url, "main:refs/heads/leased"]);
    await mustGit(work, ["push", "-q", `--force-with-lease=leased:${main}`, url, "main~1:refs/heads/leased"]);
    const stale = await runGit(work, ["push", `--force-with-lease=leased:${main}`, url, "main~2:refs/heads/leased"]);
    expect(stale.stderr).toContain("stale info");
    expect(await refsOf(url)).toContain(`${old}\trefs/heads/leased`);
    const before = await refsOf(url);
    const many = Array.from({ length: 300 }, (_, at) => `main~${at % 100}:refs/heads/atomic/${at}`);
    const atomic = await runGit(work, ["push", "--atomic", url, ...many, `+${older}:refs/heads/main/below`]);
    expect(atomic.stderr).toContain("atomic push failed");
    expect(await refsOf(url)).toEqual(before);
    await mustGit(work, ["push", "-q", "--atomic", url, ...many]);
    expect((await refsOf(url)).length).toBe(before.length + 300);
  });
});
