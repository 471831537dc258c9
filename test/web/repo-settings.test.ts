import { describe, expect, test } from "bun:test";
import { webRoutes } from "../../src/web/routes.ts";
import { makeTeam } from "../support/team.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { formOf, sendForm } from "../support/web-forms.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const [alice, bob, carol, dave] = [
  await app.user("alice"),
  await app.user("bob"),
  await app.user("carol"),
  await app.user("dave"),
];

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const [asAlice, asBob, asCarol, asDave] = [
  await signedIn("alice"),
  await signedIn("bob"),
  await signedIn("carol"),
  await signedIn("dave"),
];
const nobody = new WebVisitor(app.url);

await app.repository(alice, "tour", { auto_init: true, default_branch: "main" });
await app.repository(alice, "closed", { private: true, auto_init: true });
// bob may write, carol administers.
await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
await alice.api.put("/repos/alice/tour/collaborators/carol", { permission: "admin" });
const home = "/alice/tour/settings";

interface RepositoryJson {
  name: string;
  description: string;
  website: string;
  private: boolean;
  archived: boolean;
  template: boolean;
  has_issues: boolean;
  has_wiki: boolean;
  default_merge_style: string;
  allow_rebase: boolean;
  topics: string[];
  external_tracker?: { external_tracker_url: string };
  owner: { login: string };
}
const read = async (path = "alice/tour") => (await alice.api.get<RepositoryJson>(`/repos/${path}`)).body;

describe("what one may not do", () => {
  const paths = webRoutes(app.forge)
    .routes.filter(({ path }) => path.startsWith("/:owner/:repo/settings"))
    .map(({ method, path }) => ({ method, path: path.slice("/:owner/:repo".length).replaceAll(/:\w+/g, "1") }))
    .filter(({ method }) => method !== "HEAD");

  test.each(paths)("$method $path is for administrators", async ({ method, path }) => {
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await asBob.get("/")).text)?.[1] ?? "";
    const ask = (browser: WebVisitor, repository: string) =>
      method === "GET" ? browser.get(repository + path) : browser.post(repository + path, { _csrf: csrf });
    expect((await ask(asBob, "/alice/closed")).status).toBe(404);
    expect((await ask(asBob, "/alice/tour")).status).toBe(403);
    if (method === "GET") {
      expect((await nobody.get(`/alice/tour${path}`)).location).toStartWith("/user/login");
    }
  });

  test("is not offered: a writer has no tab of settings", async () => {
    expect((await asBob.get("/alice/tour")).text).not.toContain(`href="${home}"`);
    expect((await asCarol.get("/alice/tour")).text).toContain(`href="${home}"`);
  });

  test("is for the owner alone: giving it away, deleting it", async () => {
    for (const act of ["transfer", "delete"]) {
      expect((await asCarol.get(`${home}/danger/${act}`)).status).toBe(403);
      const csrf = /name="_csrf" value="([^"]+)"/.exec((await asCarol.get(home)).text)?.[1] ?? "";
      const sent = { _csrf: csrf, confirm: "alice/tour", new_owner: "carol" };
      expect((await asCarol.post(`${home}/danger/${act}`, sent)).status).toBe(403);
    }
    expect((await asCarol.get(`${home}/danger`)).text).not.toContain('danger/delete"');
    expect((await read()).owner.login).toBe("alice");
  });
});

describe("general", () => {
  test("saves what was typed, and escapes it", async () => {
    const saved = await sendForm(asAlice, home, {
      description: '<b>"anvil"</b>',
      website: "https://anvil.example.org",
      template: "1",
    });
    expect([saved.status, saved.location]).toEqual([303, home]);
    expect(await read()).toMatchObject({
      description: '<b>"anvil"</b>',
      website: "https://anvil.example.org",
      template: true,
    });
    const { text } = await asAlice.get(home);
    expect(text).toContain('value="&lt;b&gt;&quot;anvil&quot;&lt;/b&gt;"');
    await sendForm(asAlice, home, { template: undefined });
    expect((await read()).template).toBe(false);
  });

  test("tells what is wrong at its field, and keeps the rest", async () => {
    const refused = await sendForm(asAlice, home, { website: "javascript:alert(1)", description: "kept" });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/name="website" aria-invalid="true" aria-describedby="website_problem/);
    expect(refused.text).toContain('value="kept"');
    expect((await sendForm(asAlice, home, { default_branch: "missing" })).text).toContain(
      'id="default_branch_problem"',
    );
    expect((await sendForm(asAlice, home, { name: "a b" })).text).toContain('id="name_problem"');
    expect((await sendForm(asAlice, home, { trust_model: "x" })).status).toBe(422);
    expect((await read()).description).not.toBe("kept");
  });

  test("renames, and the old address leads to the new one", async () => {
    const moved = await sendForm(asAlice, home, { name: "voyage" });
    expect(moved.location).toBe("/alice/voyage/settings");
    expect((await asAlice.get(home)).location).toBe("/alice/voyage/settings");
    expect((await sendForm(asAlice, "/alice/voyage/settings", { name: "tour" })).location).toBe(home);
  });

  test("of two administrators at once neither is written over unseen", async () => {
    const first = formOf((await asAlice.get(home)).text, home);
    await sendForm(asCarol, home, { description: "by carol" });
    // Another field: both stay.
    expect((await asAlice.post(home, { ...first, website: "https://alice.example.org" })).status).toBe(303);
    expect(await read()).toMatchObject({ description: "by carol", website: "https://alice.example.org" });
    // The same field: it is said, and what was typed is kept.
    const told = await asAlice.post(home, { ...first, description: "by alice" });
    expect(told.status).toBe(409);
    expect(told.text).toContain("Description is now “by carol”");
    expect(told.text).toContain('value="by alice"');
    expect((await read()).description).toBe("by carol");
    expect((await asAlice.post(home, { ...formOf(told.text, home), description: "by alice" })).status).toBe(303);
    expect((await read()).description).toBe("by alice");
  });

  test("a form that lies about what it saw is a form that saw nothing", async () => {
    for (const seen of ["", "[", "null", "7", '{"description":7}']) {
      expect([303, 409]).toContain((await sendForm(asAlice, home, { seen })).status);
    }
  });

  test("topics and pictures", async () => {
    expect((await sendForm(asAlice, home, { topics: "Git, forge  anvil" }, `${home}/topics`)).status).toBe(303);
    expect((await read()).topics).toEqual(["git", "forge", "anvil"]);
    const refused = await sendForm(asAlice, home, { topics: "no/slash" }, `${home}/topics`);
    expect([refused.status, refused.text.includes('value="no/slash"')]).toEqual([422, true]);

    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const upload = async (bytes: Buffer) => {
      const form = new FormData();
      form.set("_csrf", formOf((await asAlice.get(home)).text, home)["_csrf"] ?? "");
      form.set("files", new Blob([bytes]), "a.png");
      return asAlice.request("POST", `${home}/avatar`, { body: form });
    };
    expect((await upload(Buffer.from("<svg onload=alert(1)>"))).status).toBe(422);
    expect((await upload(png)).status).toBe(303);
    const picture = await asAlice.get(`${home}/avatar`);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect((await sendForm(asAlice, home, { delete: "1" }, `${home}/avatar`)).status).toBe(303);
    expect((await asAlice.get(`${home}/avatar`)).status).toBe(404);
  });
});

describe("units and merging", () => {
  const units = `${home}/units`;
  test("are switched, with a tracker and a wiki elsewhere", async () => {
    const saved = await sendForm(asAlice, units, {
      has_wiki: undefined,
      tracker: "external",
      external_tracker_url: "https://issues.example.org",
      external_tracker_format: "https://issues.example.org/{index}",
    });
    expect(saved.status).toBe(303);
    expect(await read()).toMatchObject({
      has_wiki: false,
      external_tracker: { external_tracker_url: "https://issues.example.org" },
    });
    const refused = await sendForm(asAlice, units, { tracker: "external", external_tracker_url: "javascript:x" });
    expect([refused.status, refused.text.includes('id="external_tracker_url_problem"')]).toEqual([422, true]);
    await sendForm(asAlice, units, { tracker: "internal", has_wiki: "1" });
    expect(await read()).toMatchObject({ has_wiki: true, has_issues: true });
    expect((await read()).external_tracker).toBeUndefined();
  });

  test("at least one stays", async () => {
    const off = { has_code: undefined, has_issues: undefined, has_wiki: undefined, has_pull_requests: undefined };
    await app.repository(alice, "bare");
    const at = "/alice/bare/settings/units";
    const refused = await sendForm(asAlice, at, { ...off, has_releases: undefined, has_packages: undefined });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("At least one part");
  });

  test("the ways to merge, and what a merge would say", async () => {
    const merging = `${home}/pulls`;
    expect((await sendForm(asAlice, merging, { allow_rebase: undefined, default_merge_style: "squash" })).status).toBe(
      303,
    );
    expect(await read()).toMatchObject({ allow_rebase: false, default_merge_style: "squash" });
    expect((await sendForm(asAlice, merging, { default_merge_style: "octopus" })).status).toBe(422);
    const path = ".gitea/default_merge_message/SQUASH_TEMPLATE.md";
    await alice.api.post(`/repos/alice/tour/contents/${path}`, {
      content: Buffer.from("${PullRequestTitle} <&>").toString("base64"),
    });
    const { text } = await asAlice.get(merging);
    expect(text).toContain(`<code>${path}</code>`);
    expect(text).toContain("Add the anvil &lt;&amp;&gt;");
  });
});

describe("access", () => {
  const access = `${home}/collaboration`;
  test("says who may do what, and why", async () => {
    const { text } = await asAlice.get(access);
    expect(text).toContain("Own · it is theirs");
    expect(text).toContain("Write · collaborator (write)");
    expect(text).toContain("Everybody reads it, also without an account");
  });

  test("gives, changes and takes away", async () => {
    const added = await sendForm(asAlice, access, { user: "dave", permission: "read", seen: undefined });
    expect(added.status).toBe(303);
    expect((await alice.api.get("/repos/alice/tour/collaborators/dave")).status).toBe(204);
    const refused = await sendForm(asAlice, access, { user: "<nobody>", permission: "admin", seen: undefined });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('id="user_problem"');
    expect(refused.text).toContain('value="&lt;nobody&gt;"');
    const { text } = await asAlice.get(access);
    const csrf = formOf(text, access)["_csrf"] ?? "";
    const row = { _csrf: csrf, user: "dave", seen: "read" };
    await asCarol.post(access, {
      ...row,
      _csrf: formOf((await asCarol.get(access)).text, access)["_csrf"] ?? "",
      permission: "write",
    });
    const stale = await asAlice.post(access, { ...row, permission: "admin" });
    expect([stale.status, stale.text.includes("Somebody else changed the access")]).toEqual([409, true]);
    expect((await asAlice.post(access, { _csrf: csrf, user: "dave", permission: "owner" })).status).toBe(422);
    expect((await asAlice.post(`${access}/delete`, { _csrf: csrf, user: "dave" })).status).toBe(303);
    expect((await asAlice.post(`${access}/delete`, { _csrf: csrf, user: "dave" })).status).toBe(404);
  });

  test("of an organization has its teams, with what they may do in which unit", async () => {
    await app.organization("smiths", alice);
    await app.repository(alice, "anvil", { auto_init: true }, "smiths");
    await makeTeam(
      alice,
      "smiths",
      { name: "packers", permission: "read", units_map: { "repo.code": "write", "repo.wiki": "read" } },
      [bob],
    );
    const at = "/smiths/anvil/settings/collaboration";
    const csrf = formOf((await asAlice.get(at)).text, at)["_csrf"] ?? "";
    const option = /<option value="(\d+)">packers/.exec((await asAlice.get(at)).text)?.[1] ?? "";
    expect((await asAlice.post(`${at}/team`, { _csrf: csrf, team: option })).status).toBe(303);
    const { text } = await asAlice.get(at);
    expect(text).toContain("Write code; read wiki");
    expect(text).toContain("team packers");
    expect((await asAlice.post(`${at}/team/delete`, { _csrf: csrf, team: option })).status).toBe(303);
    expect((await asAlice.post(`${at}/team`, { _csrf: csrf, team: "999999" })).status).toBe(404);
    // An administrator of the repository whom the organization does not let change its teams.
    await alice.api.put("/repos/smiths/anvil/collaborators/carol", { permission: "admin" });
    const carols = formOf((await asCarol.get(at)).text, at)["_csrf"] ?? "";
    expect((await asCarol.post(`${at}/team`, { _csrf: carols, team: option })).status).toBe(403);
  });

  test("deploy keys are added, shown and deleted", async () => {
    const keys = `${home}/keys`;
    const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ci@machine";
    expect((await sendForm(asAlice, keys, { key: "nonsense", title: "CI" })).text).toContain('id="key_problem"');
    expect((await sendForm(asAlice, keys, { key })).status).toBe(303);
    const { text } = await asAlice.get(keys);
    expect(text).toContain("ci@machine");
    expect(text).toContain("SHA256:");
    expect(text).toContain("never used");
    const id = /name="id" value="(\d+)"/.exec(text)?.[1] ?? "";
    const pasted = await sendForm(asAlice, keys, {
      key: "-----BEGIN OPENSSH PRIVATE KEY-----\nhush-hush",
      title: "CI 2",
    });
    expect([pasted.status, pasted.text.includes("hush-hush")]).toEqual([422, false]);
    expect((await sendForm(asAlice, keys, { id }, `${keys}/delete`)).status).toBe(303);
    expect((await asAlice.get(keys)).text).toContain("There are no deploy keys");
  });
});

describe("the danger zone", () => {
  const danger = `${home}/danger`;
  test("does nothing without the name", async () => {
    for (const confirm of ["", "tour", "alice/other"]) {
      const refused = await sendForm(asAlice, `${danger}/delete`, { confirm });
      expect([refused.status, refused.text.includes('id="confirm_problem"')]).toEqual([422, true]);
    }
    expect((await read()).name).toBe("tour");
    expect((await asAlice.get(`${danger}/convert-mirror`)).status).toBe(404);
    expect((await asAlice.get(`${danger}/convert-fork`)).status).toBe(404);
  });

  test("changes the visibility", async () => {
    await sendForm(asAlice, `${danger}/visibility`, { confirm: "alice/tour" });
    expect((await read()).private).toBe(true);
    expect((await asAlice.get(`${danger}/visibility`)).text).toContain("Make it public");
    await sendForm(asAlice, `${danger}/visibility`, { confirm: "Alice/Tour" });
    expect((await read()).private).toBe(false);
  });

  test("does not turn round what was done meanwhile, or is sent twice", async () => {
    for (const [act, column] of [
      ["visibility", "private"],
      ["archive", "archived"],
    ] as const) {
      const form = {
        ...formOf((await asAlice.get(`${danger}/${act}`)).text, `${danger}/${act}`),
        confirm: "alice/tour",
      };
      await asAlice.post(`${danger}/${act}`, form);
      await asAlice.post(`${danger}/${act}`, form);
      expect((await read())[column]).toBe(true);
      expect((await asAlice.post(`${danger}/${act}`, { ...form, state: "" })).status).toBe(422);
      expect((await read())[column]).toBe(true);
      await sendForm(asAlice, `${danger}/${act}`, { confirm: "alice/tour" });
      expect((await read())[column]).toBe(false);
    }
  });

  test("archives: settings are read, and not changed until it is unarchived", async () => {
    await sendForm(asAlice, `${danger}/archive`, { confirm: "alice/tour" });
    expect((await read()).archived).toBe(true);
    expect((await asAlice.get(home)).status).toBe(200);
    expect((await sendForm(asAlice, home, { description: "late" })).status).toBe(423);
    // Access can be taken away.
    expect(
      (await sendForm(asAlice, `${home}/collaboration`, { user: "dave", permission: "read", seen: undefined })).status,
    ).toBe(303);
    expect((await asAlice.get(`${danger}/archive`)).text).toContain("Unarchive it");
    await sendForm(asAlice, `${danger}/archive`, { confirm: "alice/tour" });
    expect((await read()).archived).toBe(false);
  });

  test("renames the branch of the wiki and deletes the wiki", async () => {
    const page = { title: "Home", content_base64: Buffer.from("# Hi").toString("base64") };
    await alice.api.post("/repos/alice/tour/wiki/new", page);
    expect(
      (await sendForm(asAlice, `${danger}/wiki-branch`, { confirm: "alice/tour", wiki_branch: "a b" })).text,
    ).toContain('id="wiki_branch_problem"');
    expect(
      (await sendForm(asAlice, `${danger}/wiki-branch`, { confirm: "alice/tour", wiki_branch: "pages" })).status,
    ).toBe(303);
    expect((await alice.api.get("/repos/alice/tour/wiki/page/Home")).status).toBe(200);
    expect((await sendForm(asAlice, `${danger}/delete-wiki`, { confirm: "alice/tour" })).status).toBe(303);
    expect((await alice.api.get("/repos/alice/tour/wiki/page/Home")).status).toBe(404);
    expect((await sendForm(asAlice, `${danger}/delete-wiki`, { confirm: "alice/tour" })).status).toBe(422);
    // It begins anew.
    expect((await alice.api.post("/repos/alice/tour/wiki/new", page)).status).toBe(201);
  });

  test("lets a fork leave its parent", async () => {
    await bob.api.post("/repos/alice/tour/forks", {});
    const at = "/bob/tour/settings/danger/convert-fork";
    expect((await alice.api.get<{ forks_count: number }>("/repos/alice/tour")).body.forks_count).toBe(1);
    expect((await sendForm(asBob, at, { confirm: "bob/tour" })).status).toBe(303);
    expect((await bob.api.get<{ fork: boolean }>("/repos/bob/tour")).body.fork).toBe(false);
    expect((await alice.api.get<{ forks_count: number }>("/repos/alice/tour")).body.forks_count).toBe(0);
    expect((await asBob.get(at)).status).toBe(404);
  });

  test("offers it to somebody, who accepts; others are offered nothing", async () => {
    await app.repository(alice, "gift", { auto_init: true });
    const gift = "/alice/gift/settings/danger";
    const unknown = await sendForm(asAlice, `${gift}/transfer`, { confirm: "alice/gift", new_owner: "<ghost>" });
    expect([unknown.status, unknown.text.includes('id="new_owner_problem"')]).toEqual([422, true]);
    expect((await sendForm(asAlice, `${gift}/transfer`, { confirm: "alice/gift", new_owner: "dave" })).location).toBe(
      gift,
    );
    expect((await asAlice.get(gift)).text).toContain("Withdraw the offer");
    expect((await asCarol.get("/alice/gift")).text).not.toContain("accept_transfer");
    const banner = await asAlice.get("/alice/gift");
    expect(banner.text).not.toContain("accept_transfer");
    expect(banner.text).toContain("Withdraw the offer");
    expect((await asDave.get("/alice/gift")).text).toContain("accept_transfer");
    expect((await sendForm(asDave, "/alice/gift", {}, "/alice/gift/action/accept_transfer")).status).toBe(303);
    expect((await read("dave/gift")).owner.login).toBe("dave");
  });

  test("deletes", async () => {
    await app.repository(alice, "gone", { auto_init: true });
    const gone = await sendForm(asAlice, "/alice/gone/settings/danger/delete", { confirm: "alice/gone" });
    expect(gone.location).toBe("/alice");
    expect((await alice.api.get("/repos/alice/gone")).status).toBe(404);
  });
});

void [carol, dave];
