import { expect, test } from "bun:test";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { GitWorkTree } from "../../support/git-work-tree.ts";
import { openPull } from "../../support/pulls.ts";
import { randomFrom } from "../../support/random.ts";
import { useTestApp } from "../../support/test-app.ts";

/*
 * A thousand comments on lines of a pull request whose history is rewritten again and again, on both sides of its diff. Git says where each
 * line is afterwards, or that it is gone.
 */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const random = randomFrom(30);
const site = "alice/site";
const rounds = 5;
const threads = 1000;

type Files = Map<string, string[]>;
let words = 0;
const newLine = () => `${["if (a) {", "}", "", "return"][random.below(12)] ?? `word ${words++}`}`;

/** Changes, adds and removes lines of about one in three files; renames one where that is wanted. */
function mutate(files: Files, edits: number, renames = false): Files {
  const next = new Map([...files].map(([path, lines]) => [path, [...lines]]));
  for (const lines of next.values()) {
    for (let edit = random.below(3) === 0 ? edits : 0; edit > 0; edit--) {
      const at = random.below(lines.length + 1);
      const count = 1 + random.below(3);
      const kind = random.below(3);
      lines.splice(at, kind === 0 ? 0 : count, ...(kind === 1 ? [] : Array.from({ length: count }, newLine)));
    }
    if (lines.length === 0) {
      lines.push(newLine());
    }
  }
  const paths = [...next.keys()];
  const path = paths[random.below(paths.length)]!;
  if (renames) {
    next.set(`${path}.moved`, next.get(path)!);
    next.delete(path);
  }
  return next;
}

async function commit(tree: GitWorkTree, files: Files, message: string): Promise<string> {
  await tree.git("rm", "-rq", "--ignore-unmatch", ".");
  for (const [path, lines] of files) {
    await tree.write(path, lines.map((line) => `${line}\n`).join(""));
  }
  await tree.git("add", "-A");
  await tree.git("commit", "-q", "--allow-empty", "-m", message);
  return tree.git("rev-parse", "HEAD");
}

interface Hunk {
  before: number;
  removed: number;
  after: number;
  added: number;
}

interface FileDiff {
  before: string | null;
  after: string | null;
  hunks: Hunk[];
}

/** The changes between two commits, as git prints them. */
async function diffOf(tree: GitWorkTree, from: string, to: string, context: number): Promise<FileDiff[]> {
  const text = await tree.git("diff", "-M", `-U${context}`, "--no-color", from, to);
  const files: FileDiff[] = [];
  for (const line of text.split("\n")) {
    const [, before, after] = /^diff --git a\/(.*) b\/(.*)$/.exec(line) ?? [];
    if (before !== undefined) {
      files.push({ before, after: after ?? null, hunks: [] });
    }
    const file = files.at(-1);
    if (file !== undefined && line.startsWith("new file mode")) {
      file.before = null;
    }
    if (file !== undefined && line.startsWith("deleted file mode")) {
      file.after = null;
    }
    const [, old, removed = "1", now, added = "1"] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (file !== undefined && old !== undefined) {
      file.hunks.push({ before: Number(old), removed: Number(removed), after: Number(now), added: Number(added) });
    }
  }
  return files;
}

interface Place {
  path: string;
  line: number;
}

/** Where a line is in another commit; null: it was changed, or is gone. */
function follow(files: readonly FileDiff[], { path, line }: Place): Place | null {
  const file = files.find(({ before }) => before === path);
  if (file === undefined) {
    return { path, line };
  }
  if (file.after === null) {
    return null;
  }
  let shift = 0;
  for (const { before, removed, added } of file.hunks) {
    // Git names the line before a place where nothing was removed.
    const first = removed === 0 ? before + 1 : before;
    if (line < first) {
      break;
    }
    if (line < first + removed) {
      return null;
    }
    shift += added - removed;
  }
  return { path: file.after, line: line + shift };
}

test("each of a thousand comments stays on its line over rebases, or is outdated, as git has it", async () => {
  using tree = await GitWorkTree.create();
  await app.repository(alice, "site");
  const push = () => tree.push(`${app.url}/${site}.git`, alice.token, "+main", "+topic");
  const file = () => Array.from({ length: 40 + random.below(60) }, newLine);
  let base: Files = new Map(Array.from({ length: 24 }, (_, at) => [`src/file-${at}.txt`, file()]));
  await commit(tree, base, "begin");
  let topic = mutate(mutate(mutate(base, 6), 6), 6);
  topic.set("src/new.txt", file());
  await tree.git("checkout", "-q", "-b", "topic");
  let head = await commit(tree, topic, "topic");
  await push();
  const { number, id } = await openPull(alice, site, { head: "topic" });

  const shown = await diffOf(tree, "main", head, 3);
  const places = shown.flatMap(({ before, after, hunks }) =>
    hunks.flatMap((hunk) => [
      ...Array.from({ length: after === null ? 0 : hunk.added }, (_, at) => ({
        path: after ?? "",
        new_position: hunk.after + at,
      })),
      ...Array.from({ length: before === null ? 0 : hunk.removed }, (_, at) => ({
        path: before ?? "",
        old_position: hunk.before + at,
      })),
    ]),
  );
  for (let sent = 0; sent < threads; sent += 500) {
    const comments = Array.from({ length: 500 }, (_, at) => ({
      ...places[random.below(places.length)]!,
      body: `comment ${sent + at}`,
    }));
    const reply = await bob.api.post(`/repos/${site}/pulls/${number}/reviews`, { event: "COMMENT", comments });
    expect(reply.status).toBe(200);
  }
  const read = async () => [
    ...(await app.forge.database.sql<
      { id: string; path: string; line: number; side: "old" | "new"; oid: string; invalidated: boolean }[]
    >`select place.comment_id as id, place.path, place.line, place.side, encode(place.commit_oid, 'hex') as oid, place.invalidated
        from review_comment as place join comment on comment.id = place.comment_id
        where comment.issue_id = ${id} order by place.comment_id`),
  ];
  const expected = new Map(
    (await read()).map(({ id: key, path, line, side, oid }) => [key, { path, line, side, oid, gone: false }]),
  );
  expect(expected.size).toBe(threads);

  let gone = 0;
  for (let round = 0; round < rounds; round++) {
    await tree.git("checkout", "-q", "main");
    base = mutate(base, 2);
    await commit(tree, base, `main ${round}`);
    topic = mutate(topic, 2, round % 2 === 1);
    await tree.git("checkout", "-q", "-B", "topic", "main");
    head = await commit(tree, topic, `topic ${round}`);
    await push();
    await waitUntilIdle(app.forge, 120_000);
    const mergeBase = await tree.git("merge-base", "main", head);
    const diffs = new Map<string, FileDiff[]>();
    for (const one of expected.values()) {
      const to = one.side === "old" ? mergeBase : head;
      const key = `${one.oid} ${to}`;
      const diff = diffs.get(key) ?? (await diffOf(tree, one.oid, to, 0));
      diffs.set(key, diff);
      const now = one.oid === to ? one : follow(diff, one);
      Object.assign(one, now === null ? { gone: true } : { path: now.path, line: now.line, oid: to, gone: false });
    }
    const rows = await read();
    const found = rows.map(({ id: key, path, line, side, oid, invalidated }) => [
      key,
      { path, line, side, oid, gone: invalidated },
    ]);
    expect({ round, found }).toEqual({ round, found: [...expected] });
    gone = rows.filter(({ invalidated }) => invalidated).length;
  }
  // The rounds are worth something: some are gone, and most are not.
  expect(gone).toBeGreaterThan(50);
  expect(gone).toBeLessThan(threads - 300);
}, 300_000);
