import { afterAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Scratch, closureOf, mustGit, runGit } from "../support/git.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";

/** The real git against the real server: who may, what is taken, what is refused and how git tells it. */

const app = await useTestApp({
  git: { push_limit_bytes: 2 * 1024 * 1024, refs_per_push: 200 },
  auth: { failed_sign_ins_per_minute: 1000 },
});
const alice = await app.user("alice");
const bob = await app.user("bob");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const work = scratch.join("work");
await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
await commit("first");
await commit("second");
await mustGit(work, ["tag", "-a", "-m", "one", "v1", "HEAD~1"]);
await mustGit(work, ["tag", "light"]);

async function commit(text: string): Promise<void> {
  await writeFile(join(work, "file.txt"), `${text}\n`);
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", text]);
}

const host = app.url.replace("http://", "");
const address = (path: string, who?: string) =>
  who === undefined ? `http://${host}/${path}` : `http://${who}@${host}/${path}`;
const asAlice = (path: string) => address(path, `alice:${alice.token}`);
const password = encodeURIComponent(testPassword);
const remoteRefs = (name: string) => mustGit(work, ["ls-remote", asAlice(`alice/${name}.git`)]);

/** A new repository with main pushed to it. */
async function pushed(name: string, fields: Record<string, unknown> = {}): Promise<string> {
  await app.repository(alice, name, fields);
  await mustGit(work, ["push", "-q", asAlice(`alice/${name}.git`), "main"]);
  return asAlice(`alice/${name}.git`);
}

describe("who may", () => {
  test("a private repository and a missing one are told alike", async () => {
    await pushed("secret", { private: true });
    for (const name of ["alice/secret.git", "alice/missing.git", "nobody/missing.git"]) {
      const path = `/${name}/info/refs?service=git-upload-pack`;
      const anonymous = await fetch(app.url + path);
      expect([anonymous.status, anonymous.headers.get("www-authenticate"), await anonymous.text()]).toEqual([
        401,
        'Basic realm="Gitea", charset="UTF-8"',
        "Sign in with a user name and a password or token\n",
      ]);
      const other = await fetch(app.url + path, { headers: { authorization: `token ${bob.token}` } });
      expect([other.status, await other.text()]).toEqual([
        404,
        `There is no repository "${name.replace(".git", "")}"\n`,
      ]);
    }
  });

  test("anybody clones what is public, and nobody pushes without an account", async () => {
    await pushed("open");
    await mustGit(scratch.path, ["clone", "-q", address("alice/open.git"), "open-clone"]);
    expect(await mustGit(scratch.join("open-clone"), ["rev-parse", "HEAD"])).toBe(
      await mustGit(work, ["rev-parse", "main"]),
    );
    const push = await runGit(work, ["push", address("alice/open.git"), "main:other"]);
    expect(push.code).not.toBe(0);
    expect(await remoteRefs("open")).not.toContain("other");
  });

  test("a password, a token as password and a token as user name open the same door; a wrong one none", async () => {
    await pushed("doors", { private: true });
    for (const who of [`alice:${password}`, `alice:${alice.token}`, `${alice.token}:x-oauth-basic`]) {
      expect(await mustGit(work, ["ls-remote", address("alice/doors.git", who), "refs/heads/main"])).toContain(
        "refs/heads/main",
      );
    }
    const wrong = await runGit(work, ["ls-remote", address("alice/doors.git", "alice:wrong-password")]);
    expect(wrong.stderr).toContain("Authentication failed");
  });

  test("reading is not writing: another user, and a token that may only read, are told so", async () => {
    await pushed("mine");
    const other = await runGit(work, ["push", address("alice/mine.git", `bob:${bob.token}`), "main:other"]);
    expect(other.stderr).toContain('You may read "alice/mine", but not push to it');
    const reader = await app.token(alice, ["read:repository"]);
    const scoped = await runGit(work, ["push", address("alice/mine.git", `alice:${reader}`), "main:other"]);
    expect(scoped.stderr).toContain("The token does not have the required scope: write:repository");
    expect(await remoteRefs("mine")).not.toContain("other");
  });

  test("an archived repository is read, not pushed to", async () => {
    const url = await pushed("old");
    await alice.api.patch("/repos/alice/old", { archived: true });
    const push = await runGit(work, ["push", url, "main:other"]);
    expect(push.stderr).toContain('The repository "alice/old" is archived: unarchive it in its settings to change it');
    expect(await mustGit(work, ["ls-remote", url, "refs/heads/main"])).not.toBe("");
  });
});

describe("a push", () => {
  test("brings branches and tags, and a clone by every protocol brings them back", async () => {
    const url = await pushed("whole");
    await mustGit(work, ["push", "-q", url, "main:feature/one", "v1", "light"]);
    const expected = await closureOf(work);
    for (const version of [0, 1, 2]) {
      const clone = scratch.join(`whole-${version}`);
      await mustGit(scratch.path, ["-c", `protocol.version=${version}`, "clone", "-q", "--mirror", url, clone]);
      await mustGit(clone, ["fsck", "--full", "--strict"]);
      expect(await closureOf(clone)).toBe(expected);
      expect((await mustGit(clone, ["for-each-ref", "--format=%(refname)"])).split("\n")).toEqual([
        "refs/heads/feature/one",
        "refs/heads/main",
        "refs/tags/light",
        "refs/tags/v1",
      ]);
    }
  });

  test("moves, forces and deletes refs; what the client did not see stays", async () => {
    const url = await pushed("moves");
    await mustGit(work, ["push", "-q", url, "main:topic"]);
    const plain = await runGit(work, ["push", url, "main~1:topic"]);
    expect(plain.stderr).toContain("non-fast-forward");
    await mustGit(work, ["push", "-q", "-f", url, "main~1:topic"]);
    const lease = await runGit(work, [
      "push",
      `--force-with-lease=topic:${await mustGit(work, ["rev-parse", "main"])}`,
      url,
      "main:topic",
    ]);
    expect(lease.stderr).toContain("stale info");
    expect(await remoteRefs("moves")).toContain(`${await mustGit(work, ["rev-parse", "main~1"])}\trefs/heads/topic`);
    await mustGit(work, ["push", "-q", url, ":topic"]);
    expect(await remoteRefs("moves")).not.toContain("topic");
  });

  test("of a deletion twice over is done, as by git: the second has nothing to do", async () => {
    const url = await pushed("gone");
    const before = await remoteRefs("gone");
    const events = () => alice.api.get<{ op_type: string }[]>("/repos/alice/gone/activities/feeds");
    const told = (await events()).body.length;
    const push = await runGit(work, ["push", "--progress", url, ":refs/heads/never", ":refs/tags/never"]);
    expect(push.code).toBe(0);
    expect(push.stderr).toContain("warning: deleting a non-existent ref: refs/heads/never");
    expect(await remoteRefs("gone")).toBe(before);
    expect((await events()).body.length).toBe(told);
    // A client that says nothing of what it believes to be there deletes nothing that is.
    const [zero, name] = ["0".repeat(40), "refs/heads/main-2"];
    await mustGit(work, ["push", "-q", url, `main:${name}`]);
    const text = `${zero} ${zero} ${name}\0report-status object-format=sha1`;
    const answer = await fetch(`${app.url}/alice/gone.git/git-receive-pack`, {
      method: "POST",
      body: `${(text.length + 4).toString(16).padStart(4, "0")}${text}0000`,
      headers: { "content-type": "application/x-git-receive-pack-request", authorization: `token ${alice.token}` },
    });
    expect(await answer.text()).toContain(`ng ${name} cannot lock ref`);
  });

  test("cannot delete the default branch, point a branch at a tag, or put a directory where a ref is", async () => {
    const url = await pushed("rules");
    const before = await remoteRefs("rules");
    for (const [refspec, reason] of [
      [":main", "refusing to delete the default branch"],
      ["v1:refs/heads/tagged", "a branch cannot point at a tag"],
      ["main:refs/heads/main/below", "cannot lock ref 'refs/heads/main/below': 'refs/heads/main' exists"],
      ["main:refs/pull/1/head", "deny updating a hidden ref"],
    ] as const) {
      const push = await runGit(work, ["push", url, refspec]);
      expect(push.stderr).toContain("[remote rejected]");
      expect(push.stderr).toContain(reason);
    }
    expect(await remoteRefs("rules")).toBe(before);
  });

  test("is all or nothing when atomic, each for itself otherwise", async () => {
    const url = await pushed("atomic");
    const refspecs = ["main:refs/heads/good", "main:refs/heads/main/bad"];
    const atomic = await runGit(work, ["push", "--atomic", url, ...refspecs]);
    expect(atomic.code).not.toBe(0);
    expect(await remoteRefs("atomic")).not.toContain("good");
    const single = await runGit(work, ["push", url, ...refspecs]);
    expect(single.code).not.toBe(0);
    expect(await remoteRefs("atomic")).toContain("refs/heads/good");
  });

  test("of many haves is sent gzipped and understood", async () => {
    const url = await pushed("gzip");
    await mustGit(scratch.path, ["clone", "-q", url, "gzip-clone"]);
    const clone = scratch.join("gzip-clone");
    for (let number = 0; number < 40; number++) {
      await mustGit(clone, ["commit", "-q", "--allow-empty", "-m", `local ${number}`]);
    }
    await mustGit(work, ["push", "-q", url, "v1"]);
    await mustGit(clone, ["-c", "http.postBuffer=1048576", "fetch", "-q", "--tags"]);
    expect(await mustGit(clone, ["tag"])).toBe("v1");
  });

  test("of a SHA-256 repository works the same, and one of SHA-1 to it is refused", async () => {
    await app.repository(alice, "long-oids", { object_format_name: "sha256" });
    const url = asAlice("alice/long-oids.git");
    const source = scratch.join("sha256");
    await mustGit(scratch.path, ["init", "-q", "-b", "main", "--object-format=sha256", source]);
    for (const text of ["one", "two"]) {
      await writeFile(join(source, "file.txt"), `${text}\n`.repeat(100));
      await mustGit(source, ["add", "-A"]);
      await mustGit(source, ["commit", "-q", "-m", text]);
      await mustGit(source, ["push", "-q", url, "main"]);
    }
    for (const version of [0, 2]) {
      const clone = scratch.join(`sha256-${version}`);
      await mustGit(scratch.path, ["-c", `protocol.version=${version}`, "clone", "-q", "--mirror", url, clone]);
      await mustGit(clone, ["fsck", "--full", "--strict"]);
      expect(await closureOf(clone)).toBe(await closureOf(source));
    }
    const refused = await runGit(work, ["push", url, "main:other"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("does not support this repository's hash algorithm");
  });

  test("to an address with two slashes arrives, and a clone of it", async () => {
    await app.repository(alice, "slashes", { private: true });
    const sloppy = asAlice("/alice//slashes.git");
    await mustGit(work, ["push", "-q", sloppy, "main"]);
    await mustGit(scratch.path, ["clone", "-q", "--bare", sloppy, scratch.join("slashes")]);
    expect(await closureOf(scratch.join("slashes"))).toBe(await closureOf(work, ["refs/heads/main"]));
    expect((await fetch(`${app.url}//alice/slashes/info/lfs//objects/batch`, { method: "POST" })).status).toBe(401);
    expect(
      (await fetch(`${app.url}//alice/slashes`, { headers: { authorization: `token ${alice.token}` } })).status,
    ).toBe(404);
  });

  test("is understood whatever the case of its headers' words is", async () => {
    await pushed("words");
    const headers = { "content-type": "Application/X-Git-Upload-Pack-Request", "content-encoding": "GZIP" };
    const answer = await fetch(`${app.url}/alice/words.git/git-upload-pack`, {
      method: "POST",
      body: Bun.gzipSync("0000"),
      headers,
    });
    expect(answer.status).toBe(200);
  });

  test("takes its first branch as the default one", async () => {
    await app.repository(alice, "trunk");
    await mustGit(work, ["push", "-q", asAlice("alice/trunk.git"), "main:trunk"]);
    const { body } = await alice.api.get<{ default_branch: string; empty: boolean }>("/repos/alice/trunk");
    expect(body).toMatchObject({ default_branch: "trunk", empty: false });
  });
});

describe("wrong input", () => {
  /** What lies in the pack and temporary directories: a refused push leaves nothing. */
  const leftovers = () => ({
    tmp: readdirSync(app.forge.files.temporaryDirectory),
    packs: readdirSync(app.forge.files.packDirectory, { recursive: true }).map(String).sort(),
  });

  async function refusedPush(name: string, refspec: string, from = work): Promise<string> {
    const url = await pushed(name);
    const [refs, files] = [await remoteRefs(name), leftovers()];
    const push = await runGit(from, ["push", url, refspec]);
    expect(push.code).not.toBe(0);
    expect(await remoteRefs(name)).toBe(refs);
    expect(leftovers()).toEqual(files);
    return push.stderr;
  }

  /** A commit whose tree has one entry of this name, which git itself would not make. */
  async function commitWithEntry(name: string): Promise<string> {
    const blob = await mustGit(work, ["hash-object", "-w", "--stdin"], { input: "x" });
    const bytes = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
    await writeFile(scratch.join("tree"), bytes);
    const tree = await mustGit(work, ["hash-object", "-t", "tree", "-w", "--literally", scratch.join("tree")]);
    return mustGit(work, ["commit-tree", tree, "-m", "bad"]);
  }

  test.each([".git", "..", "GIT~1", ".", "a/b"])("a tree with an entry named %p", async (entry) => {
    const oid = await commitWithEntry(entry);
    const stderr = await refusedPush(`tree-${Bun.hash(entry).toString(36)}`, `${oid}:refs/heads/bad`);
    expect(stderr).toMatch(/unpack failed|unpacker error/);
    expect(stderr).toMatch(/tree/i);
  });

  test("a pack over the limit", async () => {
    const big = scratch.join("big");
    await mustGit(scratch.path, ["init", "-q", "-b", "main", big]);
    await writeFile(join(big, "noise"), crypto.getRandomValues(new Uint8Array(65_536)));
    await writeFile(
      join(big, "more"),
      Buffer.concat(Array.from({ length: 48 }, () => crypto.getRandomValues(new Uint8Array(65_536)))),
    );
    await mustGit(big, ["add", "-A"]);
    await mustGit(big, ["commit", "-q", "-m", "big"]);
    expect(await refusedPush("too-big", "main:big", big)).toContain(
      "A pack of more than 2097152 bytes is not accepted",
    );
  });

  const oid = "1".repeat(40);
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
  const command = (name: string) => `${line(`${"0".repeat(40)} ${oid} ${name}\0report-status object-format=sha1`)}0000`;
  const post = async (body: string | Uint8Array<ArrayBuffer>, type = "application/x-git-receive-pack-request") => {
    const response = await fetch(`${app.url}/alice/raw-push.git/git-receive-pack`, {
      method: "POST",
      body,
      headers: { "content-type": type, authorization: `token ${alice.token}` },
    });
    return { status: response.status, text: await response.text() };
  };

  test("too many refs at once, and a name that is no text: git is told why in the report", async () => {
    const many = scratch.join("many-refs");
    await mustGit(scratch.path, ["clone", "-q", "--bare", work, many]);
    const tip = await mustGit(many, ["rev-parse", "main"]);
    await mustGit(many, ["update-ref", "--stdin"], {
      input: Array.from({ length: 201 }, (_, number) => `create refs/heads/b${number} ${tip}\n`).join(""),
    });
    expect(await refusedPush("too-many", "refs/heads/b*:refs/heads/b*", many)).toContain(
      "remote unpack failed: A push of more than 200 refs is not accepted",
    );
    const url = await pushed("no-text");
    const child = Bun.spawn(["sh", "-c", `git push "$0" "main:$(printf 'refs/heads/\\351')"`, url], {
      cwd: work,
      env: { PATH: process.env["PATH"] },
      stdout: "ignore",
      stderr: "pipe",
    });
    expect(await child.stderr.text()).toContain("remote unpack failed: A protocol line is not UTF-8");
    expect(await child.exited).not.toBe(0);
  });

  test("packs that are none, cut off, changed, or lack what they need; names git forbids; nonsense", async () => {
    await pushed("raw-push");
    const [refs, files] = [await remoteRefs("raw-push"), leftovers()];
    const child = Bun.spawn(["git", "pack-objects", "--revs", "--stdout", "-q"], {
      cwd: work,
      stdin: new TextEncoder().encode("main\n"),
      stdout: "pipe",
      env: { PATH: process.env["PATH"] },
    });
    const pack = Buffer.from(await new Response(child.stdout).arrayBuffer());
    const changed = Buffer.from(pack);
    changed[pack.length >> 1] = (changed[pack.length >> 1] ?? 0) ^ 0xff;
    const withPack = (name: string, bytes: Uint8Array) =>
      Buffer.concat([Buffer.from(command(name)), bytes]) as Uint8Array<ArrayBuffer>;
    for (const [body, reason] of [
      [withPack("refs/heads/x", Buffer.from("this is no pack at all")), /unpack (?!ok)/],
      [withPack("refs/heads/x", pack.subarray(0, pack.length - 30)), /unpack (?!ok)/],
      [withPack("refs/heads/x", changed), /unpack (?!ok)/],
      [withPack("refs/heads/x", new Uint8Array(0)), /unpack (?!ok)/],
      [withPack("refs/heads/x", pack), new RegExp(`unpack .*${oid}`)],
      [withPack("refs/heads/a..b", pack), /ng refs\/heads\/a\.\.b funny refname/],
      [withPack("HEAD", pack), /ng HEAD funny refname/],
      [withPack("refs/heads/x.lock", pack), /ng refs\/heads\/x\.lock funny refname/],
    ] as const) {
      const { status, text } = await post(body);
      expect(status).toBe(200);
      expect(text).toMatch(reason);
    }
    expect((await post("zzzz")).status).toBe(400);
    expect((await post("0040too short")).status).toBe(400);
    expect((await post(command("refs/heads/x"), "text/plain")).status).toBe(415);
    expect(await remoteRefs("raw-push")).toBe(refs);
    expect(leftovers()).toEqual(files);
  });

  test("a want that is not the repository's, and requests for services that are none", async () => {
    await pushed("wants");
    const body = `${line("command=fetch")}0001${line(`want ${oid}\n`)}${line("done\n")}0000`;
    const response = await fetch(`${app.url}/alice/wants.git/git-upload-pack`, {
      method: "POST",
      body,
      headers: { "content-type": "application/x-git-upload-pack-request", "git-protocol": "version=2" },
    });
    expect(await response.text()).toContain(`not our ref ${oid}`);
    for (const path of ["info/refs", "info/refs?service=git-shell", "HEAD", "objects/info/packs"]) {
      expect([403, 404]).toContain((await fetch(`${app.url}/alice/wants.git/${path}`)).status);
    }
  });
});
