import { expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "one", { private: true });
await app.repository(alice, "two", { private: true });
const browser = new WebVisitor(app.url);
await browser.signIn("alice", testPassword);

const path = "/user/settings/tokens";
const create = (fields: Record<string, string>) =>
  browser.submit(path, { name: crypto.randomUUID(), lifetime: "30", ...fields });
const shown = (text: string) => /id="token">(sty_[0-9a-f]+)</.exec(text)?.[1] ?? "";

test("what cannot be a token is refused with the reason, and what was typed stays", async () => {
  const bob = await app.user("bob");
  await app.repository(bob, "hidden", { private: true });
  const reason = async (fields: Record<string, string>) => {
    const { status, text } = await create(fields);
    expect([status, shown(text)]).toEqual([422, ""]);
    return /role="alert">.*?<p>([^<]*)</s.exec(text)?.[1] ?? "";
  };
  expect(await reason({})).toContain("at least one scope");
  expect(await reason({ all: "1", name: " " })).toContain("needs a name");
  expect(await reason({ all: "1", lifetime: "forever" })).toContain("expires after");
  expect(await reason({ scope_repository: "owner" })).toContain("is not a scope");
  expect(await reason({ scope_admin: "write" })).toContain("only for site administrators");
  const [hidden, missing] = [
    await reason({ all: "1", repositories: "bob/hidden" }),
    await reason({ all: "1", repositories: "bob/missing" }),
  ];
  expect(hidden.replace("hidden", "missing")).toBe(missing);
  expect((await create({ name: "<kept>" })).text).toContain('value="&lt;kept&gt;"');
  const { text } = await create({ name: " ", scope_issue: "write", public_only: "1", lifetime: "90" });
  expect(text.match(/(?<=value=")[^"]+(?=" (?:selected|checked))/g)).toEqual(["90", "1", "write"]);
});

test("a token has the scopes, the end and the repositories that were chosen, and is shown once", async () => {
  const { status, text } = await create({
    name: "ci",
    scope_repository: "write",
    lifetime: "90",
    repositories: "alice/one\n",
  });
  expect(status).toBe(200);
  // The form below is for another one.
  expect(text).toContain('id="name" name="name" value=""');
  const api = app.withToken(shown(text));
  expect([
    (await api.get("/repos/alice/one")).status,
    (await api.get("/repos/alice/two")).status,
    (await api.get("/user")).status,
  ]).toEqual([200, 404, 403]);
  const list = (
    await alice.api.get<{ name: string; scopes: string[]; expires_at: string; repositories: string[] | null }[]>(
      "/users/alice/tokens",
    )
  ).body.find(({ name }) => name === "ci");
  expect(list).toMatchObject({ scopes: ["write:repository"], repositories: ["alice/one"] });
  const days = (Date.parse(list?.expires_at ?? "") - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  const again = (await browser.get(path)).text;
  expect(again).toContain("ci<br>");
  expect(again).not.toContain(shown(text));
  expect((await create({ name: "ci", all: "1" })).text).toContain("has a token named");
});

test("nobody deletes somebody else's", async () => {
  const carol = await app.user("carol");
  const other = new WebVisitor(app.url);
  await other.signIn("carol", testPassword);
  const { id } = (await alice.api.get<{ id: number }[]>("/users/alice/tokens")).body[0] ?? { id: 0 };
  const csrf = /name="_csrf" value="([^"]+)"/.exec((await other.get(path)).text)?.[1] ?? "";
  expect((await other.post(`${path}/delete`, { _csrf: csrf, id: String(id) })).status).toBe(404);
  expect((await alice.api.get<{ id: number }[]>("/users/alice/tokens")).body.map((token) => token.id)).toContain(id);
  expect((await carol.api.get("/user")).status).toBe(200);
});
