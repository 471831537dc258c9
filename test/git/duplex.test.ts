import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveReceivePack } from "../../src/git/transport/serve-receive-pack.ts";
import { serveUploadPack } from "../../src/git/transport/serve-upload-pack.ts";
import { DuplexServer } from "./duplex-server.ts";
import { git, TransportServer } from "./transport-server.ts";
import { repeated } from "../support/thorough.ts";

/** The real git over a connection on which both sides take turns, in every protocol version. */

let root = "";
let bare = "";
let repository: TransportServer;
let server: DuplexServer;

async function commits(cwd: string, count: number, name: string): Promise<void> {
  for (let number = 1; number <= count; number++) {
    await writeFile(join(cwd, `${name}.txt`), `${name} ${number}\n`.repeat(30));
    await git(cwd, "add", "-A");
    await git(cwd, "commit", "-q", "-m", `${name} ${number}`);
  }
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-duplex-"));
  const source = join(root, "source");
  await git(root, "init", "-q", "-b", "main", source);
  await commits(source, 12, "main");
  await git(source, "tag", "-a", "-m", "one", "v1", "HEAD~4");
  bare = join(root, "bare");
  await git(root, "clone", "-q", "--mirror", source, bare);
  await git(bare, "repack", "-adq");
  await git(bare, "config", "receive.unpackLimit", "1");
  repository = new TransportServer(bare);
  server = await DuplexServer.start(repository);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await repository[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

describe.each(repeated([2, 0, 1], 2))("protocol version %d", (version) => {
  const options = (): string[] => ["-c", `protocol.version=${version}`, ...server.options];

  test("clone, fetch after many local commits, shallow, deepened, unshallowed", async () => {
    const [clone, shallow] = [join(root, `clone-${version}`), join(root, `shallow-${version}`)];
    await git(root, ...options(), "clone", "-q", server.url, clone);
    await git(clone, "fsck", "--strict");
    await commits(clone, 1, "mine");
    const tip = (await git(clone, "rev-parse", "HEAD")).trim();
    // Enough of them that the negotiation takes several rounds.
    const list = Array.from(
      { length: 60 },
      (_, index) =>
        `commit refs/heads/main\ncommitter C <c@example.org> ${1_900_000_000 + index} +0000\ndata 1\nm\n${index === 0 ? `from ${tip}\n` : ""}`,
    );
    const child = Bun.spawn(["git", "fast-import", "--quiet", "--force"], {
      cwd: clone,
      stdin: new Blob(list),
      stderr: "inherit",
    });
    expect(await child.exited).toBe(0);
    const other = join(root, `other-${version}`);
    await git(root, "clone", "-q", bare, other);
    await commits(other, 1, `upstream-${version}`);
    await git(other, "push", "-q", "origin", "main");
    await git(clone, ...options(), "fetch", "-q");
    expect(await git(clone, "rev-parse", "origin/main")).toBe(await git(other, "rev-parse", "main"));
    await git(clone, "fsck", "--strict");

    await git(root, ...options(), "clone", "-q", "--depth=1", server.url, shallow);
    expect((await git(shallow, "rev-list", "HEAD")).trim().split("\n").length).toBe(1);
    await git(shallow, ...options(), "fetch", "-q", "--deepen=2");
    expect((await git(shallow, "rev-list", "HEAD")).trim().split("\n").length).toBe(3);
    await git(shallow, ...options(), "fetch", "-q", "--unshallow");
    expect(await git(shallow, "rev-list", "--objects", "HEAD")).toBe(await git(bare, "rev-list", "--objects", "main"));
    expect(new Set(server.ends)).toEqual(new Set([null]));
  });

  test("push: create, move, delete, options, nothing to do", async () => {
    const work = join(root, `work-${version}`);
    await git(root, ...options(), "clone", "-q", server.url, work);
    await commits(work, 2, `pushed-${version}`);
    const name = `topic-${version}`;
    await git(
      work,
      ...options(),
      "push",
      "-q",
      "-o",
      `from-${version}`,
      "origin",
      `HEAD:${name}`,
      "v1:refs/tags/again",
    );
    expect(await git(bare, "rev-parse", name)).toBe(await git(work, "rev-parse", "HEAD"));
    expect(repository.pushOptions.at(-1)).toBe(`from-${version}`);
    await git(work, ...options(), "push", "-q", "origin", `HEAD:${name}`);
    await git(work, ...options(), "push", "-q", "origin", `:${name}`, ":refs/tags/again");
    expect(await git(bare, "for-each-ref", "--format=%(refname:short)")).not.toContain(name);
    await git(bare, "fsck", "--strict");
  });
});

/** Lets the client's side be sent piece by piece, as in a conversation that stays open. */
function channel(): { send(text: string | Uint8Array): void; end(): void; input: AsyncIterable<Uint8Array> } {
  const stream = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, { highWaterMark: 100 });
  const writer = stream.writable.getWriter();
  return {
    send: (text) => void writer.write(Buffer.from(text)).catch(() => {}),
    end: () => void writer.close().catch(() => {}),
    input: stream.readable,
  };
}

const line = (text: string) => `${(text.length + 5).toString(16).padStart(4, "0")}${text}\n`;

/** The chunks up to one that ends with a text. */
async function until(output: AsyncGenerator<Uint8Array>, ending: string): Promise<string> {
  let text = "";
  while (!text.endsWith(ending)) {
    const { value, done } = await output.next();
    if (done === true) {
      throw new Error(`ended with ${text.slice(-200)}`);
    }
    text += Buffer.from(value).toString("latin1");
  }
  return text;
}

describe("what the server says, turn by turn", () => {
  test("each round of haves is answered, and only the rounds after the first may lead to ready", async () => {
    const { send, end, input } = channel();
    const output = serveUploadPack(input, await repository.source(), 0);
    await until(output, "0000");
    const [main, older, oldest] = (await git(bare, "rev-parse", "main", "main~2", "main~6")).trim().split("\n") as [
      string,
      string,
      string,
    ];
    const unknown = "1".repeat(40);
    send(
      `${line(`want ${main} multi_ack_detailed side-band-64k ofs-delta thin-pack no-progress`)}0000${line(`have ${unknown}`)}0000`,
    );
    expect(await until(output, "\n")).toBe("0008NAK\n");
    send(`${line(`have ${oldest}`)}0000`);
    expect((await until(output, "NAK\n")).replaceAll(oldest, "oldest")).toBe(
      "0038ACK oldest common\n0037ACK oldest ready\n0008NAK\n",
    );
    send(`${line(`have ${older}`)}${line("done")}`);
    expect((await until(output, "0000")).replaceAll(older, "older")).toMatch(
      /^0038ACK older common\n0031ACK older\n[\s\S]*PACK/,
    );
    end();
    expect((await output.next()).done).toBe(true);
  });

  test("a push is answered although the client leaves its end open", async () => {
    const pack = Bun.spawnSync(["git", "pack-objects", "--revs", "--stdout", "-q"], {
      cwd: bare,
      stdin: Buffer.from("main\n"),
    }).stdout;
    const main = (await git(bare, "rev-parse", "main")).trim();
    const { send, input } = channel();
    const output = serveReceivePack(input, repository.target(), 2);
    await until(output, "0000");
    const command = `${"0".repeat(40)} ${main} refs/heads/open\0report-status`;
    send(`${(command.length + 4).toString(16).padStart(4, "0")}${command}0000`);
    for (let at = 0; at < pack.length; at += 999) {
      send(pack.subarray(at, at + 999));
    }
    expect(await until(output, "0000")).toBe("000eunpack ok\n0017ok refs/heads/open\n0000");
    expect((await output.next()).done).toBe(true);
  });

  test("what breaks the protocol is told in an ERR packet, and a signed push is refused", async () => {
    const first = channel();
    const output = serveUploadPack(first.input, await repository.source(), 2);
    await until(output, "0000");
    first.send(`${line("command=nonsense")}0000`);
    expect(await until(output, "'")).toContain("ERR invalid command 'nonsense'");
    await expect(output.next()).rejects.toThrow("invalid command");

    const sign = async (capabilities: string): Promise<AsyncGenerator<Uint8Array, void>> => {
      const second = channel();
      const push = serveReceivePack(second.input, repository.target(), 0);
      await until(push, "0000");
      second.send(line(`push-cert\0${capabilities}`));
      second.send("0000");
      return push;
    };
    // In the report, from where git shows it.
    const told = await sign("report-status push-options");
    expect(await until(told, "0000")).toContain("unpack Signed pushes are not supported: push without --signed");
    expect(await told.next()).toEqual({ done: true, value: undefined });
    const untold = await sign("push-options");
    await expect(untold.next()).rejects.toThrow("Signed pushes are not supported");
  });

  test("a list that is refused is read to its end: git, still writing it, would die and show no report", async () => {
    const oid = "1".repeat(40);
    const sent = [
      Buffer.from(line(`${oid} ${oid} refs/heads/\xe9\0report-status`), "latin1"),
      Buffer.from(line(`${oid} ${oid} refs/heads/more`)),
      Buffer.from("0000"),
    ];
    const list = sent.values();
    const input = (async function* (): AsyncGenerator<Uint8Array> {
      yield* list;
    })();
    const output = serveReceivePack(input, repository.target(), 0);
    await until(output, "0000");
    expect(await until(output, "0000")).toContain("unpack A protocol line is not UTF-8");
    expect([...list]).toEqual([]);
  });
});
