import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packetLine } from "../../../src/git/wire/pkt-line.ts";
import { git, TransportServer } from "../transport-server.ts";
import { makeHistory } from "./history.ts";
import { describeAnswer, type Exchange, writeTranscript } from "./transcript.ts";

/** Records all exchanges anew: `bun test/git/wire/record.ts`. */

const root = mkdtempSync(join(tmpdir(), "stithy-record-"));
const source = join(root, "source");
await makeHistory(source);
let made = 0;
const folder = (): string => join(root, `folder-${++made}`);

/** Has a client do something with a server of its own, and writes down what they say from `from` on. */
async function record(name: string, act: (url: string, begin: () => void) => Promise<unknown>): Promise<void> {
  const repository = folder();
  await git(root, "clone", "-q", "--mirror", source, repository);
  await using server = new TransportServer(repository);
  let first = 0;
  await act(server.url, () => (first = server.exchanges.length));
  const exchanges: Exchange[] = [];
  for (const { answer, ...exchange } of server.exchanges.slice(first)) {
    exchanges.push({ ...exchange, answer: await describeAnswer(answer, source) });
  }
  await Bun.write(join(import.meta.dir, "exchanges", `${name}.txt`), writeTranscript(exchanges));
}

async function commitAt(cwd: string, date: number, message: string): Promise<void> {
  const who = { name: "Ada", email: "ada@example.org", date: `${date} +0000` };
  const identity = Object.entries(who).flatMap(([key, value]) =>
    ["AUTHOR", "COMMITTER"].map((role) => [`GIT_${role}_${key.toUpperCase()}`, value]),
  );
  const child = Bun.spawn(["git", "commit", "-q", "--allow-empty", "-m", message], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, ...Object.fromEntries(identity) },
  });
  await child.exited;
}

for (const version of [0, 1, 2]) {
  const options = ["-c", `protocol.version=${version}`];
  const clone = async (url: string, ...args: string[]): Promise<string> => {
    const path = folder();
    await git(root, ...options, "clone", "-q", "--no-checkout", ...args, url, path);
    return path;
  };
  await record(`v${version}-clone`, (url) => clone(url));
  await record(`v${version}-fetch-with-haves`, async (url, begin) => {
    const path = await clone(url, "--single-branch", "-b", "old", "--no-tags");
    await git(path, "checkout", "-q", "old");
    for (let number = 0; number < 20; number++) {
      await commitAt(path, 1_800_000_000 + number, `Local ${number}`);
    }
    begin();
    await git(path, ...options, "fetch", "-q", "origin", "main", "topic");
  });
  await record(`v${version}-shallow`, (url) => clone(url, "--depth=1"));
  await record(`v${version}-deepen`, async (url, begin) => {
    const path = await clone(url, "--depth=1");
    begin();
    await git(path, ...options, "fetch", "-q", "--deepen=2");
    await git(path, ...options, "fetch", "-q", "--depth=2");
    await git(path, ...options, "fetch", "-q", "--unshallow");
  });
  await record(`v${version}-shallow-bounds`, async (url) => {
    await clone(url, "--shallow-since=1700020000");
    await clone(url, "--shallow-exclude=v1");
  });
  await record(`v${version}-filter`, async (url) => {
    const path = await clone(url, "--filter=blob:none");
    await git(path, ...options, "checkout", "-q", "main");
    await clone(url, "--filter=combine:tree:2+blob:limit=500");
  });
  const push = (name: string, ...args: string[]): Promise<void> =>
    record(`v${version}-push-${name}`, async (url, begin) => {
      const path = await clone(url);
      await git(path, "checkout", "-q", "main");
      await commitAt(path, 1_800_000_000, "Pushed");
      begin();
      await git(path, ...options, "push", "-q", url, ...args).catch(() => {});
    });
  await push("create", "main:refs/heads/new", "v1:refs/tags/again");
  await push("update", "main");
  await push("delete", ":topic", ":refs/tags/v1");
  await push("atomic", "--atomic", "main:refs/heads/new", "+main~3:refs/heads/protected");
  await push("rejected", "-f", "main~3:refs/heads/protected", "main:refs/heads/new");
  await push("options", "-o", "first", "-o", "second=2", "main");
}

const oidOf = async (name: string): Promise<string> => (await git(source, "rev-parse", name)).trim();
const [main, topic, blob] = [await oidOf("main"), await oidOf("topic"), await oidOf("main:README.md")];
const unknown = "1".repeat(40);

/** Requests that git's clients of today do not make. */
async function raw(name: string, ...requests: string[][]): Promise<void> {
  await record(`v2-${name}`, async (url) => {
    for (const lines of requests) {
      const packets = lines.map((line) =>
        /^000[012]$/.test(line) ? line : Buffer.from(packetLine(`${line}\n`)).toString("latin1"),
      );
      const response = await fetch(`${url}/git-upload-pack`, {
        method: "POST",
        body: packets.join(""),
        headers: { "git-protocol": "version=2", "content-type": "application/x-git-upload-pack-request" },
      });
      await response.arrayBuffer();
    }
  });
}
const command = (name: string, ...args: string[]): string[] => [
  `command=${name}`,
  "object-format=sha1",
  "0001",
  ...args,
  "0000",
];
await raw(
  "object-info",
  command("object-info", "size", `oid ${main}`, `oid ${blob}`, `oid ${unknown}`),
  command("object-info", `oid ${main}`),
  command("object-info", "type", `oid ${main}`),
);
await raw(
  "want-ref",
  command(
    "fetch",
    "want-ref refs/heads/topic",
    "want-ref refs/tags/v1",
    "no-progress",
    "ofs-delta",
    `have ${topic}`,
    "done",
  ),
  command("fetch", "want-ref refs/heads/nothing", "done"),
);
await raw(
  "wait-for-done",
  command("fetch", `want ${main}`, `have ${topic}`, `have ${unknown}`, "wait-for-done", "no-progress"),
  command("fetch", `want ${main}`, `have ${topic}`, "no-progress", "ofs-delta"),
);
await raw(
  "refused",
  command("fetch", `want ${unknown}`, "done"),
  command("fetch", `want ${main}`, "filter blob:some", "done"),
  command("fetch", "nonsense", "done"),
  command("nonsense"),
  ["command=ls-refs", "shiny=1", "0000"],
  ["command=ls-refs", "object-format=sha256", "0001", "0000"],
);
rmSync(root, { recursive: true });
