import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitEngine } from "../../src/git/engine.ts";
import type { PatchArgs } from "../../src/git/operations/patch.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomOf } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { packedTrees } from "./packed-trees.ts";
import { randomTrees } from "./random-trees.ts";

/*
 * Patches as mails, and the bounds on patches, through the engine.
 */
const fixture = new GitFixture();
let engine: GitEngine;
let repository = "";
let view: { key: string; format: "sha1"; packs: readonly string[] };
let commits: string[] = [];
let gitVersion = "";

const long =
  "a long subject that goes on and on with more words than fit into one line of a mail, and then some more of them";
const authors: readonly (readonly [string, string])[] = [
  ["Ann", "ann@example.org"],
  ["Jos\u00e9 \u{1f600} Nu\u00f1ez", "jose@example.org"],
  ['Dr. Q. "Quote" (x)', "q@example.org"],
  [
    "A name that is so long that together with its address it does not fit",
    "long.address.of.somebody@mail.example.org",
  ],
];
const messages = [
  "subject\n",
  `${long}\n\nbody  \n\n\nend\n\n`,
  "two\nlines of subject\n\nb\u00f6dy\n",
  `\u00fc ${long} \u00fc = ? _\n`,
  "",
  "\n\n  indented =?x\n",
  "one\n\n---\nnot the end\n",
];

beforeAll(() => {
  repository = fixture.repository();
  const trees = packedTrees(fixture, repository, randomTrees(30, randomOf(21)));
  let parent: string | null = null;
  commits = trees.map((tree, at) => {
    const [name, email] = authors[at % authors.length]!;
    const seconds = 1_600_000_000 + at * 1_234_567;
    const zone = ["+0000", "-0330", "+1245"][at % 3]!;
    const headers = [
      `tree ${tree}`,
      ...(parent === null ? [] : [`parent ${parent}`]),
      `author ${name} <${email}> ${seconds} ${zone}`,
      `committer C <c@example.org> ${seconds} +0000`,
    ];
    parent = fixture
      .git(
        repository,
        ["hash-object", "-t", "commit", "-w", "--stdin"],
        `${headers.join("\n")}\n\n${messages[at % messages.length]!}`,
      )
      .toString()
      .trim();
    return parent;
  });
  fixture.git(repository, ["update-ref", "refs/heads/main", commits.at(-1)!]);
  fixture.git(repository, ["repack", "-adq"]);
  gitVersion = fixture.git(repository, ["version"]).toString().trim().replace("git version ", "");
  view = { key: "1:1", format: "sha1", packs: fixture.packs(repository) };
  engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    cacheBytes: 32 << 20,
    log: silentLogger,
  });
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

async function patch(args: PatchArgs): Promise<string> {
  return Buffer.from(await new Response(engine.stream(view, "patch", args)).arrayBuffer()).toString("latin1");
}

describe("git format-patch", () => {
  test("writes the same mails", async () => {
    for (const after of commits) {
      const mail = await patch({ before: "parent", after, mail: { signature: gitVersion } });
      expect(mail).toBe(
        fixture.git(repository, ["format-patch", "-1", "--stdout", "--root", "--no-binary", after]).toString("latin1"),
      );
    }
  });
});

describe("limits of a patch", () => {
  const limits = { maxFiles: 1000, maxBytes: 1 << 20, maxMilliseconds: 60_000 };
  const last = (): PatchArgs => ({ before: null, after: commits.at(-1)!, mail: null });

  test("it is cut after a whole file, and says so", async () => {
    const whole = await patch(last());
    const cut = await patch({ ...last(), options: { limits: { ...limits, maxBytes: Math.floor(whole.length / 2) } } });
    const [kept, note] = cut.split("\n# ") as [string, string];
    expect(whole.startsWith(kept)).toBe(true);
    expect(whole.slice(kept.length)).toStartWith("diff --git ");
    const left = whole.slice(kept.length).match(/^diff --git /gm)!.length;
    expect(note).toBe(`The patch is cut off here, as it is too large: ${left} files are left out.\n`);
  });

  test("so it is after too many files, and when there is no time", async () => {
    const few = await patch({ ...last(), options: { limits: { ...limits, maxFiles: 2 } } });
    expect(few.match(/^diff --git /gm)?.length).toBe(2);
    expect(few).toEndWith("more files are left out.\n");
    expect(await patch({ ...last(), options: { limits: { ...limits, maxMilliseconds: -1 } } })).toStartWith(
      "\n# The patch is cut off here",
    );
  });

  test("a missing object fails it", async () => {
    expect(
      await patch({ before: null, after: "1".repeat(40), mail: null }).catch((error: { code?: string }) => error.code),
    ).toBe("missing-object");
  });
});
