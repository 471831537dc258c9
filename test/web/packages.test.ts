import { afterAll, describe, expect, test } from "bun:test";
import { makeDeb } from "../registries/debian/deb.ts";
import { missingPrograms, runProgram, ScratchDirectory } from "../registries/shared/run-program.ts";
import { makeTeam } from "../support/team.ts";
import { testPassword, useTestApp, type TestUser } from "../support/test-app.ts";
import { commandsIn } from "../support/commands-in.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const [alice, bob, carol] = [await app.user("alice"), await app.user("bob"), await app.user("carol")];
await alice.api.post("/orgs", { username: "forge" });
await alice.api.post("/orgs", { username: "closed", visibility: "private" });
await app.repository(alice, "site", {}, "forge");
await app.repository(alice, "secret", { private: true }, "forge");
// Members who may read packages, and no more.
await makeTeam(alice, "forge", { name: "readers", units_map: { "repo.packages": "read" } }, [carol]);

const visitors = new Map<string, WebVisitor>();
async function as(user: TestUser | null): Promise<WebVisitor> {
  const name = user?.name ?? "";
  const known = visitors.get(name) ?? new WebVisitor(app.url);
  if (!visitors.has(name) && user !== null) {
    await known.signIn(user.name, testPassword);
  }
  visitors.set(name, known);
  return known;
}

async function publish(path: string, body: string | Uint8Array<ArrayBuffer> = "x"): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`alice:${alice.token}`)}` };
  const put = await fetch(`${app.url}/api/packages/${path}`, { method: "PUT", body, headers });
  expect([put.status, await put.text()]).toEqual([201, ""]);
}

const at = (path: string) => `/forge/-/packages${path}`;
await publish("forge/generic/anvil/1.0/anvil.tar.gz", "one");
await publish("forge/generic/anvil/1.1/anvil.tar.gz", "two");
await publish("closed/generic/hidden/1.0/a");

describe("forbidden", () => {
  test("packages of a private organization, and of a private repository, are like none", async () => {
    await publish("forge/generic/inner/1.0/a");
    expect((await alice.api.post("/packages/forge/generic/inner/-/link/secret")).status).toBe(201);
    for (const who of [null, bob]) {
      const visitor = await as(who);
      for (const path of [
        "/closed/-/packages",
        "/closed/-/packages/generic/hidden/1.0",
        at("/generic/inner/1.0"),
        at("/generic/inner"),
      ]) {
        expect([path, (await visitor.get(path)).status]).toEqual([path, 404]);
      }
      expect((await visitor.get(at(""))).text).not.toContain("inner");
      expect((await visitor.get("/forge/secret/packages")).status).toBe(404);
    }
    const [file] = (await alice.api.get<{ id: number }[]>("/packages/forge/generic/inner/1.0/files")).body;
    expect((await (await as(bob)).get(at(`/generic/inner/1.0/files/${file?.id}`))).status).toBe(404);
    // A file is one of its version.
    expect((await (await as(alice)).get(at(`/generic/anvil/1.0/files/${file?.id}`))).status).toBe(404);
    expect((await (await as(alice)).get(at(`/generic/inner/1.0/files/${file?.id}`))).text).toBe("x");
    expect((await (await as(alice)).get(at("")).then(({ text }) => text)).includes("inner")).toBe(true);
  });

  test("who may only read changes nothing, and is offered nothing", async () => {
    const page = await (await as(carol)).get(at("/generic/anvil/1.0"));
    expect([page.status, page.text.includes('/settings"')]).toEqual([200, page.text.includes('/user/settings"')]);
    for (const who of [bob, carol]) {
      const visitor = await as(who);
      for (const path of ["/generic/anvil/1.0/settings", "/rules", "/rules/generic"]) {
        expect([who.name, path, (await visitor.get(at(path))).status]).toEqual([who.name, path, 403]);
      }
      const token = /name="_token" value="([^"]+)"/.exec((await visitor.get("/user/settings/appearance")).text)?.[1];
      const fields = { ...(token === undefined ? {} : { _token: token }), act: "delete", confirm: "1.0" };
      expect((await visitor.post(at("/generic/anvil/1.0/settings"), fields)).status).toBe(403);
      expect((await visitor.post(at("/rules/generic"), { ...fields, keep_count: "1" })).status).toBe(403);
    }
    const stranger = await (await as(null)).get(at("/rules"));
    expect([stranger.status, stranger.location]).toEqual([
      303,
      `/user/login?redirect_to=${encodeURIComponent(at("/rules"))}`,
    ]);
    expect((await alice.api.get("/packages/forge/generic/anvil/1.0")).status).toBe(200);
  });
});

describe("lists", () => {
  test("name the newest version of each package, and are searched by name and format", async () => {
    const visitor = await as(null);
    const { text } = await visitor.get(at(""));
    expect(text).toContain(`href="${at("/generic/anvil/1.1")}"`);
    expect(text).not.toContain(`href="${at("/generic/anvil/1.0")}"`);
    expect((await visitor.get(at("?q=ANV"))).text).toContain("anvil");
    for (const query of ["?q=none", "?type=rpm", "?page=2", "?q=%00"]) {
      expect([query, (await visitor.get(at(query))).text.includes("No package fits")]).toEqual([
        query,
        query !== "?q=%00",
      ]);
    }
    expect((await visitor.get(at("?type=none&page=x"))).text).toContain("anvil");
  });

  test("of a repository have what is linked to it", async () => {
    const visitor = await as(alice);
    expect((await visitor.get("/forge/site/packages")).text).toContain("No packages yet");
    const page = await visitor.submit(at("/generic/anvil/1.1/settings"), { act: "link", repository: "site" });
    expect([page.status, page.location]).toEqual([303, at("/generic/anvil/1.1")]);
    expect((await visitor.get("/forge/site/packages")).text).toContain(`href="${at("/generic/anvil/1.1")}"`);
    expect((await visitor.get(at("/generic/anvil/1.1"))).text).toContain('href="/forge/site"');
    const again = await visitor.submit(at("/generic/anvil/1.1/settings"), { act: "link", repository: "site" });
    expect([again.status, again.text.includes("linked to")]).toEqual([400, true]);
    const missing = await visitor.submit(at("/generic/anvil/1.1/settings"), { act: "link", repository: "none" });
    expect(missing.status).toBe(404);
    await visitor.submit(at("/generic/anvil/1.1/settings"), { act: "link", repository: "" });
    expect((await visitor.get("/forge/site/packages")).text).toContain("No packages yet");
  });
});

describe("a version", () => {
  test("shows its files with their digests, and counts downloads by day", async () => {
    const visitor = await as(null);
    const page = await visitor.get(at("/generic/anvil/1.1"));
    expect(page.text).toContain(new Bun.CryptoHasher("sha256").update("two").digest("hex"));
    const link = new RegExp(`href="(${at("/generic/anvil/1.1")}/files/\\d+)"`).exec(page.text)?.[1] ?? "";
    const file = await visitor.get(link);
    expect([file.status, file.text, file.headers.get("content-disposition")]).toEqual([
      200,
      "two",
      "attachment; filename=\"anvil.tar.gz\"; filename*=UTF-8''anvil.tar.gz",
    ]);
    await visitor.get(link);
    expect((await visitor.get(at("/generic/anvil/1.1"))).text).toContain("2 downloads in 90 days");
    expect((await visitor.get(at("/generic/anvil"))).text).toMatch(/2<span class="sr"> downloads/);
    const missing = [
      "/generic/anvil/9",
      "/generic/none",
      "/none/anvil",
      "/none/anvil/1.0",
      "/generic/anvil/1.1/files/x",
    ];
    for (const path of missing) {
      expect([path, (await visitor.get(at(path))).status]).toEqual([path, 404]);
    }
  });

  test("has commands that a shell runs, whatever the file is called", async () => {
    using scratch = new ScratchDirectory();
    await publish("forge/generic/odd+1/1+2/-f+x", "odd");
    const page = await (await as(null)).get(at("/generic/odd+1/1+2"));
    await runProgram(["bash", "-euc", commandsIn(page.text, "install-1")], { cwd: scratch.path });
    expect([...new Bun.Glob("*").scanSync({ cwd: scratch.path })]).toEqual(["-f+x"]);
  });

  test("is deleted by those who type its name", async () => {
    await publish("forge/generic/old/1.0/a");
    const visitor = await as(alice);
    const wrong = await visitor.submit(at("/generic/old/1.0/settings"), { act: "delete", confirm: "1.1" });
    expect([wrong.status, wrong.text.includes("This is not 1.0")]).toEqual([422, true]);
    const done = await visitor.submit(at("/generic/old/1.0/settings"), { act: "delete", confirm: "1.0" });
    expect([done.status, done.location]).toEqual([303, at("")]);
    expect((await alice.api.get("/packages/forge/generic/old/1.0")).status).toBe(404);
  });
});

const scratch = new ScratchDirectory();
afterAll(() => scratch[Symbol.dispose]());

test.skipIf(missingPrograms("Debian's tools", ["dpkg-deb"]))(
  "says of a Debian package what its control file says",
  async () => {
    const more = "Homepage: https://words.example.com\nDepends: words (>= 1.0), sounds\nRecommends: sense\n";
    await publish("forge/debian/pool/stable/main/upload", await makeDeb(scratch.path, { name: "greeter", more }));
    const { text } = await (await as(null)).get(at("/debian/greeter/1.0"));
    for (const shown of [
      "the package greeter",
      "And two paragraphs of description.",
      "<dt>Depends</dt>",
      '<code dir="auto">words (&gt;= 1.0)</code>',
      'href="https://words.example.com"',
      "Ann &lt;ann@example.com&gt;",
      "stable/main",
    ]) {
      expect(text).toContain(shown);
    }
    expect(commandsIn(text, "install-1")).toContain(
      `deb [signed-by=/etc/apt/keyrings/forge.asc] ${app.url}/api/packages/forge/debian stable main`,
    );
  },
);

describe("cleanup rules", () => {
  test("are set with a preview of what they would delete, and deleted", async () => {
    const visitor = await as(alice);
    for (const version of ["1", "2", "3"]) {
      await publish(`forge/generic/nightly/${version}/a`);
    }
    const path = at("/rules/generic");
    const rule = { keep_count: "1", keep_pattern: "", remove_days: "0", remove_pattern: "[0-9]", enabled: "1" };
    expect((await visitor.submit(path, rule)).location).toBe(path);
    const shown = await visitor.get(path);
    expect(shown.text).toContain("The rule would delete 2 versions now.");
    expect(shown.text).toContain(at("/generic/nightly/1"));
    expect(shown.text).not.toContain(at("/generic/nightly/3"));
    expect((await visitor.get(at("/rules"))).text).toContain("keeps 1 versions");
    expect((await visitor.submit(path, { ...rule, delete: "1" })).location).toBe(at("/rules"));
    expect((await alice.api.get("/packages/forge/-/cleanup_rules/generic")).status).toBe(404);
    expect((await alice.api.get("/packages/forge/generic/nightly/1")).status).toBe(200);
  });

  test("are refused at the field that is wrong, and keep what was typed", async () => {
    const visitor = await as(alice);
    const path = at("/rules/rpm");
    const rule = { keep_count: "1", keep_pattern: "", remove_days: "0", remove_pattern: "", enabled: "1" };
    for (const [name, value] of [
      ["keep_count", "many"],
      ["remove_days", "-1"],
      ["keep_pattern", "("],
      ["remove_pattern", "a{1000}{1000}"],
    ] as const) {
      const page = await visitor.submit(path, { ...rule, [name]: value });
      expect([name, page.status]).toEqual([name, 422]);
      expect(page.text).toContain(`id="${name}" name="${name}" aria-invalid="true"`);
      expect(page.text).toContain(`value="${value}"`);
    }
    const all = await visitor.submit(path, { ...rule, keep_count: "0" });
    expect([all.status, all.text.includes("would delete every version")]).toEqual([422, true]);
    expect((await visitor.get(at("/rules/none"))).status).toBe(404);
  });
});
