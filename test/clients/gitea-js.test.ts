import { expect, test } from "bun:test";
import { giteaApi } from "gitea-js";
import { TestApp, useTestApp } from "../support/test-app.ts";

/** gitea-js as a client, whose types and paths are generated from Gitea's document: repositories, releases, statuses, wikis. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
// It sends the User-Agent of what runs it, so a program that wants the family's answers names itself.
const clientOf = (token: string) =>
  giteaApi(app.url, {
    token,
    customFetch: ((address: string, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.set("user-agent", "gitea-js/1.23");
      return fetch(address, { ...init, headers });
    }) as typeof fetch,
  });
const { repos, user } = clientOf(alice.token);
await app.repository(alice, "site", { auto_init: true, template: true });
const base64 = (text: string) => Buffer.from(text).toString("base64");

test("forks, topics, templates and transfers", async () => {
  await repos.repoAddTopic("alice", "site", "forge");
  expect((await repos.repoListTopics("alice", "site")).data.topics).toEqual(["forge"]);
  const found = (await repos.repoSearch({ q: "forge", topic: true })).data.data ?? [];
  expect(found.map(({ full_name }) => full_name)).toEqual(["alice/site"]);

  const fork = (await clientOf(bob.token).repos.createFork("alice", "site", { name: "mine" })).data;
  expect([fork.full_name, fork.fork, fork.parent?.full_name]).toEqual(["bob/mine", true, "alice/site"]);
  expect((await repos.listForks("alice", "site")).data.map(({ full_name }) => full_name)).toEqual(["bob/mine"]);
  await expect(clientOf(bob.token).repos.createFork("alice", "site", { name: "again" })).rejects.toMatchObject({
    status: 409,
  });

  await repos.generateRepo("alice", "site", { owner: "alice", name: "made", git_content: true });
  await repos.repoTransfer("alice", "made", { new_owner: "bob" });
  const accepted = (await clientOf(bob.token).repos.acceptRepoTransfer("alice", "made")).data;
  expect(accepted.full_name).toBe("bob/made");
  expect((await user.userCurrentListRepos()).data.map(({ name }) => name)).toEqual(["site"]);
});

test("releases and their files", async () => {
  const release = (await repos.repoCreateRelease("alice", "site", { tag_name: "v1", name: "First" })).data;
  expect(release).toMatchObject({ tag_name: "v1", name: "First", draft: false });
  const id = release.id!;
  const file = new File(["some bytes"], "tool.txt");
  const asset = (await repos.repoCreateReleaseAttachment("alice", "site", id, { attachment: file })).data;
  expect(asset).toMatchObject({ name: "tool.txt", size: 10 });
  expect(await (await fetch(asset.browser_download_url!)).text()).toBe("some bytes");
  expect((await repos.repoGetLatestRelease("alice", "site")).data.assets?.map(({ name }) => name)).toEqual([
    "tool.txt",
  ]);
  await repos.repoDeleteReleaseAttachment("alice", "site", id, asset.id!);
  expect((await repos.repoListReleaseAttachments("alice", "site", id)).data).toEqual([]);
  await repos.repoDeleteRelease("alice", "site", id);
  expect((await repos.repoListReleases("alice", "site")).data).toEqual([]);
  expect((await repos.repoListTags("alice", "site")).data.map(({ name }) => name)).toEqual(["v1"]);
});

test("statuses of commits", async () => {
  const sha = (await repos.repoGetBranch("alice", "site", "main")).data.commit!.id!;
  const made = (await repos.repoCreateStatus("alice", "site", sha, { state: "failure" as never, context: "ci" })).data;
  expect(made).toMatchObject({ status: "failure", context: "ci" });
  await repos.repoCreateStatus("alice", "site", sha, { state: "success" as never, context: "ci" });
  const listed = (await repos.repoListStatusesByRef("alice", "site", "main")).data;
  expect(listed.map(({ status }) => status as string)).toEqual(["success", "failure"]);
  const combined = (await repos.repoGetCombinedStatusByRef("alice", "site", "main")).data;
  expect([combined.state as string, combined.sha]).toEqual(["success", sha]);
});

test("wikis", async () => {
  await repos.repoCreateWikiPage("alice", "site", { title: "Home", content_base64: base64("one") });
  await repos.repoEditWikiPage("alice", "site", "Home", { title: "Home", content_base64: base64("two") });
  const page = (await repos.repoGetWikiPage("alice", "site", "Home")).data;
  expect([page.content_base64, page.commit_count]).toEqual([base64("two"), 2]);
  expect((await repos.repoGetWikiPageRevisions("alice", "site", "Home")).data.commits).toHaveLength(2);
  await repos.repoDeleteWikiPage("alice", "site", "Home");
  expect((await repos.repoGetWikiPages("alice", "site")).data).toEqual([]);
});

test("a runtime whose name is taken out of the setting has the family's answers", async () => {
  await using named = await TestApp.start({ api: { specification_clients: ["curl/"] } });
  for (const [server, status] of [
    [app, 200],
    [named, 201],
  ] as const) {
    const dora = await server.user("dora");
    await server.repository(dora, "site", { auto_init: true });
    // As it is, without a fetch of its own.
    const api = giteaApi(server.url, { token: dora.token });
    const [commit] = (await api.repos.repoGetAllCommits("dora", "site")).data;
    const made = await api.repos.repoCreateStatus("dora", "site", commit!.sha!, { state: "success" });
    expect([made.status, Array.isArray(made.data)]).toEqual([status, status === 200]);
  }
});
