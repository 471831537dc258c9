import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { commitFile, type PullJson } from "../support/pulls.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/** A team that has the unit of pull requests and not that of the code: it reads the discussion, and nothing of the code. */

setDefaultTimeout(60_000);

const app = await useTestApp();
const alice = await app.user("alice");
const reader = await app.user("reader");
const writer = await app.user("writer");
const coder = await app.user("coder");
const at = "/repos/forge/site";
let pull: PullJson;
let review = 0;

beforeAll(async () => {
  await app.organization("forge", alice);
  await app.repository(alice, "site", { private: true }, "forge");
  await commitFile(alice, "forge/site", { path: "a.txt", text: "a\n" });
  await commitFile(alice, "forge/site", { path: "b.txt", text: "secret\n", branch: "topic", from: "main" });
  const opened = await alice.api.post<PullJson>(`${at}/pulls`, { title: "Take it", head: "topic", base: "main" });
  pull = opened.body;
  const teamOf = async (name: string, units: Record<string, string>, member: TestUser) => {
    const { id } = await makeTeam(alice, "forge", { name, permission: "read", units_map: units }, [member]);
    expect((await alice.api.put(`/teams/${id}${at}`)).status).toBe(204);
  };
  await teamOf("readers", { "repo.pulls": "read" }, reader);
  await teamOf("writers", { "repo.pulls": "write" }, writer);
  await teamOf("coders", { "repo.code": "read" }, coder);
  const written = await alice.api.post<{ id: number }>(`${at}/pulls/${pull.number}/reviews`, {
    event: "COMMENT",
    body: "Look",
    comments: [{ path: "b.txt", new_position: 1, body: "here" }],
  });
  expect(written.status).toBe(200);
  review = written.body.id;
});

const one = () => `${at}/pulls/${pull.number}`;
const discussion = () => [
  `${at}/pulls`,
  `${at}/pulls/pinned`,
  one(),
  `${one()}/reviews`,
  `${one()}/reviews/${review}`,
  `${at}/issues/${pull.number}`,
  `${at}/issues/${pull.number}/comments`,
];
const code = () => [
  `${one()}/files`,
  `${one()}/commits`,
  `${one()}.diff`,
  `${one()}.patch`,
  `${one()}/reviews/${review}/comments`,
  `${at}/pulls/main/topic`,
  `${at}/contents/a.txt`,
];
const statuses = async ({ api }: TestUser, paths: string[]) =>
  Promise.all(paths.map(async (path) => [path, (await api.get(path)).status]));
const all = (paths: string[], status: number) => paths.map((path) => [path, status]);

test("the discussion is for those who read pull requests", async () => {
  for (const who of [alice, reader, writer]) {
    expect(await statuses(who, discussion())).toEqual(all(discussion(), 200));
  }
  const { body } = await reader.api.get<PullJson[]>(`${at}/pulls`);
  expect(body.map(({ number }) => number)).toEqual([pull.number]);
  expect(await statuses(coder, discussion())).toEqual(all(discussion(), 404));
});

test("what they show of the code is for those who read both", async () => {
  expect(await statuses(alice, code())).toEqual(all(code(), 200));
  for (const who of [reader, writer]) {
    expect(await statuses(who, code())).toEqual(all(code(), 404));
    const page = await fetch(`${app.url}/forge/site/pulls/${pull.number}.diff`, {
      headers: { authorization: `token ${who.token}` },
    });
    expect(page.status).toBe(404);
  }
  const files = `${one()}/files`;
  expect((await coder.api.get(files)).status).toBe(404);
});

test("and the timeline has no comments on lines for the others", async () => {
  const timeline = async ({ api }: TestUser) => {
    const { body, headers } = await api.get<{ id: number; type: string; body: string }[]>(
      `${at}/issues/${pull.number}/timeline`,
    );
    expect(headers.get("x-total-count")).toBe(String(body.length));
    return body;
  };
  const whole = await timeline(alice);
  const onLine = whole.find(({ type }) => type === "code");
  expect(onLine).toMatchObject({ body: "here" });
  for (const who of [reader, writer]) {
    expect(await timeline(who)).toEqual(whole.filter((entry) => entry !== onLine));
  }
});

test("and so is what makes something of the code", async () => {
  const { api } = writer;
  const answers = [
    await api.post(`${at}/pulls`, { title: "Mine", head: "main", base: "topic" }),
    await api.post(`${one()}/merge`, { Do: "merge" }),
    await api.post(`${one()}/update`),
    await api.post(`${one()}/reviews`, {
      event: "COMMENT",
      body: "x",
      comments: [{ path: "b.txt", new_position: 1, body: "x" }],
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  const git = await fetch(`${app.url}/forge/site.git/info/refs?service=git-receive-pack`, {
    headers: { authorization: `Basic ${btoa(`x:${writer.token}`)}` },
  });
  expect(git.status).toBe(404);
  // Titles and labels are no code.
  expect((await api.patch(one(), { title: "Another title" })).status).toBe(201);
});
