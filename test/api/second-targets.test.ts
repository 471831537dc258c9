import { beforeAll, describe, expect, test } from "bun:test";
import { demandTo } from "../../src/domain/spine/guard.ts";
import { permitOnId } from "../../src/domain/spine/permit.ts";
import { doerOf } from "../../src/domain/spine/doer.ts";
import { Forbidden } from "../../src/domain/spine/errors.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/** What else an operation is about, beside its first target: the same guard decides, and what is hidden is as if it were not there. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const hermit = await app.user("hermit");
const { sql } = app.forge.database;
let teamId = 0;

interface Failure {
  message: string;
}

beforeAll(async () => {
  for (const organization of ["works", "others"]) {
    await app.organization(organization, alice);
    await app.repository(alice, "tool", {}, organization);
  }
  await app.repository(alice, "own");
  ({ id: teamId } = await makeTeam(alice, "works", { name: "team", permission: "read" }, []));
  await sql`update owner set visibility = 'private' where id = ${hermit.id}`;
});

const put = async (path: string, by: TestUser = alice) => {
  const { status, body } = await by.api.put<Failure | null>(path);
  return { status, message: body?.message ?? "" };
};

describe("a user of the path", () => {
  test("that is hidden is answered as one that is not there", async () => {
    const [hidden, missing] = [
      await put(`/teams/${teamId}/members/hermit`),
      await put(`/teams/${teamId}/members/missing`),
    ];
    expect(missing.status).toBe(404);
    expect({ ...hidden, message: hidden.message.replace("hermit", "missing") }).toEqual(missing);
    expect((await put(`/teams/${teamId}/members/bob`)).status).toBe(204);
  });

  test("is looked for only behind the first target: who may not change the team is told that", async () => {
    const stranger = await app.user("stranger");
    const [known, missing] = [
      await put(`/teams/${teamId}/members/bob`, stranger),
      await put(`/teams/${teamId}/members/missing`, stranger),
    ];
    expect(known).toEqual(missing);
    expect(known.status).toBe(404);
  });

  test("is named as wrong input where the operation says so", async () => {
    expect(await put("/repos/alice/own/collaborators/missing")).toEqual({
      status: 422,
      message: expect.stringContaining('There is no user "missing"') as never,
    });
    expect((await put("/repos/alice/own/collaborators/hermit")).status).toBe(422);
  });
});

describe("a repository of the path", () => {
  test("of another organization than the team's does not count", async () => {
    expect((await put(`/teams/${teamId}/repos/works/tool`)).status).toBe(204);
    const [other, missing] = [
      await put(`/teams/${teamId}/repos/others/tool`),
      await put(`/teams/${teamId}/repos/others/missing`),
    ];
    expect(missing.status).toBe(404);
    expect({ ...other, message: other.message.replace("tool", "missing") }).toEqual(missing);
  });

  test("is not for a token of other repositories", async () => {
    const { body: token } = await app.withPassword("alice").post<{ sha1: string }>("/users/alice/tokens", {
      name: "one",
      scopes: ["all"],
      repositories: ["alice/own"],
    });
    const { status } = await app.withToken(token.sha1).put(`/teams/${teamId}/repos/works/tool`);
    expect(status).toBe(403);
  });
});

test("a team of a repository that belongs to a user is none", async () => {
  const { status, message } = await put("/repos/alice/own/teams/team");
  expect([status, message]).toEqual([405, expect.stringContaining("alice") as never]);
});

describe("an owner of the body", () => {
  const transfer = (owner: unknown) =>
    alice.api.post<Failure>("/repos/alice/own/transfer", { new_owner: owner } as object);

  test("that is hidden is answered as one that is not there, and the repository stays", async () => {
    const [hidden, missing] = [await transfer("hermit"), await transfer("missing")];
    expect(missing.status).toBe(404);
    expect([hidden.status, hidden.body.message.replace("hermit", "missing")]).toEqual([404, missing.body.message]);
    expect((await alice.api.get("/repos/alice/own")).status).toBe(200);
  });

  test("that is no text is wrong input", async () => {
    for (const wrong of [5, null, ["bob"], { name: "bob" }]) {
      expect((await transfer(wrong)).status).toBe(422);
    }
  });

  test("in which one may not create is refused, whatever the template is", async () => {
    await app.repository(alice, "template", { template: true, auto_init: true });
    const { status } = await bob.api.post("/repos/alice/template/generate", {
      owner: "others",
      name: "made",
      git_content: true,
    });
    expect(status).toBe(403);
    expect((await alice.api.get("/repos/others/made")).status).toBe(404);
  });
});

test("a right to the second target that ended before the change is written refuses it", async () => {
  const { id: repositoryId } = await app.repository(alice, "given", {}, "works");
  const subject = await app.forge.identity.findSubject({ userId: alice.id }, { teamId });
  const changeTeams = demandTo({ on: "repository", do: "change-teams", unit: "any" }, "write", [], { signedIn: true });
  const doer = doerOf(
    { ...subject, credential: { kind: "none" } },
    {
      demand: demandTo({ on: "team", do: "see" }, "write", [], { signedIn: true }),
      named: { what: "team", name: "team" },
      also: [permitOnId(changeTeams, repositoryId, "works/given")],
    },
  );
  const write = () => app.forge.change(doer, async () => "written");
  expect(await write()).toBe("written");
  // The first target, the team, is still the doer's.
  await sql`update repository set owner_id = ${bob.id} where id = ${repositoryId}`;
  expect(await write().catch((error: unknown) => error)).toBeInstanceOf(Forbidden);
});
