import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, TransportServer } from "./transport-server.ts";
import { repeated } from "../support/thorough.ts";

/** The real git with partial clones: what is left out, and what is fetched when it is needed after all. */

let root = "";
let bare = "";
let server: TransportServer;

async function commit(work: string, number: number): Promise<void> {
  for (const name of ["README.md", `src/${number % 5}/file.ts`, `docs/${number % 3}.md`]) {
    await mkdir(join(work, name, ".."), { recursive: true });
    await writeFile(join(work, name), `${name} ${number}\n`.repeat(1 + (number % 4) * 100));
  }
  await git(work, "add", "-A");
  await git(work, "commit", "-q", "-m", `change ${number}`);
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-partial-"));
  const source = join(root, "source");
  await git(root, "init", "-q", "-b", "main", source);
  await writeFile(join(source, "sparse"), "/*\n!/docs/\n");
  for (let number = 0; number < 15; number++) {
    await commit(source, number);
  }
  await git(source, "tag", "-a", "-m", "one", "v1", "HEAD~3");
  bare = join(root, "bare");
  await git(root, "clone", "-q", "--mirror", source, bare);
  await git(bare, "repack", "-adq");
  await git(bare, "config", "receive.unpackLimit", "1");
  await git(bare, "config", "uploadpack.allowFilter", "true");
  server = new TransportServer(bare);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

let made = 0;
const folder = (): string => join(root, `folder-${++made}`);
const oids = (list: string): string[] =>
  list
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" ")[0]!)
    .sort();
/** What a clone holds itself. */
const held = async (clone: string): Promise<string[]> =>
  oids(await git(clone, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"));

describe.each(repeated([2, 0], 1))("protocol version %d", (version) => {
  const options = ["-c", `protocol.version=${version}`];

  test.each([
    "blob:none",
    "blob:limit=500",
    "tree:0",
    "tree:2",
    "object:type=commit",
    "combine:blob:none+tree:3",
    "sparse:oid=main:sparse",
  ])(
    "a clone with %s has what git's own server gives; a checkout, a fetch and a blame fetch the rest",
    async (filter) => {
      const clone = folder();
      await git(root, ...options, "clone", "-q", "--no-checkout", `--filter=${filter}`, server.url, clone);
      const expected = oids(await git(bare, "rev-list", "--objects", `--filter=${filter}`, "main", "v1"));
      expect(await held(clone)).toEqual(expected);
      await git(clone, ...options, "checkout", "-q", "main");
      expect(await git(clone, "status", "--porcelain")).toBe("");
      await git(
        clone,
        ...options,
        "-c",
        "fetch.negotiationAlgorithm=default",
        "fetch",
        "-q",
        "--refetch",
        "--filter=blob:none",
        "origin",
      );
      await git(clone, ...options, "blame", "README.md");
      await git(clone, "fsck", "--connectivity-only");
    },
  );

  test("what a checkout lacks is asked for in one request", async () => {
    const clone = folder();
    await git(root, ...options, "clone", "-q", "--no-checkout", "--filter=blob:none", server.url, clone);
    server.requests.length = 0;
    await git(clone, ...options, "checkout", "-q", "main");
    const asked = server.requests.filter((request) => request.includes("want "));
    expect(asked.length).toBe(1);
    expect(asked[0]?.match(/want /g)?.length).toBe(
      Number((await git(bare, "ls-tree", "-r", "--name-only", "main")).trim().split("\n").length),
    );
  });

  test("goes on with new commits, deeper, and to the end of history", async () => {
    const clone = folder();
    await git(root, ...options, "clone", "-q", "--depth=2", "--filter=blob:none", server.url, clone);
    const work = folder();
    await git(root, "clone", "-q", bare, work);
    await commit(work, 100 + version);
    await git(work, "push", "-q", "origin", "main");
    await git(clone, ...options, "pull", "-q");
    await git(clone, ...options, "fetch", "-q", "--deepen=3");
    expect((await git(clone, "rev-list", "HEAD")).trim().split("\n").length).toBe(6);
    await git(clone, ...options, "fetch", "-q", "--unshallow");
    expect(await git(clone, "rev-list", "HEAD")).toBe(await git(bare, "rev-list", "main"));
    await git(clone, ...options, "checkout", "-q", "HEAD~9");
    expect(await git(clone, "status", "--porcelain")).toBe("");
  });

  test("nothing is served that no ref reaches, and it is refused as what is not there", async () => {
    const repository = folder();
    await git(root, "clone", "-q", "--mirror", bare, repository);
    await writeFile(join(root, "secret"), `secret ${version}`);
    const secret = (await git(repository, "hash-object", "-w", join(root, "secret"))).trim();
    await git(repository, "update-ref", "refs/heads/secret", await secretCommit(repository, secret));
    await git(repository, "repack", "-adq");
    await git(repository, "update-ref", "-d", "refs/heads/secret");
    await using other = new TransportServer(repository);
    const clone = folder();
    await git(root, ...options, "clone", "-q", "--no-checkout", "--filter=blob:none", other.url, clone);
    const refusal = (oid: string): Promise<string> =>
      git(clone, ...options, "fetch", "-q", "--filter=blob:none", "origin", oid).then(() => "served", String);
    const [kept, missing] = [await refusal(secret), await refusal("1".repeat(40))];
    expect(kept).toContain(`not our ref ${secret}`);
    expect(kept.replaceAll(secret, "oid")).toBe(missing.replaceAll("1".repeat(40), "oid"));
    expect(await refusal((await git(repository, "rev-parse", "main~4:README.md")).trim())).toBe("served");
    for (const specification of [secret, "nowhere:sparse", "main:nothing", "main:src"]) {
      const clone = await git(
        root,
        ...options,
        "clone",
        "-q",
        "--no-checkout",
        `--filter=sparse:oid=${specification}`,
        other.url,
        folder(),
      ).catch(String);
      expect(clone).toContain(`unable to access sparse blob in '${specification}'`);
    }
  });
});

async function secretCommit(repository: string, blob: string): Promise<string> {
  const child = Bun.spawn(["git", "mktree"], {
    cwd: repository,
    stdin: new Blob([`100644 blob ${blob}\tsecret\n`]),
    stdout: "pipe",
  });
  const tree = (await child.stdout.text()).trim();
  return (await git(repository, "commit-tree", "-m", "secret", tree)).trim();
}
