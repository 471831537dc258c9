import { describe, expect, test } from "bun:test";
import { newJob } from "../../../src/queue/enqueue.ts";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { issueReferences, type Entry } from "../../support/issue-references.ts";
import { commitFile } from "../../support/pulls.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const { repository, issue, references, isOpen } = issueReferences(app, alice);

describe("a pull request", () => {
  test("is in the timeline of what its text names, and says what is to become of it", async () => {
    const place = await repository();
    const [target, other] = [await issue(place), await issue(place)];
    await commitFile(alice, place, { path: "x.txt", text: "x", branch: "topic", from: "main" });
    const { status, body } = await alice.api.post<{ number: number }>(`/repos/${place}/pulls`, {
      title: `Mend #${other}`,
      body: `Closes #${target}`,
      base: "main",
      head: "topic",
    });
    expect(status).toBe(201);
    const from = `${place}#${body.number}`;
    expect(await references(place, target)).toEqual([{ type: "pull_ref", by: "alice", action: "closes", from }]);
    expect(await references(place, other)).toEqual([{ type: "pull_ref", by: "alice", action: "", from }]);
    expect(await isOpen(place, target)).toBe(true);
    await issue(place, `!${target} !${body.number}`);
    expect(await references(place, target)).toHaveLength(1);
    expect(await references(place, body.number)).toHaveLength(1);

    // Whoever merges it has what it asks for done, with their rights.
    const stranger = await app.user("stranger");
    const { sql } = app.forge.database;
    const [row] = await sql`select issue.id, repository_id from issue join repository on repository.id = repository_id
      where repository.name = ${place.split("/")[1] ?? ""} and number = ${body.number}`;
    const job = {
      about: "pull",
      repositoryId: Number(row?.["repository_id"]),
      issueId: Number(row?.["id"]),
      pusherId: null,
    } as const;
    for (const [merger, open] of [
      [stranger, true],
      [alice, false],
    ] as const) {
      const { actor } = await app.forge.identity.findSubject({ userId: merger.id }, {});
      const doer = { kind: "user", actor: actor!, credential: { kind: "none" }, permit: null } as const;
      await app.forge.change(doer, (work) => work.enqueue(newJob("references", job)));
      expect(await isOpen(place, target)).toBe(open);
      expect(await isOpen(place, other)).toBe(true);
    }
    expect(await references(place, target)).toEqual([{ type: "pull_ref", by: "alice", action: "closes", from }]);
  });
});

test.each(["by the API", "by a push"])("a pull request that is merged %s closes what it says, once", async (how) => {
  const place = await repository();
  const [target, kept] = [await issue(place), await issue(place)];
  await commitFile(alice, place, { path: "x.txt", text: "x", branch: "topic", from: "main" });
  const { body } = await alice.api.post<{ number: number }>(`/repos/${place}/pulls`, {
    title: `Fixes #${target}`,
    body: `Without closing: #${kept}`,
    base: "main",
    head: "topic",
  });
  await waitUntilIdle(app.forge, 60_000);
  if (how === "by the API") {
    expect((await alice.api.post(`/repos/${place}/pulls/${body.number}/merge`, { Do: "merge" })).status).toBe(200);
  } else {
    await alice.api.patch(`/repos/${place}`, { allow_manual_merge: true, autodetect_manual_merge: true });
    const tip = (await alice.api.get<{ commit: { id: string } }>(`/repos/${place}/branches/topic`)).body.commit.id;
    expect((await alice.api.put(`/repos/${place}/branches/main`, { new_commit_id: tip })).status).toBe(204);
  }
  expect([await isOpen(place, target), await isOpen(place, kept)]).toEqual([false, true]);
  const { body: entries } = await alice.api.get<Entry[]>(`/repos/${place}/issues/${target}/timeline`);
  expect(entries.filter(({ type }) => type === "close").map(({ user }) => user?.login)).toEqual(["alice"]);
  expect(entries[0]).toMatchObject({ type: "pull_ref", ref_action: "closes" });
});
