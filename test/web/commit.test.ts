import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
const nobody = new WebVisitor(app.url);

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const [asAlice, asBob] = [await signedIn("alice"), await signedIn("bob")];
await app.repository(alice, "tour", { auto_init: true, default_branch: "main" });
await app.repository(alice, "closed", { private: true, auto_init: true, default_branch: "main" });

const encode = (text: string) => Buffer.from(text).toString("base64");
interface Made {
  commit: { sha: string };
}
async function commit(
  path: string,
  text: string,
  message: string,
  options: Record<string, string> = {},
): Promise<string> {
  const at = `/repos/alice/tour/contents/${path}`;
  const before = await alice.api.get<{ sha?: string }>(`${at}?ref=${options["branch"] ?? "main"}`);
  const body = { content: encode(text), message, ...options };
  const { body: made } =
    before.status === 200
      ? await alice.api.put<Made>(at, { ...body, sha: before.body.sha })
      : await alice.api.post<Made>(at, body);
  return made.commit.sha;
}
const first = await commit("a.txt", "one\ntwo\nthree\n", "Begin a");
await commit("a.txt", "one\n2\nthree\n", "Write a digit\n\nSee #1 and @bob, <b>.", { new_branch: "digits" });
const digit = (await alice.api.get<{ commit: { id: string } }>("/repos/alice/tour/branches/digits")).body.commit.id;
const home = "/alice/tour";
const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
const textOf = async (branch: string) => (await nobody.get(`${home}/raw/branch/${branch}/a.txt`)).text;

describe("what one may not do", () => {
  test("is offered to nobody, and refused", async () => {
    const form = { _csrf: csrfOf((await asBob.get("/")).text), branch: "main", message: "M" };
    for (const path of [`_cherrypick/${digit}`, `commit/${digit}/notes`, `commit/${digit}/notes/remove`]) {
      expect((await asBob.post(`${home}/${path}`, form)).status).toBe(403);
      expect((await asBob.post(`/alice/closed/${path}`, form)).status).toBe(404);
    }
    expect((await asBob.get(`${home}/_cherrypick/${digit}`)).status).toBe(403);
    expect((await nobody.get(`${home}/_cherrypick/${digit}`)).location).toStartWith("/user/login");
    const { text } = await asBob.get(`${home}/commit/${digit}`);
    expect(text).not.toContain("_cherrypick");
    expect(text).not.toContain("Add a note");
    expect(await textOf("main")).toBe("one\ntwo\nthree\n");
  });
});

describe("the page of a commit", () => {
  test("says what it says, who made it and what contains it", async () => {
    const { text, headers } = await nobody.get(`${home}/commit/${digit}`);
    expect(headers.get("x-robots-tag")).toBe("noindex, nofollow");
    expect(text).toContain('<h1 dir="auto">Write a digit</h1>');
    expect(text).toContain('href="');
    expect(text).toContain("&lt;b&gt;.");
    expect(text).toMatch(/<a [^>]*href="[^"]*\/bob"[^>]*>@bob<\/a>/);
    expect(text).toContain(">digits</a>");
    expect(text).not.toContain('<a class="ref" href="/alice/tour/src/branch/main">');
    const begin = await nobody.get(`${home}/commit/${first}`);
    expect(begin.text).toContain(">main</a>");
    expect(begin.text).toContain(">digits</a>");
  });

  test("shows a part, one file, and more lines of it", async () => {
    const one = await nobody.get(`${home}/commit/${digit}?file=a.txt&show=1-3`);
    expect(one.text).toContain("<tr class=d><td data-n=2><td><td>two");
    const odd = [
      "?file=none",
      "?skip=999",
      "?skip=-1",
      "?show=a-b&file=a.txt",
      "?style=odd&whitespace=odd",
      "?skip-lines=9&file=a.txt",
    ];
    for (const query of odd) {
      expect([query, (await nobody.get(`${home}/commit/${digit}${query}`)).status]).toEqual([query, 200]);
    }
    const reader = new WebVisitor(app.url);
    expect((await reader.get(`${home}/commit/${digit}?style=split`)).text).toContain("split-rows");
    expect((await reader.get(`${home}/commit/${digit}`)).text).toContain("split-rows");
  });

  test("hides changes of spaces", async () => {
    const spaces = await commit("a.txt", "one\n2  \nthree\n", "Add spaces", { branch: "digits" });
    expect((await nobody.get(`${home}/commit/${spaces}?whitespace=ignore-all`)).text).toContain("Only spaces changed");
  });
});

describe("a note", () => {
  test("is written, shown and removed", async () => {
    const at = `${home}/commit/${digit}`;
    const form = { _csrf: csrfOf((await asAlice.get(at)).text), message: " " };
    const refused = await asAlice.post(`${at}/notes`, form);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('aria-invalid="true"');
    expect((await asAlice.post(`${at}/notes`, { ...form, message: "Tested by <x>" })).location).toBe(at);
    expect((await nobody.get(at)).text).toContain("Tested by &lt;x&gt;");
    expect((await asAlice.post(`${at}/notes/remove`, form)).status).toBe(303);
    expect((await nobody.get(at)).text).not.toContain("Tested by");
    expect((await asAlice.post(`${at}/notes/remove`, form)).status).toBe(404);
  });
});

describe("cherry-pick and revert", () => {
  test("bring a change to a branch, and take it back", async () => {
    const at = `${home}/_cherrypick/${digit}`;
    const page = await asAlice.get(at);
    expect(page.text).toContain(`(cherry picked from commit ${digit})`);
    const form = { _csrf: csrfOf(page.text), branch: "main", new_branch: "", message: "Digit\n" };
    expect((await asAlice.post(at, { ...form, new_branch: "picked" })).location).toBe(`${home}/compare/main...picked`);
    expect([await textOf("picked"), await textOf("main")]).toEqual(["one\n2\nthree\n", "one\ntwo\nthree\n"]);
    expect((await asAlice.post(at, form)).status).toBe(303);
    expect(await textOf("main")).toBe("one\n2\nthree\n");
    const revert = `${at}?revert=true`;
    expect((await asAlice.get(revert)).text).toContain(`This reverts commit ${digit}.`);
    expect((await asAlice.post(revert, { ...form, message: "Back" })).status).toBe(303);
    expect(await textOf("main")).toBe("one\ntwo\nthree\n");
  });

  test("change nothing where they cannot be, and keep what was typed", async () => {
    const at = `${home}/_cherrypick/${digit}`;
    const form = { _csrf: csrfOf((await asAlice.get(at)).text), branch: "main", new_branch: "", message: "Kept <m>" };
    await commit("a.txt", "one\nzwei\nthree\n", "German", { branch: "main" });
    const conflict = await asAlice.post(at, form);
    expect(conflict.status).toBe(409);
    expect(conflict.text).toContain("a.txt");
    expect(conflict.text).toContain("Kept &lt;m&gt;");
    expect((await asAlice.post(at, { ...form, branch: "digits" })).status).toBe(409);
    for (const wrong of [{ branch: "none" }, { new_branch: "digits" }, { new_branch: "a..b" }, { message: " " }]) {
      const { status, text } = await asAlice.post(at, { ...form, ...wrong });
      expect([wrong, status]).toEqual([wrong, 422]);
      expect(text).toContain('aria-invalid="true"');
    }
    expect(await textOf("main")).toBe("one\nzwei\nthree\n");
    expect((await asAlice.get(`${home}/_cherrypick/${"a".repeat(40)}`)).status).toBe(404);
    expect((await asAlice.get(`${home}/_cherrypick/main`)).status).toBe(404);
  });
});
