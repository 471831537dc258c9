import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../../support/git.ts";
import { makeTeam, ownersTeamId, type TeamJson } from "../../support/team.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

/** Who may do what in which part of a repository, by API and git, and that what is taken away is gone with the next request. */

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const admin = await app.admin();
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

/** A work tree of a commit that no repository has. */
const work = scratch.join("work");
beforeAll(async () => {
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "probe"]);
});

let number = 0;
const fresh = (name: string) => app.user(`${name}-${++number}`);

/** A private repository of a new organization that alice owns, with a first commit. */
async function newRepository(fields: Record<string, unknown> = { private: true }) {
  const organization = `org-${++number}`;
  const organizationId = await app.organization(organization, alice);
  const { id } = await app.repository(alice, "tool", { auto_init: true, ...fields }, organization);
  return { id, organization, organizationId, path: `/repos/${organization}/tool` };
}

type Level = "hidden" | "read" | "write";

const fileOf = (() => {
  let count = 0;
  return () => `file-${++count}`;
})();

/** What somebody gets from the API and from git. `repository`: whether they may know of it at all. */
async function accessOf(
  who: TestUser,
  { path }: { path: string },
): Promise<{ repository: boolean; api: Level; git: Level; push: boolean | null }> {
  const { status, body } = await who.api.get<{ permissions?: { push: boolean } }>(path);
  const contents = await who.api.get(`${path}/contents/README.md`);
  const written = await who.api.post(`${path}/contents/${fileOf()}`, { content: btoa("text") });
  // Without the header git would begin as nobody. Readers, too, may push changes to refs/for/: so a branch is what is tried.
  const git = async (...args: string[]) => {
    const authorization = `http.extraHeader=Authorization: Basic ${btoa(`${who.name}:${who.token}`)}`;
    return (await runGit(work, ["-c", authorization, ...args])).code === 0;
  };
  const url = `${app.url}${path.slice("/repos".length)}.git`;
  return {
    repository: status === 200,
    api: written.status === 201 ? "write" : contents.status === 200 ? "read" : "hidden",
    git: (await git("push", url, `main:refs/heads/${fileOf()}`))
      ? "write"
      : (await git("ls-remote", url))
        ? "read"
        : "hidden",
    push: body.permissions?.push ?? null,
  };
}

const nothing = { repository: false, api: "hidden", git: "hidden", push: null } as const;
const codeHidden = { repository: true, api: "hidden", git: "hidden", push: false } as const;
const reads = { repository: true, api: "read", git: "read", push: false } as const;
const writes = { repository: true, api: "write", git: "write", push: true } as const;

describe("a team's rights hold unit by unit", () => {
  test.each([
    ["issues only", { units_map: { "repo.issues": "read" } }, codeHidden],
    ["issues to write", { units_map: { "repo.issues": "write" } }, codeHidden],
    ["code to read, issues to write", { units_map: { "repo.code": "read", "repo.issues": "write" } }, reads],
    ["code to write", { permission: "write", units: ["repo.code"] }, writes],
    ["everything to read", { permission: "read" }, reads],
    ["administration", { permission: "admin" }, writes],
    ["nothing", { units: [] }, nothing],
  ])("%s", async (_, rights, expected) => {
    const repository = await newRepository();
    const bob = await fresh("bob");
    const team = await makeTeam(alice, repository.organization, { name: "team", ...rights }, [bob]);
    expect(await accessOf(bob, repository)).toEqual(nothing);
    expect((await alice.api.put(`/teams/${team.id}/repos/${repository.organization}/tool`)).status).toBe(204);
    expect(await accessOf(bob, repository)).toEqual(expected);
    // Lists are filtered by the same rule.
    const { body } =
      await bob.api.get<{ full_name: string; permissions: { push: boolean; pull: boolean } }[]>("/user/repos");
    expect(body.map(({ permissions }) => permissions)).toMatchObject(
      expected.repository ? [{ push: expected.push, pull: expected.api !== "hidden" }] : [],
    );
  });

  test("and of two teams in each unit the higher one", async () => {
    const repository = await newRepository();
    const bob = await fresh("bob");
    await makeTeam(
      alice,
      repository.organization,
      { name: "one", includes_all_repositories: true, units_map: { "repo.code": "write" } },
      [bob],
    );
    await makeTeam(
      alice,
      repository.organization,
      { name: "two", includes_all_repositories: true, units_map: { "repo.code": "read", "repo.wiki": "write" } },
      [bob],
    );
    expect(await accessOf(bob, repository)).toEqual(writes);
    expect(
      (await app.forge.identity.findSubject({ userId: bob.id }, { repositoryId: repository.id })).repository?.units,
    ).toMatchObject({ code: 2, wiki: 2, issues: 0 });
  });

  test("and who does not see the code is not told what was pushed", async () => {
    const repository = await newRepository();
    const [bob, carol] = [await fresh("bob"), await fresh("carol")];
    await makeTeam(
      alice,
      repository.organization,
      { name: "talkers", includes_all_repositories: true, units_map: { "repo.issues": "write" } },
      [bob],
    );
    await makeTeam(
      alice,
      repository.organization,
      { name: "readers", includes_all_repositories: true, permission: "read" },
      [carol],
    );
    expect(
      (
        await alice.api.post(`${repository.path}/contents/secret.txt`, {
          content: btoa("text"),
          message: "Launch codes",
        })
      ).status,
    ).toBe(201);
    const feed = async (who: TestUser, path: string) => {
      const { body, headers } = await who.api.get<{ op_type: string }[]>(path);
      expect(headers.get("x-total-count")).toBe(String(body.length));
      return new Set(body.map(({ op_type: kind }) => kind));
    };
    for (const path of [`${repository.path}/activities/feeds`, `/orgs/${repository.organization}/activities/feeds`]) {
      expect(await feed(carol, path)).toEqual(new Set(["commit_repo", "create_repo"]));
      expect(await feed(bob, path)).toEqual(new Set(["create_repo"]));
    }
  });

  test("a public repository is read by everybody, whatever a team may", async () => {
    const repository = await newRepository({ private: false });
    const bob = await fresh("bob");
    await makeTeam(
      alice,
      repository.organization,
      { name: "one", includes_all_repositories: true, units_map: { "repo.issues": "write" } },
      [bob],
    );
    expect(await accessOf(bob, repository)).toEqual(reads);
  });

  test("a unit that is off is hidden from everybody", async () => {
    const repository = await newRepository();
    expect((await alice.api.patch(repository.path, { has_code: false })).status).toBe(200);
    expect(await accessOf(alice, repository)).toEqual(codeHidden);
    expect(await accessOf(admin, repository)).toEqual(codeHidden);
    expect((await alice.api.patch(repository.path, { has_code: true })).status).toBe(200);
    expect(await accessOf(alice, repository)).toEqual(writes);
  });
});

describe("what is taken away is gone with the next request", () => {
  async function withTeam(rights: Record<string, unknown> = { permission: "write" }) {
    const repository = await newRepository();
    const bob = await fresh("bob");
    const team = await makeTeam(alice, repository.organization, { name: "team", ...rights }, [bob]);
    expect((await alice.api.put(`/teams/${team.id}/repos/${repository.organization}/tool`)).status).toBe(204);
    expect(await accessOf(bob, repository)).toEqual(writes);
    return { repository, bob, team };
  }

  const takings: [
    string,
    (made: {
      repository: Awaited<ReturnType<typeof newRepository>>;
      bob: TestUser;
      team: TeamJson;
    }) => Promise<{ status: number }>,
    object,
  ][] = [
    ["the place in the team", ({ bob, team }) => alice.api.delete(`/teams/${team.id}/members/${bob.name}`), nothing],
    [
      "the membership",
      ({ bob, repository }) => alice.api.delete(`/orgs/${repository.organization}/members/${bob.name}`),
      nothing,
    ],
    [
      "the team's repository",
      ({ repository, team }) => alice.api.delete(`/teams/${team.id}/repos/${repository.organization}/tool`),
      nothing,
    ],
    [
      "the repository's team",
      ({ repository, team }) => alice.api.delete(`${repository.path}/teams/${team.name}`),
      nothing,
    ],
    ["the team", ({ team }) => alice.api.delete(`/teams/${team.id}`), nothing],
    [
      "the team's right to write",
      ({ team }) => alice.api.patch(`/teams/${team.id}`, { name: "team", permission: "read" }),
      reads,
    ],
    [
      "the team's code",
      ({ team }) => alice.api.patch(`/teams/${team.id}`, { name: "team", units: ["repo.wiki"] }),
      codeHidden,
    ],
  ];

  test.each(takings)("%s", async (_, take, expected) => {
    const made = await withTeam();
    expect([200, 204]).toContain((await take(made)).status);
    expect<unknown>(await accessOf(made.bob, made.repository)).toEqual(expected);
  });

  test("all repositories of a team", async () => {
    const repository = await newRepository();
    const bob = await fresh("bob");
    const team = await makeTeam(
      alice,
      repository.organization,
      { name: "team", permission: "write", includes_all_repositories: true },
      [bob],
    );
    expect(await accessOf(bob, repository)).toEqual(writes);
    expect(
      (await alice.api.patch(`/teams/${team.id}`, { name: "team", includes_all_repositories: false })).status,
    ).toBe(200);
    expect(await accessOf(bob, repository)).toEqual(nothing);
  });

  test("collaboration", async () => {
    const repository = await newRepository();
    const bob = await fresh("bob");
    expect((await alice.api.put(`${repository.path}/collaborators/${bob.name}`, { permission: "write" })).status).toBe(
      204,
    );
    expect(await accessOf(bob, repository)).toEqual(writes);
    expect((await alice.api.put(`${repository.path}/collaborators/${bob.name}`, { permission: "read" })).status).toBe(
      204,
    );
    expect(await accessOf(bob, repository)).toEqual(reads);
    expect((await alice.api.delete(`${repository.path}/collaborators/${bob.name}`)).status).toBe(204);
    expect(await accessOf(bob, repository)).toEqual(nothing);
  });

  test("ownership of the organization", async () => {
    const repository = await newRepository();
    const bob = await fresh("bob");
    const owners = await ownersTeamId(alice, repository.organization);
    expect((await alice.api.put(`/teams/${owners}/members/${bob.name}`)).status).toBe(204);
    expect(await accessOf(bob, repository)).toEqual(writes);
    expect((await alice.api.delete(`/teams/${owners}/members/${bob.name}`)).status).toBe(204);
    expect(await accessOf(bob, repository)).toEqual(nothing);
  });

  test("the administration of the site, and the account", async () => {
    const repository = await newRepository();
    const bob = await fresh("bob");
    await sql`update account set is_admin = true where owner_id = ${bob.id}`;
    expect(await accessOf(bob, repository)).toEqual(writes);
    await sql`update account set is_admin = false where owner_id = ${bob.id}`;
    expect(await accessOf(bob, repository)).toEqual(nothing);
    expect((await alice.api.put(`${repository.path}/collaborators/${bob.name}`)).status).toBe(204);
    await sql`update account set suspended = true where owner_id = ${bob.id}`;
    expect((await bob.api.get(repository.path)).status).toBe(401);
  });

  test("the visibility of repository and organization", async () => {
    const repository = await newRepository({ private: false });
    const bob = await fresh("bob");
    expect(await accessOf(bob, repository)).toEqual(reads);
    expect((await alice.api.patch(`/orgs/${repository.organization}`, { visibility: "private" })).status).toBe(200);
    expect(await accessOf(bob, repository)).toEqual(nothing);
    expect((await alice.api.patch(`/orgs/${repository.organization}`, { visibility: "limited" })).status).toBe(200);
    expect(await accessOf(bob, repository)).toEqual(reads);
    expect((await app.anonymous.get(repository.path)).status).toBe(404);
    expect((await alice.api.patch(repository.path, { private: true })).status).toBe(200);
    expect(await accessOf(bob, repository)).toEqual(nothing);
  });

  test("writing, by archiving", async () => {
    const { repository, bob } = await withTeam();
    expect((await alice.api.patch(repository.path, { archived: true })).status).toBe(200);
    expect(await accessOf(bob, repository)).toMatchObject({ repository: true, api: "read", git: "read" });
    expect((await bob.api.post(`${repository.path}/contents/${fileOf()}`, { content: btoa("text") })).status).toBe(423);
  });
});

describe("whom the owner blocked", () => {
  test("reads what is public and no more, whatever they were given", async () => {
    const dora = await fresh("dora");
    const bob = await fresh("bob");
    await app.repository(dora, "open", { auto_init: true });
    await app.repository(dora, "closed", { auto_init: true, private: true });
    const [open, closed] = [{ path: `/repos/${dora.name}/open` }, { path: `/repos/${dora.name}/closed` }];
    for (const { path } of [open, closed]) {
      expect((await dora.api.put(`${path}/collaborators/${bob.name}`, { permission: "admin" })).status).toBe(204);
    }
    expect(await accessOf(bob, closed)).toEqual(writes);
    // The row alone: what blocking removes besides is not what is asked here.
    await sql`insert into block (blocker_id, blocked_id) values (${dora.id}, ${bob.id})`;
    expect(await accessOf(bob, open)).toEqual(reads);
    expect(await accessOf(bob, closed)).toEqual(nothing);
    expect(
      (await bob.api.get<{ permissions: object }[]>(`/users/${dora.name}/repos`)).body.map(
        ({ permissions }) => permissions,
      ),
    ).toEqual([{ admin: false, push: false, pull: true }]);
    await sql`delete from block where blocked_id = ${bob.id}`;
    expect(await accessOf(bob, closed)).toEqual(writes);
  });

  test("site administrators are not kept away", async () => {
    const repository = await newRepository();
    await sql`insert into block (blocker_id, blocked_id) values (${repository.organizationId}, ${admin.id})`;
    expect(await accessOf(admin, repository)).toEqual(writes);
  });
});

describe("a restricted account", () => {
  test("sees what it was given and nothing else", async () => {
    const bob = await fresh("bob");
    const [shown, given, inTeam] = [
      await newRepository({ private: false }),
      await newRepository({ private: false }),
      await newRepository(),
    ];
    await sql`update account set restricted = true where owner_id = ${bob.id}`;
    expect(await accessOf(bob, shown)).toEqual(nothing);
    expect((await bob.api.get(`/orgs/${shown.organization}`)).status).toBe(404);
    expect((await alice.api.put(`${given.path}/collaborators/${bob.name}`, { permission: "read" })).status).toBe(204);
    expect(await accessOf(bob, given)).toEqual(reads);
    const team = await makeTeam(alice, inTeam.organization, { name: "team", permission: "read" }, [bob]);
    await app.repository(alice, "other", {}, inTeam.organization);
    expect((await alice.api.put(`/teams/${team.id}/repos/${inTeam.organization}/tool`)).status).toBe(204);
    expect(await accessOf(bob, inTeam)).toEqual(reads);
    expect((await bob.api.get(`/orgs/${inTeam.organization}`)).status).toBe(200);
    expect((await bob.api.get(`/repos/${inTeam.organization}/other`)).status).toBe(404);
    const found = (await bob.api.get<{ data: { full_name: string }[] }>("/repos/search?limit=50")).body.data.map(
      ({ full_name }) => full_name,
    );
    expect(found.toSorted()).toEqual([`${given.organization}/tool`, `${inTeam.organization}/tool`].toSorted());
  });
});
