import { expect, test } from "bun:test";
import { serverDoer } from "../../../src/domain/spine/doer.ts";
import { requestLanguages } from "../../../src/domain/git/languages/count-languages.ts";
import { storeLanguages } from "../../../src/domain/git/languages/queries.ts";
import { mustGit, Scratch } from "../../support/git.ts";
import { SshKeyPair } from "../../support/ssh.ts";
import { useTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;

const languages = async (name: string) =>
  (await alice.api.get<Record<string, number>>(`/repos/alice/${name}/languages`)).body;
const main = async (name: string) => (await alice.api.get<{ language: string }>(`/repos/alice/${name}`)).body.language;
const counted = (name: string, expected: Record<string, number>) =>
  until(
    `${name} has ${JSON.stringify(expected)}`,
    async () => JSON.stringify(await languages(name)) === JSON.stringify(expected),
  );
const write = async (name: string, files: Record<string, string>, fields: Record<string, unknown> = {}) => {
  const list = Object.entries(files).map(([path, text]) => ({
    operation: "create",
    path,
    content: Buffer.from(text).toString("base64"),
  }));
  expect((await alice.api.post(`/repos/alice/${name}/contents`, { files: list, ...fields })).status).toBe(201);
};

test("languages are as hidden as the code", async () => {
  await app.repository(alice, "secret", { private: true });
  await app.repository(alice, "closed");
  await alice.api.patch("/repos/alice/closed", { has_code: false });
  expect((await app.anonymous.get("/repos/alice/secret/languages")).status).toBe(404);
  expect((await bob.api.get("/repos/alice/secret/languages")).status).toBe(404);
  expect((await bob.api.get("/repos/alice/closed/languages")).status).toBe(404);
  expect((await alice.api.get("/repos/alice/secret/languages")).body).toEqual({});
  expect((await app.anonymous.get("/repos/alice/absent/languages")).status).toBe(404);
});

test("they are counted when the default branch moves, and the largest stands in the repository", async () => {
  await app.repository(alice, "site");
  expect([await languages("site"), await main("site")]).toEqual([{}, ""]);
  await write("site", { "a.go": "package a\n", "NOTES.md": "# A\n" });
  await counted("site", { Go: 10 });
  expect(await main("site")).toBe("Go");
  await write("site", { "b.rs": "fn main() {}\n", ".gitattributes": "*.md linguist-detectable\n" });
  await counted("site", { Rust: 13, Go: 10, Markdown: 4 });
  const { body } = await app.anonymous.get<{ data: { language: string }[] }>("/repos/search?q=site");
  expect(body.data.map(({ language }) => language)).toEqual(["Rust"]);
  const { headers } = await app.anonymous.get("/repos/alice/site/languages");
  const etag = headers.get("etag") ?? "";
  expect(
    (await app.anonymous.fetch("GET", "/repos/alice/site/languages", { headers: { "if-none-match": etag } })).status,
  ).toBe(304);
});

test("another branch changes nothing until it is the default one", async () => {
  await write("site", { "c.py": "print('much more than the others')\n" }, { new_branch: "next" });
  await alice.api.post("/repos/alice/site/contents/d.go", { content: Buffer.from("package d\n").toString("base64") });
  await counted("site", { Go: 20, Rust: 13, Markdown: 4 });
  expect((await alice.api.patch("/repos/alice/site", { default_branch: "next" })).status).toBe(200);
  await counted("site", { Python: 35, Rust: 13, Go: 10, Markdown: 4 });
  expect(await main("site")).toBe("Python");
});

test("a count that comes late is not noted", async () => {
  const [row] = await sql`select id from repository where lower_name = 'site'`;
  const id = Number(row?.["id"]);
  const stored = await app.forge.change(serverDoer("test"), (work) =>
    storeLanguages(work.tx, id, { commit: "1".repeat(40), rules: "x", bytes: { COBOL: 1 } }),
  );
  expect(stored).toBe(false);
  expect(await main("site")).toBe("Python");
});

test("a repository from before the server counted, or counted so, is counted by the regular task", async () => {
  await sql`delete from repository_languages`;
  await sql`update repository_count set language = ''`;
  expect(await languages("site")).toEqual({});
  expect(await requestLanguages(app.forge)).toBe(1);
  await counted("site", { Python: 35, Rust: 13, Go: 10, Markdown: 4 });
  expect(await requestLanguages(app.forge)).toBe(0);
  await sql`update repository_languages set rules = 'older', bytes = '{"COBOL": 5}'`;
  expect(await requestLanguages(app.forge)).toBe(1);
  await counted("site", { Python: 35, Rust: 13, Go: 10, Markdown: 4 });
});

test("only what changed is counted, also where there was no language before; all, where there was too much", async () => {
  const { id } = await app.repository(alice, "texts");
  await write("texts", { "notes.txt": "Some text\n", "a.go": "package a\n" });
  await counted("texts", { Go: 10 });
  await sql`update repository_languages set bytes = '{}' where repository_id = ${id}`;
  await write("texts", { "b.rs": "fn main() {}\n" });
  await counted("texts", { Rust: 13 });
  await sql`update repository_languages set bytes = 'null' where repository_id = ${id}`;
  expect(await languages("texts")).toEqual({});
  await write("texts", { "c.py": "print('much more than the others')\n" });
  await counted("texts", { Python: 35, Rust: 13, Go: 10 });
});

test("a fork has them, too", async () => {
  expect((await bob.api.post("/repos/alice/site/forks", {})).status).toBe(202);
  await until("the fork is counted", async () => {
    const { body } = await bob.api.get<Record<string, number>>("/repos/bob/site/languages");
    return body["Python"] === 35;
  });
});

test("a push with a deploy key counts as well, although nobody stands behind it", async () => {
  await app.repository(alice, "deployed");
  using key = new SshKeyPair();
  using scratch = new Scratch();
  await key.deploy(alice, "deployed", false);
  const env = { env: key.env };
  const clone = scratch.join("clone");
  await mustGit(scratch.path, ["clone", "-q", `${app.ssh}/alice/deployed.git`, clone], env);
  await Bun.write(`${clone}/a.rb`, "puts 1\n");
  await mustGit(clone, ["add", "-A"]);
  await mustGit(clone, ["commit", "-q", "-m", "one"]);
  await mustGit(clone, ["push", "-q", "origin", "HEAD:refs/heads/main"], env);
  await counted("deployed", { Ruby: 7 });
});
