import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { hashObject } from "../../src/git/objects/hash-object.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../src/git/objects/oid.ts";
import { fullNumber } from "../support/full-number.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { checkedRefs } from "../support/server-process.ts";
import { useTestApp } from "../support/test-app.ts";
import { rawPack } from "./raw-pack.ts";

/** Twenty pushes at the same time that cannot all be taken: one is, the others are told, and what was taken is there. */

setDefaultTimeout(300_000);

const clients = 20;
const rounds = fullNumber("STITHY_RACES");
const app = await useTestApp();
const alice = await app.user("alice");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const zero = "0".repeat(40);
const emptyTree = Buffer.alloc(0);
let made = 0;

/** A commit that nobody else has made, with its tree. */
function newCommit(parent: string | null): { oid: string; pack: Buffer } {
  const tree = bytesToHex(hashObject(sha1, ObjectType.tree, emptyTree));
  const lines = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    "author A <a@example.org> 1 +0000",
    "committer A <a@example.org> 1 +0000",
    "",
    `commit ${++made}`,
    "",
  ];
  const data = Buffer.from(lines.join("\n"));
  return {
    oid: bytesToHex(hashObject(sha1, ObjectType.commit, data)),
    pack: rawPack([
      { kind: ObjectType.tree, data: emptyTree },
      { kind: ObjectType.commit, data },
    ]),
  };
}

interface Command {
  name: string;
  from: string;
  to: string;
}

/** Pushes, and answers for each ref whether it was moved, or why not. */
async function push(
  repository: string,
  commands: readonly Command[],
  pack: Uint8Array,
  atomic = false,
): Promise<Map<string, string>> {
  const lines = commands.map(
    ({ name, from, to }, at) => `${from} ${to} ${name}${at === 0 ? `\0report-status${atomic ? " atomic" : ""}` : ""}\n`,
  );
  const head = `${lines.map((line) => (line.length + 4).toString(16).padStart(4, "0") + line).join("")}0000`;
  const response = await fetch(`${app.url}/alice/${repository}.git/git-receive-pack`, {
    method: "POST",
    headers: { "content-type": "application/x-git-receive-pack-request", authorization: `token ${alice.token}` },
    body: Buffer.concat([Buffer.from(head), pack]),
  });
  const text = await response.text();
  expect(text).toContain("unpack ok\n");
  return new Map(
    [...text.matchAll(/(ok|ng) (refs\/\S+) ?(.*)\n/g)].map(([, word = "", name = "", reason = ""]) => [
      name,
      word === "ok" ? "ok" : reason,
    ]),
  );
}

async function expectRefs(repository: string, expected: Map<string, string>): Promise<void> {
  const clone = scratch.join(`${repository}-${++made}`);
  const found = await checkedRefs(
    `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${repository}.git`,
    clone,
  );
  expect(new Map(found.map((line) => [line.slice(41), line.slice(0, 40)]))).toEqual(expected);
}

test(`${clients} that move the same ref`, async () => {
  await app.repository(alice, "same");
  let tip = newCommit(null);
  await push("same", [{ name: "refs/heads/main", from: zero, to: tip.oid }], tip.pack);
  for (let round = 0; round < rounds; round++) {
    const commits = Array.from({ length: clients }, () => newCommit(tip.oid));
    const answers = await Promise.all(
      commits.map(({ oid, pack }) => push("same", [{ name: "refs/heads/main", from: tip.oid, to: oid }], pack)),
    );
    const winners = answers.flatMap((answer, at) => (answer.get("refs/heads/main") === "ok" ? [at] : []));
    expect(winners).toBeArrayOfSize(1);
    for (const [at, answer] of answers.entries()) {
      expect(answer.get("refs/heads/main")).toMatch(at === winners[0] ? /^ok$/ : /cannot lock ref|fetch first|is at/);
    }
    tip = commits[winners[0] ?? 0] ?? tip;
  }
  await expectRefs("same", new Map([["refs/heads/main", tip.oid]]));
  expect(Number(await mustGit(scratch.join(`same-${made}`), ["rev-list", "--count", "main"]))).toBe(rounds + 1);
});

test(`${clients} that make "a" and "a/b"`, async () => {
  await app.repository(alice, "nested");
  const expected = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const names = [`refs/heads/${round}`, `refs/heads/${round}/b`];
    const commits = Array.from({ length: clients }, () => newCommit(null));
    const answers = await Promise.all(
      commits.map(({ oid, pack }, at) => push("nested", [{ name: names[at % 2] ?? "", from: zero, to: oid }], pack)),
    );
    const winners = answers.flatMap((answer, at) => ([...answer.values()][0] === "ok" ? [at] : []));
    expect(winners).toBeArrayOfSize(1);
    const [winner = 0] = winners;
    expected.set(names[winner % 2] ?? "", commits[winner]?.oid ?? "");
  }
  await expectRefs("nested", expected);
});

test(`${clients} that move two refs, all or none, each in another order`, async () => {
  await app.repository(alice, "both");
  const names = ["refs/heads/first", "refs/heads/second"];
  let tip = newCommit(null);
  await push(
    "both",
    names.map((name) => ({ name, from: zero, to: tip.oid })),
    tip.pack,
  );
  for (let round = 0; round < rounds; round++) {
    const commits = Array.from({ length: clients }, () => newCommit(tip.oid));
    const answers = await Promise.all(
      commits.map(({ oid, pack }, at) =>
        push(
          "both",
          (at % 2 === 0 ? names : names.toReversed()).map((name) => ({ name, from: tip.oid, to: oid })),
          pack,
          true,
        ),
      ),
    );
    const moved = answers.map((answer) => [...answer.values()].filter((word) => word === "ok").length);
    expect(moved.toSorted((left, right) => right - left)).toEqual([2, ...Array<number>(clients - 1).fill(0)]);
    tip = commits[moved.indexOf(2)] ?? tip;
  }
  await expectRefs("both", new Map(names.map((name) => [name, tip.oid])));
});
