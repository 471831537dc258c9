import { beforeAll, describe, expect, test } from "bun:test";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { openPull, writeFile } from "../../support/pulls.ts";
import { useTestApp } from "../../support/test-app.ts";

interface Review {
  id: number;
  state: string;
  stale: boolean;
  dismissed: boolean;
}
interface Comment {
  id: number;
  path: string;
  position: number;
  original_position: number;
  commit_id: string;
  original_commit_id: string;
  diff_hunk: string;
}

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const site = "alice/site";
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");
const changed = `${lines(1, 9)}ten\n${lines(11, 20)}`;

beforeAll(async () => {
  await app.repository(alice, "site", { auto_init: true });
  await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "write" });
  await writeFile(alice, site, { branch: "main" }, "a.txt", lines(1, 20));
  await writeFile(alice, site, { new_branch: "topic" }, "a.txt", changed);
});

let opened = 0;
const open = async () => {
  const head = `topic-${opened++}`;
  await alice.api.post(`/repos/${site}/branches`, { new_branch_name: head, old_branch_name: "topic" });
  const { number, id } = await openPull(bob, site, { head });
  const at = `/repos/${site}/pulls/${number}/reviews`;
  return {
    at,
    id,
    number,
    head,
    push: async (content: string, path = "a.txt") => {
      const commit = await writeFile(bob, site, { branch: head }, path, content);
      await waitUntilIdle(app.forge, 60_000);
      return commit;
    },
    reviews: async () => (await bob.api.get<Review[]>(at)).body,
    comments: async (review: number) => (await bob.api.get<Comment[]>(`${at}/${review}/comments`)).body,
  };
};
const comment = (side: "new_position" | "old_position", line: number) => ({ path: "a.txt", body: "Hm", [side]: line });

describe("reviews", () => {
  test("are stale after a push of other changes, and not any more when the head comes back", async () => {
    const { at, push, reviews } = await open();
    await alice.api.post(at, { event: "APPROVED" });
    await alice.api.post(at, { event: "COMMENT", body: "x" });
    await alice.api.post(at, { body: "Begun" });
    await push(`${changed}more\n`);
    expect((await reviews()).map(({ state, stale }) => [state, stale])).toEqual([
      ["APPROVED", true],
      ["COMMENT", true],
    ]);
    await push(changed);
    expect((await reviews()).map(({ stale }) => stale)).toEqual([false, false]);
  });

  test("are not stale after the same changes were put onto another base", async () => {
    const { at, head, reviews } = await open();
    await alice.api.post(at, { event: "APPROVED" });
    await writeFile(alice, site, { branch: "main" }, "other.txt", "1\n");
    const rebased = await writeFile(bob, site, { new_branch: `${head}-rebased` }, "a.txt", changed);
    const move = { new_commit_id: rebased, force: true };
    expect((await bob.api.put(`/repos/${site}/branches/${head}`, move)).status).toBe(204);
    await waitUntilIdle(app.forge, 60_000);
    expect(await reviews()).toMatchObject([{ stale: false, dismissed: false }]);
    // The same lines, at another place.
    await writeFile(alice, site, { branch: "main" }, "a.txt", `first\n${lines(1, 20)}`);
    const elsewhere = await writeFile(bob, site, { new_branch: `${head}-again` }, "a.txt", `first\n${changed}`);
    const again = { new_commit_id: elsewhere, force: true };
    expect((await bob.api.put(`/repos/${site}/branches/${head}`, again)).status).toBe(204);
    await writeFile(alice, site, { branch: "main" }, "a.txt", lines(1, 20));
    await waitUntilIdle(app.forge, 60_000);
    expect(await reviews()).toMatchObject([{ stale: true }]);
  });

  test("of another commit than the head are about that one, and stale", async () => {
    const { at, push, reviews } = await open();
    const old = await push(`${changed}more\n`);
    await push(`${changed}more\nand more\n`);
    const { body } = await alice.api.post<Review & { commit_id: string }>(at, { event: "APPROVED", commit_id: old });
    expect(body).toMatchObject({ commit_id: old, stale: true });
    await waitUntilIdle(app.forge, 60_000);
    expect((await reviews()).map(({ stale }) => stale)).toEqual([true]);
  });

  test("are dismissed where the protection says so, with a reason in the timeline", async () => {
    const rule = { rule_name: "main", dismiss_stale_approvals: true };
    expect((await alice.api.post(`/repos/${site}/branch_protections`, rule)).status).toBe(201);
    const { at, push, reviews, number } = await open();
    await alice.api.post(at, { event: "APPROVED" });
    await push(`${changed}more\n`);
    expect((await reviews()).map(({ stale, dismissed }) => [stale, dismissed])).toEqual([[true, true]]);
    const { body } = await alice.api.get<{ type: string; body: string }[]>(`/repos/${site}/issues/${number}/timeline`);
    expect(body.filter(({ type }) => type === "dismiss_review").map((entry) => entry.body)).toEqual([
      expect.stringContaining("Commits were pushed") as string,
    ]);
    await alice.api.delete(`/repos/${site}/branch_protections/main`);
  });
});

test("an approval that meets a push is of the head that it says, or stale", async () => {
  const { at, head, number, reviews } = await open();
  for (let round = 0; round < 6; round++) {
    await Promise.all([
      writeFile(bob, site, { branch: head }, "a.txt", `${changed}${round}\n`),
      alice.api.post(at, { event: "APPROVED" }),
    ]);
    const { body: pull } = await bob.api.get<{ head: { sha: string } }>(`/repos/${site}/pulls/${number}`);
    const last = (await reviews()).at(-1) as Review & { commit_id: string };
    expect({ round, stale: last.stale }).toEqual({ round, stale: last.commit_id !== pull.head.sha });
  }
  await waitUntilIdle(app.forge, 60_000);
});

test("whoever reviews twice at the same time has one review that is begun, and one decision that stands", async () => {
  const { at, reviews } = await open();
  const begin = () => alice.api.post(at, { comments: [comment("new_position", 10)] });
  expect((await Promise.all([begin(), begin(), begin()])).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await alice.api.get<{ comments_count: number }[]>(at)).body).toMatchObject([{ comments_count: 3 }]);
  const approve = () => alice.api.post(at, { event: "APPROVED" });
  await Promise.all([approve(), approve(), approve()]);
  expect((await reviews()).filter(({ dismissed }) => !dismissed).length).toBe(1);
});

test("comments on the base's side follow it when the pull request is for another branch", async () => {
  const { at, id, number } = await open();
  await alice.api.post<Review>(at, { event: "COMMENT", comments: [comment("old_position", 10)] });
  const name = `older-${number}`;
  const { body: commits } = await alice.api.get<{ sha: string }[]>(`/repos/${site}/commits?sha=main`);
  await alice.api.post(`/repos/${site}/branches`, { new_branch_name: name, old_ref_name: commits.at(-1)?.sha });
  const isGone = async (base: string) => {
    expect((await alice.api.patch(`/repos/${site}/pulls/${number}`, { base })).status).toBeLessThan(300);
    await waitUntilIdle(app.forge, 60_000);
    const rows = await sql<{ gone: boolean }[]>`
      select invalidated as gone from review_comment join comment on id = comment_id where issue_id = ${id}`;
    return rows.map(({ gone }) => gone);
  };
  // The first commit has no such file.
  expect(await isGone(name)).toEqual([true]);
  expect(await isGone("main")).toEqual([false]);
});

describe("comments on lines", () => {
  const place = ({ path, position, original_position: old }: Comment) => [path, position, old];

  test("move with the code of their side, and keep the hunk that they were made on", async () => {
    const { at, push, comments } = await open();
    const { body } = await alice.api.post<Review & { commit_id: string }>(at, {
      event: "COMMENT",
      comments: [comment("new_position", 10), comment("old_position", 10), comment("new_position", 12)],
    });
    const before = await comments(body.id);
    expect(before.map(place)).toEqual([
      ["a.txt", 10, 0],
      ["a.txt", 0, 10],
      ["a.txt", 12, 0],
    ]);
    const head = await push(`new\n${changed}`);
    const after = await comments(body.id);
    expect(after.map(place)).toEqual([
      ["a.txt", 0, 10],
      ["a.txt", 11, 0],
      ["a.txt", 13, 0],
    ]);
    expect(new Set(after.map(({ commit_id: commit }) => commit))).toEqual(new Set([head]));
    expect(new Set(after.map(({ original_commit_id: commit }) => commit))).toEqual(new Set([body.commit_id]));
    expect(new Set(after.map(({ diff_hunk: hunk }) => hunk))).toEqual(
      new Set(before.map(({ diff_hunk: hunk }) => hunk)),
    );
  });

  test("stay where they were when their line is gone, and come back with it", async () => {
    const { at, head, push, comments, id } = await open();
    const { body } = await alice.api.post<Review & { commit_id: string }>(at, {
      event: "COMMENT",
      comments: [comment("new_position", 10)],
    });
    const gone = async () =>
      (
        await sql<
          { invalidated: boolean }[]
        >`select invalidated from review_comment join comment on id = comment_id where issue_id = ${id}`
      ).map(({ invalidated }) => invalidated);
    await push(`${lines(1, 9)}TEN\n${lines(11, 20)}`);
    const [outdated] = await comments(body.id);
    expect(outdated).toMatchObject({ position: 10, commit_id: body.commit_id, original_commit_id: body.commit_id });
    expect(await gone()).toEqual([true]);
    const back = await push(`first\n${changed}`);
    expect((await comments(body.id))[0]).toMatchObject({ position: 11, commit_id: back });
    expect(await gone()).toEqual([false]);
    await push(`${lines(1, 9)}TEN\n${lines(11, 20)}`);
    expect(await gone()).toEqual([true]);
    const move = { new_commit_id: body.commit_id, force: true };
    expect((await bob.api.put(`/repos/${site}/branches/${head}`, move)).status).toBe(204);
    await waitUntilIdle(app.forge, 60_000);
    expect(await gone()).toEqual([false]);
  });

  test("follow a file that is renamed", async () => {
    const { at, head, comments } = await open();
    const { body } = await alice.api.post<Review>(at, { event: "COMMENT", comments: [comment("new_position", 10)] });
    const { sha } = (await bob.api.get<{ sha: string }>(`/repos/${site}/contents/a.txt?ref=${head}`)).body;
    const { status } = await bob.api.put(`/repos/${site}/contents/b.txt`, {
      branch: head,
      from_path: "a.txt",
      sha,
      content: btoa(`first\n${changed}`),
      message: "Rename",
    });
    expect(status).toBeLessThan(300);
    await waitUntilIdle(app.forge, 60_000);
    expect((await comments(body.id)).map(place)).toEqual([["b.txt", 11, 0]]);
  });

  test("are placed at the head when the commit that was reviewed is an older one", async () => {
    const { at, push, comments } = await open();
    const old = await push(`${changed}more\n`);
    const head = await push(`new\n${changed}more\n`);
    const { body } = await alice.api.post<Review>(at, {
      event: "COMMENT",
      commit_id: old,
      comments: [comment("new_position", 10)],
    });
    await waitUntilIdle(app.forge, 60_000);
    expect((await comments(body.id))[0]).toMatchObject({ position: 11, commit_id: head, original_commit_id: old });
  });
});
