import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import type { StagedPack } from "../../src/git/pack/staged-pack.ts";
import type { CommitSigner } from "../../src/git/objects/commit-signer.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { generateHistory, type GeneratedHistory } from "./generated-history.ts";

/** An engine that has a key signs what no operation of the API reaches, too: merges, and commits that follow each other. */

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const text = (value: string | Uint8Array) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
};
const blob = Buffer.concat([text("ssh-ed25519"), text(raw)]);
const signer: CommitSigner = {
  kind: "ssh",
  algorithm: "ssh-ed25519",
  pem: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  publicKey: new Uint8Array(blob),
};

let history: GeneratedHistory;
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 32 << 20,
  signer,
  log: silentLogger,
});

beforeAll(() => {
  history = generateHistory(10);
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  history[Symbol.dispose]();
});

test("merges and series of commits are signed, each over what it says", async () => {
  const destination = {
    directory: join(history.directory, "published"),
    temporary: join(history.directory, "temporary"),
  };
  mkdirSync(destination.temporary);
  const allowed = join(history.directory, "allowed");
  writeFileSync(allowed, `forge ssh-ed25519 ${blob.toString("base64")}\n`);
  const person = { name: "Ed", email: "ed@example.org", seconds: 1_800_000_000, offsetMinutes: 60 };
  const main = history.git("rev-parse", "main");
  let packs = [...history.packs];
  const view = () => ({ key: `signed:${packs.length}`, format: "sha1" as const, packs });
  const adopt = (pack: StagedPack | null) => {
    expect(pack).not.toBeNull();
    for (const path of [pack!.path, pack!.path.replace(/pack$/, "idx")]) {
      cpSync(path, join(history.directory, "objects", "pack", `pack-${path.slice(path.lastIndexOf("/") + 1)}`));
    }
    packs = [...packs, pack!.path];
  };
  const seriesOf = async (names: readonly string[]) => {
    const { tip, pack } = await engine.write(view(), "commitSeries", {
      parent: main,
      commits: names.map((name) => ({
        changes: [
          {
            operation: "create" as const,
            path: name,
            fromPath: null,
            bytes: Buffer.from(name),
            mode: null,
            expectedOid: null,
          },
        ],
        signature: person,
        message: `Add ${name}\n`,
      })),
      destination,
    });
    adopt(pack);
    return tip!;
  };
  const ours = await seriesOf(["one", "two"]);
  const theirs = await seriesOf(["three"]);
  const { commit, pack } = await engine.write(view(), "commitMerge", {
    ours,
    theirs,
    base: null,
    labels: { ours, base: "base", theirs },
    parents: [ours, theirs],
    author: person,
    committer: person,
    message: "Merge\n",
    destination,
  });
  adopt(pack);
  const made = history.git("rev-list", commit!, "--not", main).split("\n");
  expect(made).toHaveLength(4);
  for (const oid of made) {
    const shown = history.git("-c", `gpg.ssh.allowedSignersFile=${allowed}`, "log", "-1", "--format=%G? %GS", oid);
    expect([oid, shown]).toEqual([oid, "G forge"]);
  }
});
