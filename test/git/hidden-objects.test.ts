import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flushPacket, packetLine } from "../../src/git/wire/pkt-line.ts";
import { git, TransportServer } from "./transport-server.ts";

/** Objects that lie in the packs though no ref reaches them: a client that knows their oids must not learn that they are there. */

let root = "";
let server: TransportServer;
const oids: Record<"main" | "older" | "tagged" | "deleted" | "parent" | "tag" | "missing", string> = {
  main: "",
  older: "",
  tagged: "",
  deleted: "",
  parent: "",
  tag: "",
  missing: "1".repeat(40),
};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-hidden-"));
  const repository = join(root, "repository");
  await git(root, "init", "-q", "-b", "main", repository);
  const commit = (message: string): Promise<string> => git(repository, "commit", "-q", "--allow-empty", "-m", message);
  await commit("one");
  await commit("two");
  await git(repository, "tag", "-a", "-m", "visible", "v1", "HEAD~1");
  await git(repository, "switch", "-q", "-c", "deleted");
  await commit("private parent");
  await commit("private");
  await git(repository, "tag", "-a", "-m", "private", "gone");
  const names = { main: "main", older: "main~1", tagged: "v1", deleted: "deleted", parent: "deleted~1", tag: "gone" };
  for (const [key, name] of Object.entries(names)) {
    oids[key as keyof typeof names] = (await git(repository, "rev-parse", name)).trim();
  }
  await git(repository, "repack", "-adq");
  await git(repository, "switch", "-q", "main");
  await git(repository, "branch", "-q", "-D", "deleted");
  await git(repository, "tag", "-d", "gone");
  server = new TransportServer(join(repository, ".git"));
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

/** The answer to one request; null stands for a flush, "|" for a delimiter. Oids are replaced by what they are called here. */
async function ask(version: 0 | 2, lines: readonly (string | null)[]): Promise<string> {
  const body = Buffer.concat(
    lines.map((line) => (line === null ? flushPacket : line === "|" ? Buffer.from("0001") : packetLine(`${line}\n`))),
  );
  const headers = { "content-type": "application/x-git-upload-pack-request", "git-protocol": `version=${version}` };
  let text = Buffer.from(
    await (await fetch(`${server.url}/git-upload-pack`, { method: "POST", headers, body })).arrayBuffer(),
  ).toString("latin1");
  const pack = text.indexOf("PACK");
  text =
    pack < 0
      ? text
      : `${text.slice(0, pack)}PACK of ${Buffer.from(text.slice(pack + 8, pack + 12), "latin1").readUInt32BE()}`;
  return Object.entries(oids).reduce((told, [name, oid]) => told.replaceAll(oid, name), text);
}

const hidden = ["deleted", "parent", "tag"] as const;

describe("what no ref reaches is as if it were missing", () => {
  const v0 = (have: string, ...rest: (string | null)[]) =>
    ask(0, [`want ${oids.main} multi_ack_detailed ofs-delta`, null, `have ${have}`, ...rest]);
  const v2 = (have: string, ...rest: (string | null)[]) =>
    ask(2, ["command=fetch", "|", `want ${oids.main}`, `have ${have}`, "no-progress", ...rest, null]);

  test("among haves", async () => {
    for (const name of hidden) {
      expect(await v0(oids[name], null)).toBe(await v0(oids.missing, null));
      expect(await v0(oids[name], "done")).toBe(await v0(oids.missing, "done"));
      expect(await v2(oids[name])).toBe(await v2(oids.missing));
      expect(await v2(oids[name], "done")).toBe(await v2(oids.missing, "done"));
    }
    for (const name of ["main", "older", "tagged"] as const) {
      expect(await v0(oids[name], null)).toContain(`ACK ${name} common`);
      expect(await v2(oids[name])).toContain(`ACK ${name}\n`);
    }
  });

  test("where sizes are asked for", async () => {
    const size = async (name: keyof typeof oids) =>
      (await ask(2, ["command=object-info", "|", "size", `oid ${oids[name]}`, null])).replaceAll(name, "it");
    for (const name of hidden) {
      expect(await size(name)).toBe(await size("missing"));
    }
    for (const name of ["main", "older", "tagged"] as const) {
      expect(await size(name)).toMatch(/it [1-9][0-9]+\n/);
    }
  });

  test("as the end of a shallow history: what lies below is not sent", async () => {
    const unshallow = (oid: string, version: 0 | 2): Promise<string> =>
      version === 0
        ? ask(0, [
            `want ${oids.main} shallow no-progress side-band-64k`,
            `shallow ${oid}`,
            "deepen 2147483647",
            null,
            "done",
          ])
        : ask(2, [
            "command=fetch",
            "|",
            `want ${oids.main}`,
            `shallow ${oid}`,
            "deepen 2147483647",
            "no-progress",
            "done",
            null,
          ]);
    for (const version of [0, 2] as const) {
      expect(await unshallow(oids.main, version)).toContain("unshallow main");
      for (const name of hidden) {
        const answer = await unshallow(oids[name], version);
        expect(answer).toBe(await unshallow(oids.missing, version));
        // The two commits of main and the tree of both.
        expect(answer).toEndWith("PACK of 3");
      }
    }
  });
});
