import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";

interface NoteJson {
  message: string;
  commit: {
    sha: string;
    commit: { author: { name: string }; verification: unknown };
    files: { filename: string }[] | null;
  };
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/noted/git/notes";
const remote = `${app.url}/alice/noted.git`;
let oid = "";

beforeAll(async () => {
  await app.repository(alice, "noted");
  await app.repository(alice, "hidden", { private: true });
  await work.write("file.txt", "one\n");
  await work.commit("one");
  oid = await work.git("rev-parse", "HEAD");
  await work.push(remote, alice.token, "main");
});

describe("the note of a commit", () => {
  test("is written by those who may write, and is one that git shows", async () => {
    for (const [client, status] of [
      [app.anonymous, 401],
      [bob.api, 403],
    ] as const) {
      expect((await client.post(`${base}/${oid}`, { message: "no" })).status).toBe(status);
    }
    expect((await bob.api.post(`/repos/alice/hidden/git/notes/${oid}`, { message: "no" })).status).toBe(404);
    expect((await app.anonymous.get(`${base}/${oid}`)).status).toBe(404);

    const made = await alice.api.post<NoteJson>(`${base}/${oid}`, { message: "\nfirst  \n\n\n\nnote" });
    expect(made.status).toBe(200);
    expect(made.body.message).toBe("first\n\nnote\n");
    expect(made.body.commit.files).toEqual([{ filename: oid, status: "added" }] as never);
    await work.git("fetch", "-q", remote, "+refs/notes/*:refs/notes/*");
    expect(await work.git("notes", "show", oid)).toBe("first\n\nnote");
    expect(await work.git("rev-parse", "refs/notes/commits")).toBe(made.body.commit.sha);

    // By the name of a branch, and in place of the first.
    const again = await alice.api.post<NoteJson>(`${base}/main`, { message: "second" });
    expect(again.body.message).toBe("second\n");
    const read = await app.anonymous.get<NoteJson>(`${base}/${oid.slice(0, 10)}?files=false&verification=false`);
    expect(read.body).toMatchObject({
      message: "second\n",
      commit: { sha: again.body.commit.sha, files: null, commit: { verification: null } },
    });
  });

  test("is the one that was pushed", async () => {
    await work.git("fetch", "-q", remote, "+refs/notes/*:refs/notes/*");
    await work.git("notes", "add", "-f", "-m", "pushed", oid);
    await work.push(remote, alice.token, "refs/notes/commits");
    expect((await app.anonymous.get<NoteJson>(`${base}/${oid}`)).body.message).toBe("pushed\n");
  });

  test("is refused where it makes no sense", async () => {
    for (const message of [undefined, "", " \n\t\n"]) {
      expect((await alice.api.post(`${base}/${oid}`, { message })).status).toBe(422);
    }
    for (const name of ["none", "1".repeat(40)]) {
      expect((await alice.api.post(`${base}/${name}`, { message: "x" })).status).toBe(404);
      expect((await app.anonymous.get(`${base}/${name}`)).status).toBe(404);
      expect((await alice.api.delete(`${base}/${name}`)).status).toBe(404);
    }
    expect((await app.anonymous.get(`${base}/a..b`)).status).toBe(422);
  });

  test("is removed", async () => {
    expect((await bob.api.delete(`${base}/${oid}`)).status).toBe(403);
    expect((await alice.api.delete(`${base}/${oid}`)).status).toBe(204);
    expect((await alice.api.delete(`${base}/${oid}`)).status).toBe(404);
    expect((await app.anonymous.get(`${base}/${oid}`)).status).toBe(404);
    await work.git("fetch", "-q", remote, "+refs/notes/*:refs/notes/*");
    expect(await work.git("ls-tree", "-r", "refs/notes/commits")).toBe("");
  });

  test("of several commits can be written at once", async () => {
    const oids: string[] = [];
    for (let number = 0; number < 6; number++) {
      await work.write("file.txt", `${number}\n`);
      await work.commit(`${number}`);
      oids.push(await work.git("rev-parse", "HEAD"));
    }
    await work.push(remote, alice.token, "main");
    const answers = await Promise.all(oids.map((one) => alice.api.post<NoteJson>(`${base}/${one}`, { message: one })));
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual(oids.map((one) => [200, `${one}\n`]));
  });
});
