import { describe, expect, test } from "bun:test";
import { accessModes } from "../../../src/db/schema/owners.ts";
import { Scratch, mustGit } from "../../support/git.ts";
import { issueReferences, type Entry } from "../../support/issue-references.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { serverDoer } from "../../../src/domain/spine/doer.ts";
import { newJob } from "../../../src/queue/enqueue.ts";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const { repository, issue, references, isOpen } = issueReferences(app, alice);
let made = 0;

async function comment(place: string, number: number, body: string, by: TestUser = alice): Promise<number> {
  const { status, body: json } = await by.api.post<{ id: number }>(`/repos/${place}/issues/${number}/comments`, {
    body,
  });
  expect(status).toBe(201);
  return json.id;
}

/** A commit by the API; answers its oid. */
async function commit(place: string, message: string, by: TestUser = alice, branch = "main"): Promise<string> {
  const { status, body } = await by.api.post<{ commit: { sha: string } }>(
    `/repos/${place}/contents/file${++made}.txt`,
    {
      content: "",
      message,
      branch,
    },
  );
  expect(status).toBe(201);
  return body.commit.sha;
}

describe("an issue that another text names", () => {
  test("has an entry for whoever may read the text", async () => {
    const [open, closed] = [await repository(), await repository({ private: true })];
    const target = await issue(open);
    const from = await issue(closed, `See ${open}#${target}`);
    const here = await issue(open, `#${target} and again #${target}, \`#${target}\``);
    await comment(open, here, `As in ${app.url}/${open}/issues/${target}`, bob);
    const shown = [
      { type: "issue_ref", by: "alice", action: "", from: `${open}#${here}` },
      {
        type: "comment_ref",
        by: "bob",
        action: "",
        from: `${open}#${here}`,
        comment: `As in ${app.url}/${open}/issues/${target}`,
      },
    ];
    expect(await references(open, target)).toEqual([
      { type: "issue_ref", by: "alice", action: "", from: `${closed}#${from}` },
      ...shown,
    ]);
    for (const api of [app.anonymous, carol.api]) {
      expect(await references(open, target, api)).toEqual(shown);
    }
  });

  test("has none of what its author may not read, or may not take part in", async () => {
    const hidden = await repository({ private: true });
    const inHidden = await issue(hidden);
    const archived = await repository();
    const inArchived = await issue(archived);
    expect((await alice.api.patch(`/repos/${archived}`, { archived: true })).status).toBe(200);
    const open = await repository();
    const locked = await issue(open);
    expect((await alice.api.put(`/repos/${open}/issues/${locked}/lock`, {})).status).toBe(204);
    const ofCarol = await issue(open, "", carol);
    expect((await carol.api.put("/user/blocks/bob")).status).toBe(204);
    const text = `${hidden}#${inHidden} ${archived}#${inArchived} #${locked} #${ofCarol}`;
    await issue(open, text, bob);
    expect(await references(hidden, inHidden)).toEqual([]);
    expect(await references(archived, inArchived)).toEqual([]);
    expect(await references(open, locked)).toEqual([]);
    expect(await references(open, ofCarol)).toEqual([]);
    // Whoever may write issues takes part in a locked one.
    await issue(open, text);
    expect(await references(open, locked)).toHaveLength(1);
    expect(await references(hidden, inHidden)).toHaveLength(1);
    expect((await carol.api.delete("/user/blocks/bob")).status).toBe(204);
  });

  test("has one entry, however often the text is edited", async () => {
    const place = await repository();
    const target = await issue(place);
    const from = await issue(place, `#${target}`);
    const id = await comment(place, from, "Nothing");
    for (const body of [`#${target} #${from}`, `Still #${target}`, "Nothing", `Again #${target}`]) {
      expect((await alice.api.patch(`/repos/${place}/issues/${from}`, { body })).status).toBe(201);
      expect((await alice.api.patch(`/repos/${place}/issues/comments/${id}`, { body })).status).toBe(200);
    }
    await alice.api.patch(`/repos/${place}/issues/${from}`, { title: `Like #${target}` });
    const expected = [
      { type: "issue_ref", by: "alice", action: "", from: `${place}#${from}` },
      { type: "comment_ref", by: "alice", action: "", from: `${place}#${from}`, comment: `Again #${target}` },
    ];
    expect(await references(place, target)).toEqual(expected);
    // A comment of an issue itself names the issue, and a text of the issue does not.
    expect(await references(place, from)).toEqual([]);
    expect((await alice.api.delete(`/repos/${place}/issues/comments/${id}`)).status).toBe(204);
    expect(await references(place, target)).toEqual(expected.slice(0, 1));
  });

  test("an issue's text closes nothing", async () => {
    const place = await repository();
    const target = await issue(place);
    await comment(place, await issue(place, `closes #${target}`), `fixes #${target}`);
    expect(await isOpen(place, target)).toBe(true);
    expect((await references(place, target)).map(({ action }) => action)).toEqual(["", ""]);
  });
});

describe("a commit that names an issue", () => {
  test("is in its timeline, whatever the branch, for those who may read the code", async () => {
    const place = await repository();
    const target = await issue(place);
    await alice.api.post(`/repos/${place}/branches`, { new_branch_name: "topic" });
    const oid = await commit(place, `Work on #${target}\n\nAs <b> said`, alice, "topic");
    expect(await references(place, target)).toEqual([{ type: "commit_ref", by: "alice", action: "", oid }]);
    const { body } = await alice.api.get<Entry[]>(`/repos/${place}/issues/${target}/timeline`);
    expect(body.at(-1)?.body).toBe(`<a href="${app.url}/${place}/commit/${oid}">Work on #${target}</a>`);

    const other = await repository({ private: true });
    const elsewhere = await commit(other, `As in ${place}#${target}`);
    expect(await references(place, target)).toHaveLength(2);
    expect((await references(place, target, bob.api)).map((one) => one.oid)).toEqual([oid]);
    expect((await references(place, target)).at(-1)?.oid).toBe(elsewhere);

    await alice.api.patch(`/repos/${place}`, { has_code: false });
    expect(await references(place, target, bob.api)).toEqual([]);
  });

  test("closes and reopens it on the default branch only, once", async () => {
    const place = await repository();
    const [one, two] = [await issue(place), await issue(place)];
    await alice.api.post(`/repos/${place}/branches`, { new_branch_name: "topic" });
    await commit(place, `Fixes #${one}, closes #${two}`, alice, "topic");
    expect([await isOpen(place, one), await isOpen(place, two)]).toEqual([true, true]);
    expect((await references(place, one)).map(({ action }) => action)).toEqual(["closes"]);
    // The default branch gets the commit.
    const tip = (await alice.api.get<{ commit: { id: string } }>(`/repos/${place}/branches/topic`)).body.commit.id;
    const moved = await alice.api.put(`/repos/${place}/branches/main`, { new_commit_id: tip });
    expect(moved.status).toBe(204);
    expect([await isOpen(place, one), await isOpen(place, two)]).toEqual([false, false]);
    const { body } = await alice.api.get<Entry[]>(`/repos/${place}/issues/${one}/timeline`);
    expect(body.map(({ type, user }) => `${type} ${user?.login}`)).toEqual(["commit_ref alice", "close alice"]);
    await commit(place, `Reopens #${one}\n\nReopened #${two}, no: close #${two}`);
    expect([await isOpen(place, one), await isOpen(place, two)]).toEqual([true, false]);
  });

  test("closes what whoever pushes may close, and nothing else", async () => {
    const place = await repository();
    const elsewhere = await repository();
    const [ofAlice, ofBob, far] = [await issue(place), await issue(place, "", bob), await issue(elsewhere)];
    const organization = await app.organization(`org${++made}`, alice);
    const shared = await app.repository(alice, `repo${++made}`, { auto_init: true }, `org${made - 1}`);
    const [theirs, mine] = [await issue(shared.full_name), await issue(shared.full_name, "", bob)];
    // Bob may push to the code, and may only read the issues.
    const [team] = await app.forge.database.sql`
      insert into team (organization_id, name, lower_name, mode) values (${organization}, 'pushers', 'pushers', ${accessModes.read}) returning id`;
    await app.forge.database
      .sql`insert into team_unit (team_id, unit, mode) values (${team?.["id"]}, 'code', ${accessModes.write}), (${team?.["id"]}, 'issues', ${accessModes.read})`;
    await app.forge.database.sql`insert into team_member (team_id, user_id) values (${team?.["id"]}, ${bob.id})`;
    await app.forge.database
      .sql`insert into team_repository (team_id, repository_id) values (${team?.["id"]}, ${shared.id})`;
    await commit(
      shared.full_name,
      `Fixes #${theirs}, fixes #${mine}, fixes ${place}#${ofAlice}, fixes ${place}#${ofBob}, fixes ${elsewhere}#${far}`,
      bob,
    );
    expect(await isOpen(shared.full_name, theirs)).toBe(true);
    expect(await isOpen(shared.full_name, mine)).toBe(false);
    expect(await isOpen(place, ofAlice)).toBe(true);
    expect(await isOpen(place, ofBob)).toBe(false);
    expect(await isOpen(elsewhere, far)).toBe(true);
    expect((await references(elsewhere, far)).map(({ by, action }) => [by, action])).toEqual([["bob", "closes"]]);
    // By somebody who may, across repositories.
    await commit(place, `Closes ${elsewhere}#${far}`);
    expect(await isOpen(elsewhere, far)).toBe(false);
  });

  test("leaves alone what cannot be closed", async () => {
    const place = await repository();
    const [blocked, on] = [await issue(place), await issue(place)];
    const [owner, repo] = place.split("/");
    const depends = await alice.api.post(`/repos/${place}/issues/${blocked}/dependencies`, { owner, repo, index: on });
    expect(depends.status).toBe(201);
    await commit(place, `Closes #${blocked}`);
    expect(await isOpen(place, blocked)).toBe(true);
    await commit(place, `Closes #${on}\n\nand closes #${blocked}`);
    expect([await isOpen(place, on), await isOpen(place, blocked)]).toEqual([false, false]);
  });

  test("is decided about again when the job runs", async () => {
    const place = await repository();
    const number = await issue(place);
    const collaborator = await app.user(`helper${++made}`);
    await alice.api.put(`/repos/${place}/collaborators/${collaborator.name}`, { permission: "write" });
    const { sql } = app.forge.database;
    await sql.begin(async (tx) => {
      // Holds the job, which writes into the timeline first, until the right is gone.
      await tx`select from issue where repository_id = (select id from repository where name = ${place.split("/")[1] ?? ""}) for update`;
      await commit(place, `Closes #${number}`, collaborator);
      await tx`delete from collaborator where user_id = ${collaborator.id}`;
    });
    expect(await isOpen(place, number)).toBe(true);
  });
});

/** Whether the last move of refs in a repository was known to name nothing. */
async function wasQuiet(repositoryId: number): Promise<boolean> {
  const [row] = await app.forge.database.sql`select payload->'namesNothing' as quiet from outbox
    where repository_id = ${repositoryId} and kind = 'refs.moved' order by id desc limit 1`;
  return row?.["quiet"] === true;
}

test("a commit over the API that names nothing is not read again; whatever else a branch gets is", async () => {
  const name = `quiet${++made}`;
  const { id } = await app.repository(alice, name);
  const place = `alice/${name}`;
  const target = await issue(place);
  /** Whether the commit was known to name nothing. */
  const commit = async (fields: Record<string, string>) => {
    const path = `/repos/${place}/contents/file${++made}.txt`;
    expect((await alice.api.post(path, { content: "", ...fields })).status).toBe(201);
    return wasQuiet(id);
  };
  expect(await commit({ message: "Begin" })).toBe(true);
  expect(await commit({ message: "Go on, # 1 and wow!" })).toBe(true);
  expect(await commit({ message: "Go on", new_branch: "topic" })).toBe(true);
  expect(await commit({ branch: "topic", message: `Fixes #${target}` })).toBe(false);
  // It begins where a commit is that the default branch has not.
  expect(await commit({ branch: "topic", message: "Go on", new_branch: "further" })).toBe(false);
  expect(await isOpen(place, target)).toBe(true);
  expect(await commit({ message: `Fixes #${target}` })).toBe(false);
  expect(await isOpen(place, target)).toBe(false);
});

describe("a push", () => {
  test("with a deploy key is shown in the repository, and closes nothing", async () => {
    using scratch = new Scratch();
    const [place, open] = [await repository({ private: true, auto_init: false }), await repository()];
    const [near, far] = [await issue(place), await issue(open)];
    await mustGit(scratch.path, ["init", "-q", "-b", "main"]);
    const url = `http://alice:${alice.token}@${new URL(app.url).host}/${place}.git`;
    for (const [branch, message] of [
      ["main", "Start"],
      ["topic", `Closes #${near}, closes ${open}#${far}`],
    ] as const) {
      await mustGit(scratch.path, ["commit", "-q", "--allow-empty", "-m", message]);
      await mustGit(scratch.path, ["push", "-q", url, `main:${branch}`]);
    }
    const [oid, { id }] = [
      await mustGit(scratch.path, ["rev-parse", "HEAD"]),
      (await alice.api.get<{ id: number }>(`/repos/${place}`)).body,
    ];
    await waitUntilIdle(app.forge, 60_000);
    await app.forge.database.sql`delete from comment where kind = 'commit_ref'`;
    // What a push with such a key has the server do.
    await app.forge.change(serverDoer("test"), (work) =>
      work.enqueueForServer(
        "push with a deploy key",
        newJob("references", { about: "commits", repositoryId: id, moves: [{ branch: "main", old: null, new: oid }] }),
      ),
    );
    expect(await references(place, near)).toEqual([{ type: "commit_ref", by: null, action: "closes", oid }]);
    expect(await references(open, far)).toEqual([]);
    expect(await isOpen(place, near)).toBe(true);
  });

  test("makes no entry again after a rebase, and reads the newest commits of a long history only", async () => {
    using scratch = new Scratch();
    const place = await repository({ auto_init: false });
    const [first, last, old] = [await issue(place), await issue(place), await issue(place)];
    const directory = scratch.path;
    const git = (...args: string[]) => mustGit(directory, args);
    await git("init", "-q", "-b", "main");
    await git("remote", "add", "origin", `http://alice:${alice.token}@${new URL(app.url).host}/${place}.git`);
    const stream = Array.from({ length: 1500 }, (_, index) => {
      const message = index === 10 ? `Closes #${old}` : index === 1400 ? `Closes #${first}` : `Commit ${index}`;
      return `commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_700_000_000 + index} +0000\ndata ${message.length}\n${message}\n`;
    }).join("");
    await mustGit(directory, ["fast-import", "--quiet"], { input: stream });
    await git("push", "-q", "origin", "main");
    expect([await isOpen(place, first), await isOpen(place, last), await isOpen(place, old)]).toEqual([
      false,
      true,
      true,
    ]);

    await git("checkout", "-q", "-b", "topic", "main~3");
    await git("commit", "-q", "--allow-empty", "-m", `On #${last}`);
    await git("push", "-q", "origin", "topic");
    expect(await references(place, last)).toHaveLength(1);
    await git("rebase", "-q", "--keep-empty", "main");
    const oid = await git("rev-parse", "HEAD");
    await git("push", "-q", "--force", "origin", "topic");
    expect(await references(place, last)).toEqual([{ type: "commit_ref", by: "alice", action: "", oid }]);
    await git("push", "-q", "origin", "topic:main", "topic:again");
    expect(await references(place, last)).toHaveLength(1);
  });

  test("whose commits name nothing is not read again; whatever else a branch gets is", async () => {
    using scratch = new Scratch();
    const { id } = await app.repository(alice, `quiet${++made}`);
    const place = `alice/quiet${made}`;
    const [first, second] = [await issue(place), await issue(place)];
    const git = (...args: string[]) => mustGit(scratch.path, args);
    const empty = (message: string) => git("commit", "-q", "--allow-empty", "-m", message);
    /** Whether the last push to the repository was known to name nothing. */
    const push = async (...refs: string[]) => {
      await git("push", "-q", "origin", ...refs);
      return wasQuiet(id);
    };
    await git("init", "-q", "-b", "main");
    await git("remote", "add", "origin", `http://alice:${alice.token}@${new URL(app.url).host}/${place}.git`);
    await empty("Begin");
    await empty("Go on, # 1 and wow!");
    expect(await push("main")).toBe(true);
    await empty("Go on");
    expect(await push("main")).toBe(true);
    await git("checkout", "-q", "-b", "topic");
    await empty(`Fixes #${first}`);
    expect(await push("topic")).toBe(false);
    expect(await isOpen(place, first)).toBe(true);
    // The merge names nothing, and brings main a commit that was there and does.
    await git("checkout", "-q", "main");
    await empty("Meanwhile");
    await git("merge", "-q", "--no-ff", "-m", "Merge", "topic");
    expect(await push("main")).toBe(false);
    expect(await isOpen(place, first)).toBe(false);
    // Nor does what comes beside a branch that gets what was there.
    await git("checkout", "-q", "topic");
    await empty(`Fixes #${second}`);
    expect(await push("topic")).toBe(false);
    await git("checkout", "-q", "-b", "quiet", "main");
    await empty("Quiet");
    expect(await push("quiet", "topic:main", "--force")).toBe(false);
    expect(await isOpen(place, second)).toBe(false);
    expect(await push("--delete", "topic")).toBe(false);
  });
});
