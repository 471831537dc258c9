import { beforeAll, describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { addPage, base64, getPage, textOf, type CommitJson, type PageJson } from "../support/wiki-pages.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const ann = await app.user("ann");
await app.repository(alice, "site");
const base = "/repos/alice/site/wiki";
const add = (who: TestUser, title: string, text: string, at = base, message?: string) =>
  addPage(who, title, text, at, message);
const get = (path: string, at = base) => getPage(alice, path, at);

/** Everything that was told of a repository's wiki, the latest last. */
async function eventsOf(id: number): Promise<Record<string, unknown>[]> {
  const rows = await app.forge.database.sql`select kind, payload from outbox
    where repository_id = ${id} and kind like 'wiki.%' order by id`;
  return rows.map(({ kind, payload }) => Object.assign({ kind: kind as string }, payload as Record<string, unknown>));
}

describe("who may", () => {
  const writes = [
    ["POST", "new", { title: "X" }],
    ["PATCH", "page/Home", { title: "X" }],
    ["DELETE", "page/Home", undefined],
  ] as const;
  const reads = ["pages", "page/Home", "revisions/Home"];

  beforeAll(async () => {
    for (const name of ["open", "secret", "archive", "off", "outside", "anybody"]) {
      await app.repository(alice, name, { private: name === "secret" });
      await add(alice, "Home", "Hello", `/repos/alice/${name}/wiki`);
    }
    await alice.api.patch("/repos/alice/archive", { archived: true });
    await alice.api.patch("/repos/alice/off", { has_wiki: false });
    await alice.api.patch("/repos/alice/outside", {
      has_wiki: true,
      external_wiki: { external_wiki_url: "https://wiki.example.org" },
    });
    await alice.api.patch("/repos/alice/anybody", { globally_editable_wiki: true });
  });

  test("nobody writes without an account, readers and tokens that read do not either", async () => {
    const token = await app.scoped(alice, "read:repository");
    for (const [method, path, body] of writes) {
      const options = body === undefined ? {} : { body };
      const ask = async (client: typeof token, name: string) =>
        (await client.request(method, `/repos/alice/${name}/wiki/${path}`, options)).status;
      expect([method, await ask(app.anonymous, "open")]).toEqual([method, 401]);
      expect([method, await ask(bob.api, "open")]).toEqual([method, 403]);
      expect([method, await ask(token, "open")]).toEqual([method, 403]);
      expect([method, await ask(bob.api, "secret")]).toEqual([method, 404]);
      expect([method, await ask(alice.api, "archive")]).toEqual([method, 423]);
      expect([method, await ask(alice.api, "off")]).toEqual([method, 404]);
      expect([method, await ask(alice.api, "outside")]).toEqual([method, 404]);
    }
    const refused = await bob.api.post<{ message: string }>("/repos/alice/open/wiki/new", { title: "X" });
    expect(refused.body.message).toBe('You may read the wiki of "alice/open", but not write to it');
  });

  test("whoever reads the unit reads the wiki", async () => {
    const token = await app.scoped(alice, "write:user");
    for (const path of reads) {
      const ask = async (client: typeof token, name: string) =>
        (await client.get(`/repos/alice/${name}/wiki/${path}`)).status;
      expect([path, await ask(app.anonymous, "open")]).toEqual([path, 200]);
      expect([path, await ask(bob.api, "secret")]).toEqual([path, 404]);
      expect([path, await ask(token, "open")]).toEqual([path, 403]);
      expect([path, await ask(alice.api, "archive")]).toEqual([path, 200]);
      expect([path, await ask(alice.api, "off")]).toEqual([path, 404]);
      expect([path, await ask(alice.api, "outside")]).toEqual([path, 404]);
    }
  });

  test("collaborators and teams write, as far as the wiki is theirs", async () => {
    await alice.api.put("/repos/alice/secret/collaborators/ann", { permission: "write" });
    expect((await add(ann, "Ann", "1", "/repos/alice/secret/wiki")).status).toBe(201);
    await app.organization("works", alice);
    await alice.api.post("/orgs/works/repos", { name: "site", private: true });
    const all = { includes_all_repositories: true, permission: "read" };
    await makeTeam(alice, "works", { name: "docs", units_map: { "repo.wiki": "write" }, ...all }, [ann]);
    await makeTeam(alice, "works", { name: "code", units_map: { "repo.code": "write" }, ...all }, [bob]);
    expect((await add(ann, "Ann", "1", "/repos/works/site/wiki")).status).toBe(201);
    expect((await add(bob, "Bob", "1", "/repos/works/site/wiki")).status).toBe(404);
  });

  test("everybody who reads writes a wiki that is open to all, and nobody whom the owner keeps away", async () => {
    const at = "/repos/alice/anybody/wiki";
    expect((await add(bob, "By Bob", "1", at)).status).toBe(201);
    expect((await app.anonymous.post(`${at}/new`, { title: "X" })).status).toBe(401);
    await alice.api.put("/user/block/bob");
    expect((await add(bob, "Again", "1", at)).status).toBe(403);
    await alice.api.put("/user/unblock/bob");
    expect((await alice.api.get<{ permissions: object }>("/repos/alice/anybody")).status).toBe(200);
    const { body } = await bob.api.get<{ permissions: object }>("/repos/alice/anybody");
    expect(body.permissions).toEqual({ admin: false, push: false, pull: true });
  });
});

describe("a page", () => {
  test("is made, read, changed, renamed and deleted, each in a commit of who did it", async () => {
    const { id } = await app.repository(alice, "life");
    const at = "/repos/alice/life/wiki";
    expect((await alice.api.get(`${at}/pages`)).body).toEqual([]);
    const made = await add(alice, "Home Page", "# Hello\n", at);
    expect([made.status, redact(made.body)]).toEqual([
      201,
      {
        title: "Home Page",
        html_url: "<url>/alice/life/wiki/Home-Page",
        sub_url: "Home-Page",
        last_commit: {
          sha: made.body.last_commit.sha,
          author: { name: "alice", email: "alice@example.com", date: "<time>" },
          commiter: { name: "alice", email: "alice@example.com", date: "<time>" },
          message: 'Add "Home Page"\n',
        },
        content_base64: base64("# Hello\n"),
        commit_count: 1,
        sidebar: "",
        footer: "",
      },
    ]);
    expect((await get("Home-Page", at)).body).toEqual(made.body);
    await add(alice, "_Sidebar", "left", at);
    await add(alice, "_Footer", "below", at);
    const edited = await alice.api.patch<PageJson>(`${at}/page/Home-Page`, {
      content_base64: base64("# Hi\n"),
      message: "Say hi",
    });
    expect(edited.status).toBe(200);
    expect(edited.body).toMatchObject({ content_base64: base64("# Hi\n"), commit_count: 2 });
    expect([textOf(edited.body.sidebar), textOf(edited.body.footer)]).toEqual(["left", "below"]);
    expect(edited.body.last_commit.message).toBe("Say hi\n");
    const renamed = await alice.api.patch<PageJson>(`${at}/page/Home-Page`, { title: "Start" });
    expect(renamed.body).toMatchObject({ title: "Start", sub_url: "Start", content_base64: base64("# Hi\n") });
    expect(renamed.body.last_commit.message).toBe('Update "Start"\n');
    expect((await get("Home-Page", at)).status).toBe(404);
    const emptied = await alice.api.patch<PageJson>(`${at}/page/Start`, { content_base64: "" });
    expect(emptied.body.content_base64).toBe("");
    expect((await alice.api.delete(`${at}/page/Start`)).status).toBe(204);
    expect((await get("Start", at)).status).toBe(404);
    expect((await alice.api.delete(`${at}/page/Start`)).status).toBe(404);
    const { body: left } = await alice.api.get<PageJson[]>(`${at}/pages`);
    expect(left.map(({ title }) => title)).toEqual(["_Footer", "_Sidebar"]);
    const told = await eventsOf(id);
    expect(told.map(({ kind, page, path, comment }) => [kind, page, path, comment])).toEqual([
      ["wiki.page-created", "Home Page", "Home-Page", 'Add "Home Page"'],
      ["wiki.page-created", "_Sidebar", "_Sidebar", 'Add "_Sidebar"'],
      ["wiki.page-created", "_Footer", "_Footer", 'Add "_Footer"'],
      ["wiki.page-edited", "Home Page", "Home-Page", "Say hi"],
      ["wiki.page-edited", "Start", "Start", 'Update "Start"'],
      ["wiki.page-edited", "Start", "Start", 'Update "Start"'],
      ["wiki.page-deleted", "Start", "Start", 'Delete page "Start"'],
    ]);
    const repository = { id, name: "life", private: false, owner: { id: alice.id, name: "alice" } };
    expect(told[0]?.["repository"]).toEqual(repository);
  });

  test("is found by its path, by its title, and by both as they are often written", async () => {
    for (const [title, path] of [
      ["100% Free", "100%25-Free"],
      ["2000-01-02 meeting", "2000-01-02+meeting.-"],
      ["a/b", "a%2Fb"],
      ["Übung", "%C3%9Cbung"],
      ["notes.md", "notes.md.-"],
    ] as const) {
      expect((await add(alice, title, title)).body.sub_url).toBe(path);
      for (const name of [path, title, decodeURIComponent(path.replaceAll("%25", "%2525"))]) {
        const { status, body } = await get(name);
        expect([name, status, body.title, textOf(body.content_base64)]).toEqual([name, 200, title, title]);
      }
      // Pasted into an address as it is.
      expect([path, (await alice.api.get<PageJson>(`${base}/page/${path}`)).body.title]).toEqual([path, title]);
    }
    const { status, body } = await get("nothing");
    expect([status, body.message]).toEqual([404, 'There is no wiki page "nothing"']);
  });

  test("is listed page by page with the commit that last changed it", async () => {
    await app.repository(alice, "many");
    const at = "/repos/alice/many/wiki";
    for (const title of ["A", "B", "C", "D", "E"]) {
      await add(alice, title, title, at);
    }
    await alice.api.patch(`${at}/page/B`, { content_base64: base64("b"), message: "Change B" });
    const { headers, body } = await alice.api.get<PageJson[]>(`${at}/pages?limit=2`);
    expect(headers.get("x-total-count")).toBe("5");
    expect(headers.get("link")).toContain('rel="next"');
    expect(body.map((page) => [page.title, page.sub_url, page.last_commit.message])).toEqual([
      ["A", "A", 'Add "A"\n'],
      ["B", "B", "Change B\n"],
    ]);
    const last = await alice.api.get<PageJson[]>(`${at}/pages?limit=2&page=3`);
    expect(last.body.map(({ title }) => title)).toEqual(["E"]);
    expect((await alice.api.get(`${at}/pages?page=9`)).body).toEqual([]);
  });

  test("has revisions, the latest first", async () => {
    await app.repository(alice, "history");
    const at = "/repos/alice/history/wiki";
    await add(alice, "Home", "0", at);
    await add(alice, "Other", "0", at);
    for (let number = 1; number < 52; number++) {
      await alice.api.patch(`${at}/page/Home`, { content_base64: base64(`${number}`), message: `change ${number}` });
    }
    interface List {
      commits: CommitJson[];
      count: number;
    }
    const { headers, body } = await alice.api.get<List>(`${at}/revisions/Home`);
    expect([body.count, body.commits.length, headers.get("x-total-count")]).toEqual([52, 50, "52"]);
    expect(body.commits[0]).toMatchObject({ message: "change 51\n", author: { name: "alice" } });
    const second = await alice.api.get<List>(`${at}/revisions/Home?page=2`);
    expect(second.body.commits.map(({ message }) => message)).toEqual(["change 1\n", 'Add "Home"\n']);
    expect((await alice.api.get(`${at}/revisions/Nothing`)).status).toBe(404);
    expect((await get("Home", at)).body.commit_count).toBe(52);
  });
});

describe("wrong input", () => {
  const problem = async (body: Record<string, unknown>, path = "new", method = "POST") => {
    const { status, body: answer } = await alice.api.request<{ message: string }>(method, `${base}/${path}`, { body });
    return [status, answer.message] as const;
  };

  beforeAll(async () => {
    await add(alice, "Taken", "1");
    await add(alice, "Mine", "1");
  });

  test.each<[string, { title?: string }, string]>([
    ["nothing", {}, "title is required"],
    ["an empty title", { title: " " }, "title is required"],
    ["a way out", { title: "../x" }, '".." cannot be a part of it'],
    ["git's directory", { title: ".git" }, '".git" cannot be a part of it'],
    ["a control character", { title: "a\u0001" }, "no control characters"],
    ["a long title", { title: "x".repeat(300) }, "255 are the most"],
    ["a reserved title", { title: "_pages" }, "addresses of wikis"],
    ["a page that exists", { title: "Taken" }, 'The wiki page "Taken" exists already'],
    ["another case", { title: "TAKEN" }, 'The wiki page "TAKEN" cannot be beside "Taken"'],
  ])("%s is 400 and changes nothing", async (_, body, message) => {
    const before = (await alice.api.get<PageJson[]>(`${base}/pages`)).body;
    expect(await problem(body)).toEqual([400, expect.stringContaining(message)]);
    if (body.title?.trim()) {
      expect(await problem(body, "page/Mine", "PATCH")).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await alice.api.get<PageJson[]>(`${base}/pages`)).body).toEqual(before);
  });

  test("an edit that says nothing, and one of no page", async () => {
    expect(await problem({}, "page/Mine", "PATCH")).toEqual([
      400,
      expect.stringContaining("another title is required"),
    ]);
    expect((await problem({ title: "Mine" }, "page/Mine", "PATCH"))[0]).toBe(400);
    expect((await problem({ title: "New" }, "page/Nothing", "PATCH"))[0]).toBe(404);
  });

  test("content that is not base64", async () => {
    expect(await problem({ title: "X", content_base64: "!" })).toEqual([422, "content_base64 must be base64"]);
    expect((await get("X")).status).toBe(404);
  });

  test("the case of a page's own title may change", async () => {
    const { status, body } = await alice.api.patch<PageJson>(`${base}/page/Mine`, { title: "MINE" });
    expect([status, body.title]).toEqual([200, "MINE"]);
    expect((await get("Mine")).status).toBe(404);
  });
});

test("a page of some megabytes comes back as it was, and one of more than ten is told without its content", async () => {
  await app.repository(alice, "large");
  const at = "/repos/alice/large/wiki";
  const text = "A line of a large page\n".repeat(150_000);
  const { status, body } = await add(alice, "Large", text, at);
  expect([status, textOf(body.content_base64) === text]).toEqual([201, true]);
  const huge = await add(alice, "Huge", text.repeat(4), at);
  expect([huge.status, huge.body.content_base64, huge.body.commit_count]).toEqual([201, "", 1]);
});

describe("at the same time", () => {
  test("one of several edits of a page is made, and the others hear that it has changed", async () => {
    await app.repository(alice, "races");
    const at = "/repos/alice/races/wiki";
    await add(alice, "Home", "0", at);
    const edits = await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        alice.api.patch<PageJson>(`${at}/page/Home`, { content_base64: base64(`by ${number}`) }),
      ),
    );
    const made = edits.filter(({ status }) => status === 200);
    const told = edits.filter(({ status }) => status === 409);
    expect(made.length + told.length).toBe(6);
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]?.body.message).toContain("was changed by somebody else in this moment");
    expect((await get("Home", at)).body.commit_count).toBe(1 + made.length);
  });

  test("pages are added beside each other, and one of several of the same name", async () => {
    await app.repository(alice, "adds");
    const at = "/repos/alice/adds/wiki";
    const titles = ["One", "Two", "Three", "Four", "Same", "same", "SAME"];
    const added = await Promise.all(titles.map((title) => add(alice, title, title, at)));
    expect(added.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 400, 400]);
    const { body } = await alice.api.get<PageJson[]>(`${at}/pages`);
    expect(body.length).toBe(5);
  });
});

describe("beside other changes", () => {
  test("of the repository, its code and its branch, and beside its end, nothing is a fault", async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < 3; round++) {
      const name = `busy-${round}`;
      const at = `/repos/alice/${name}`;
      await app.repository(alice, name, { auto_init: true });
      await add(alice, "Home", "0", `${at}/wiki`);
      const changes = [
        ...["A", "B", "C"].map((title) => add(alice, title, "1", `${at}/wiki`)),
        ...["x", "y"].map((path) => alice.api.post(`${at}/contents/${path}`, { content: "", message: path })),
        alice.api.patch(at, { wiki_branch: "pages" }),
        alice.api.patch(at, { description: "busy" }),
        alice.api.patch(`${at}/wiki/page/Home`, { content_base64: base64("1") }),
        alice.api.get(`${at}/wiki/pages`),
      ];
      if (round > 0) {
        changes.push(alice.api.delete(at));
      }
      (await Promise.all(changes)).forEach(({ status }) => statuses.add(status));
      const left = await app.forge.database.sql`select from git_store
        where id < 0 and not exists (select from repository where repository.id = repository_id)`;
      expect(left.length).toBe(0);
    }
    expect([...statuses].filter((status) => ![200, 201, 204, 404, 409].includes(status))).toEqual([]);
  });
});
