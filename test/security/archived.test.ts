import { describe, expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";
import { refusedToAll, worksOnArchived } from "./expectations.ts";
import { fill, listOperations, namesOnly, type Operation } from "./operations.ts";

/** The row of the security matrix for archived repositories: every operation on a repository, whoever asks. */

const app = await useTestApp();
const { owner, writer, stranger } = {
  owner: await app.user("owner"),
  writer: await app.user("writer"),
  stranger: await app.user("stranger"),
};
const administrator = await app.admin("root");
const clients = {
  owner: owner.api,
  "site administrator": administrator.api,
  writer: writer.api,
  stranger: stranger.api,
  nobody: app.anonymous,
};

const operations = listOperations().operations.filter(
  ({ on, path }) => on === "repository" && path.includes("{owner}/{repo}"),
);
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const writes = operations.filter(({ method }) => method !== "GET");

/** A repository of the owner's, in which the writer may write. */
async function makeRepository(name: string, fields: Record<string, unknown> = {}): Promise<void> {
  await app.repository(owner, name, { auto_init: true, ...fields });
  expect((await owner.api.put(`/repos/owner/${name}/collaborators/writer`, { permission: "write" })).status).toBe(204);
  expect((await owner.api.patch(`/repos/owner/${name}`, { archived: true })).status).toBe(200);
}

async function send(who: keyof typeof clients, operation: Operation, repo: string) {
  // What cannot be read is looked at after the repository, and a write that names nothing else is not sent below.
  const broken = operation.hasBody ? { body: "{", headers: { "content-type": "application/json" } } : {};
  const response = await clients[who].fetch(operation.method, fill(operation, { owner: "owner", repo }), broken);
  return { status: response.status, text: await response.text() };
}

test("every operation that works on archived repositories is one that writes to repositories", () => {
  const names = writes.map(nameOf);
  expect(worksOnArchived.filter((name) => !names.includes(name))).toEqual([]);
});

describe("an archived repository", () => {
  test("refuses every write with 423, before the body is read, and is read as before", async () => {
    await makeRepository("open");
    for (const operation of operations) {
      const isWrite = operation.method !== "GET";
      if (isWrite && worksOnArchived.includes(nameOf(operation))) {
        continue;
      }
      for (const who of ["owner", "site administrator"] as const) {
        const { status, text } = await send(who, operation, "open");
        const what = `${nameOf(operation)} as ${who}`;
        expect({ what, refused: status === 423, text: isWrite ? text : "" }).toEqual({
          what,
          refused: isWrite,
          text: isWrite
            ? JSON.stringify({
                message: 'The repository "owner/open" is archived: unarchive it in its settings to change it',
                url: `${app.url}/api/swagger`,
              })
            : "",
        });
      }
    }
  });

  test("tells those who may not change it what it would tell them without", async () => {
    await app.repository(owner, "plain", { auto_init: true });
    await makeRepository("attic");
    for (const operation of writes) {
      for (const who of ["stranger", "nobody"] as const) {
        const isOwn = namesOnly(operation, { owner: "", repo: "" }) && worksOnArchived.includes(nameOf(operation));
        if (who === "stranger" && isOwn && !operation.hasBody && operation.kind !== "owner") {
          continue;
        }
        // Readers take part in a repository that is not archived: there it is for them to be told.
        if (
          who === "stranger" &&
          operation.kind.startsWith("participate") &&
          !worksOnArchived.includes(nameOf(operation))
        ) {
          expect([nameOf(operation), (await send(who, operation, "attic")).status]).toEqual([nameOf(operation), 423]);
          continue;
        }
        const archived = await send(who, operation, "attic");
        const plain = await send(who, operation, "plain");
        const what = `${nameOf(operation)} as ${who}`;
        expect({ what, status: archived.status, text: archived.text.replaceAll("attic", "plain") }).toEqual({
          what,
          ...plain,
        });
      }
    }
  });

  test("that is private is as if it were not there", async () => {
    await makeRepository("hidden", { private: true });
    for (const operation of writes) {
      const hidden = await send("stranger", operation, "hidden");
      const absent = await send("stranger", operation, "absent");
      const what = nameOf(operation);
      expect({ what, status: hidden.status, text: hidden.text.replaceAll("hidden", "absent") }).toEqual({
        what,
        ...absent,
      });
      expect({ what, status: hidden.status }).toEqual({ what, status: 404 });
    }
  });

  test("lets its writers do no more than its owner", async () => {
    for (const operation of writes.filter(({ kind }) => kind === "write code" || kind === "write wiki")) {
      const what = nameOf(operation);
      expect({ what, status: (await send("writer", operation, "open")).status }).toEqual({ what, status: 423 });
    }
  });
});

describe("what works on archived repositories", () => {
  const used = writes.filter(
    (operation) => worksOnArchived.includes(nameOf(operation)) && !refusedToAll.includes(nameOf(operation)),
  );

  test("gets as far as on any other one", async () => {
    await makeRepository("used");
    for (const operation of used.filter(({ path }) => !path.endsWith("{repo}") && !path.endsWith("/subscription"))) {
      const what = nameOf(operation);
      const { status } = await send("owner", operation, "used");
      expect({ what, refused: status === 423 || status === 403 }).toEqual({ what, refused: false });
    }
  });

  test("does what it says", async () => {
    await makeRepository("kept");
    const { api } = owner;
    const at = "/repos/owner/kept";
    expect((await api.put("/user/starred/owner/kept")).status).toBe(204);
    expect((await api.put(`${at}/subscription`)).status).toBe(200);
    expect((await api.get<{ stars_count: number }>(at)).body.stars_count).toBe(1);
    expect((await api.delete("/user/starred/owner/kept")).status).toBe(204);
    expect((await api.delete(`${at}/subscription`)).status).toBe(204);
    expect((await api.get<{ stars_count: number }>(at)).body.stars_count).toBe(0);
    expect((await api.delete(`${at}/collaborators/writer`)).status).toBe(204);
    expect((await api.get(`${at}/collaborators/writer`)).status).toBe(404);
    expect((await api.patch(at, { archived: false })).status).toBe(200);
    expect((await api.patch(at, { archived: true })).status).toBe(200);
    expect((await api.delete(at)).status).toBe(204);
    expect((await api.get(at)).status).toBe(404);
  });
});
