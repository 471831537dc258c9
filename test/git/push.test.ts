import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, TransportServer } from "./transport-server.ts";

let root = "";
let work = "";

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-push-"));
  work = join(root, "work");
  await git(root, "init", "-q", "-b", "main", work);
  for (let number = 1; number <= 6; number++) {
    await writeFile(
      join(work, "file.txt"),
      Array.from({ length: 50 }, (_, line) => `line ${line} ${line === number ? "changed" : ""}\n`).join(""),
    );
    await git(work, "add", "-A");
    await git(work, "commit", "-q", "-m", `change ${number}`);
  }
  await git(work, "tag", "-a", "-m", "first", "v1", "HEAD~2");
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let made = 0;
async function emptyServer(): Promise<TransportServer> {
  const path = join(root, `bare-${++made}`);
  await git(root, "init", "-q", "--bare", "-b", "main", path);
  return new TransportServer(path);
}

describe("push", () => {
  test("into an empty repository, then more, deletions, tags and options; a clone holds it all", async () => {
    await using server = await emptyServer();
    const empty = join(root, "empty-clone");
    for (const version of ["0", "2"]) {
      rmSync(empty, { recursive: true, force: true });
      await git(root, "-c", `protocol.version=${version}`, "clone", "-q", server.url, empty);
    }
    expect((await git(empty, "symbolic-ref", "HEAD")).trim()).toBe("refs/heads/main");

    await git(work, "push", "-q", server.url, "main~4:refs/heads/main");
    await git(work, "push", "-q", "-o", "one", "-o", "two", server.url, "main", "main:refs/heads/other", "v1");
    expect(server.requests.at(-1)).toContain("0007one");
    await git(server.repository, "fsck", "--strict");
    await git(work, "push", "-q", server.url, ":refs/heads/other");
    const clone = join(root, "clone");
    await git(root, "clone", "-q", "--mirror", server.url, clone);
    expect(await git(clone, "for-each-ref")).toBe(await git(work, "for-each-ref", "refs/heads/main", "refs/tags"));
    // A second pack whose deltas build on objects of the first.
    expect(await git(clone, "rev-list", "--objects", "main")).toBe(await git(work, "rev-list", "--objects", "main"));
  });

  test("what may not be is reported for its ref alone", async () => {
    await using server = await emptyServer();
    await git(work, "push", "-q", server.url, "main:refs/heads/protected", "main");
    const failure = await git(
      work,
      "push",
      "--progress",
      "--porcelain",
      "-f",
      server.url,
      "main~1:refs/heads/protected",
      "main~1:refs/heads/main",
    ).catch(String);
    expect(failure).toContain("remote rejected] (non-fast-forward)");
    expect(failure).toContain("main~1:refs/heads/main");
    const tips = (await git(server.repository, "for-each-ref", "--format=%(objectname)")).trim().split("\n");
    expect(tips).toEqual((await git(work, "rev-parse", "main~1", "main")).trim().split("\n"));
    expect(failure).toContain("remote: Received");
  });

  test("a push whose history is incomplete is refused whole", async () => {
    await using server = await emptyServer();
    await git(work, "push", "-q", server.url, "main~5:refs/heads/main");
    const shallow = join(root, "shallow");
    await git(root, "clone", "-q", "--depth", "1", `file://${work}`, shallow);
    const missing = (await git(work, "rev-parse", "main~1")).trim();
    const failure = await git(shallow, "push", server.url, "HEAD:refs/heads/grafted").catch(String);
    expect(failure).toContain(missing);
    expect((await git(server.repository, "for-each-ref")).trim().split("\n")).toHaveLength(1);
    // A branch is a commit, not a tree.
    const tree = (await git(work, "rev-parse", "main^{tree}")).trim();
    const notCommit = await pushRaw(
      server,
      [`${"0".repeat(40)} ${tree} refs/heads/tree\0report-status`],
      await packOf(tree),
    );
    expect(notCommit).toContain("ng refs/heads/tree unpacker error");
  });

  test("hostile commands end in an error packet, hostile names in a report", async () => {
    await using server = await emptyServer();
    const zero = "0".repeat(40);
    const tip = (await git(work, "rev-parse", "main")).trim();
    expect(await pushRaw(server, [`${zero} ${tip} refs/heads/../x\0report-status`], await packOf(tip))).toContain(
      "ng refs/heads/../x funny refname",
    );
    for (const [lines, message] of [
      [["nonsense"], "expected old/new/ref"],
      [[`${zero} ${tip} `], "expected old/new/ref"],
      [[`${zero} ${zero.slice(1)}g refs/heads/a`], "expected old/new/ref"],
      [[`${zero} ${tip} refs/heads/a`, `${zero} ${tip} refs/heads/a`], "multiple updates for ref 'refs/heads/a'"],
      [[`${zero} ${tip} refs/heads/a\0object-format=sha256`], "mismatched object format"],
      [[`${zero} ${tip} refs/heads/${"a".repeat(9000)}`], "longer than the 8192 accepted"],
    ] as const) {
      const reply = await pushRaw(server, lines, new Uint8Array(0));
      expect(reply).toContain("ERR ");
      expect(reply).toContain(message);
    }
  });
});

async function packOf(...objects: string[]): Promise<Uint8Array> {
  const child = Bun.spawn(["git", "pack-objects", "-q", "--stdout", "--revs"], {
    cwd: work,
    stdin: new Blob([objects.join("\n")]),
    stdout: "pipe",
    stderr: "ignore",
  });
  return child.stdout.bytes();
}

async function pushRaw(server: TransportServer, lines: readonly string[], pack: Uint8Array): Promise<string> {
  const head = lines.map((line) => (line.length + 4).toString(16).padStart(4, "0") + line).join("");
  const response = await fetch(`${server.url}/git-receive-pack`, {
    method: "POST",
    body: Buffer.concat([Buffer.from(`${head}0000`), pack]),
  });
  return response.text();
}
