import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/site/editorconfig";

beforeAll(async () => {
  await app.repository(alice, "site");
  await app.repository(alice, "secret", { private: true });
  await app.repository(alice, "empty");
  await work.write("a.txt", "a\n");
  await work.commit("nothing");
  await work.git("branch", "bare");
  await work.write(
    ".editorconfig",
    "; root = true would be a comment\n[*]\ncharset = UTF-8\nindent_style = Tab\ntab_width = 4\ninsert_final_newline = true\n\n[{Makefile,*.{go,mod}}]\nmax_line_length = 120\n[docs/**.md]\ntrim_trailing_whitespace = false\n",
  );
  await work.write(
    "src/.editorconfig",
    "[*.ts]\nindent_style = space\nindent_size = 2\ncharset = unset\n[{1..3}.txt]\nx = y\n",
  );
  await work.write("lib/.editorconfig", "root = true\n[*.ts]\nindent_size = 8\n");
  await work.write("slow/.editorconfig", `[${"*a".repeat(40)}]\nindent_size = 1\n`);
  await work.write("large/.editorconfig", "# comment\n".repeat(20_000));
  await work.commit("settings");
  for (const name of ["site", "secret"]) {
    await work.push(`${app.url}/alice/${name}.git`, alice.token, "main", "bare");
  }
});

describe("GET /repos/{owner}/{repo}/editorconfig/{filepath}", () => {
  test("refuses who may not read, and hides what they may not see", async () => {
    for (const client of [app.anonymous, bob.api]) {
      const hidden = await client.get<{ message: string }>("/repos/alice/secret/editorconfig/a.txt");
      expect([hidden.status, hidden.body.message]).toEqual([404, 'There is no repository "alice/secret"']);
    }
    expect((await (await app.scoped(alice, "read:user")).get(`${base}/a.txt`)).status).toBe(403);
  });

  test("answers what the files above the path say, the nearest last", async () => {
    const { status, body } = await app.anonymous.get(`${base}/src/deep/a.ts`);
    expect(status).toBe(200);
    expect(body).toEqual({
      indent_style: "space",
      indent_size: "2",
      tab_width: "4",
      insert_final_newline: "true",
    });
    expect((await app.anonymous.get(`${base}/a.go`)).body).toEqual({
      charset: "utf-8",
      indent_style: "tab",
      tab_width: "4",
      indent_size: "4",
      insert_final_newline: "true",
      max_line_length: "120",
    });
    expect((await app.anonymous.get(`${base}/docs/x/y.md`)).body).toMatchObject({ trim_trailing_whitespace: "false" });
    expect((await app.anonymous.get(`${base}/src/2.txt`)).body).toMatchObject({ x: "y" });
    expect((await app.anonymous.get(`${base}/src/4.txt`)).body).not.toHaveProperty("x");
  });

  test("looks no further than a file that is the root, and answers an empty object where none fits", async () => {
    expect((await app.anonymous.get(`${base}/lib/a.ts`)).body).toEqual({ indent_size: "8", tab_width: "8" });
    expect((await app.anonymous.get(`${base}/lib/a.go`)).body).toEqual({});
  });

  test("answers 404 without such a file, at the revision that is asked for", async () => {
    const { status, body } = await app.anonymous.get<{ message: string }>(`${base}/src/a.ts?ref=bare`);
    expect([status, body.message]).toEqual([404, 'There is no .editorconfig for "src/a.ts"']);
    expect((await app.anonymous.get(`${base}/src/a.ts?ref=none`)).status).toBe(404);
    expect((await app.anonymous.get("/repos/alice/empty/editorconfig/a.ts")).status).toBe(404);
    expect((await app.anonymous.get(`${base}/src/a.ts?ref=main`)).status).toBe(200);
  });

  test("takes no time for a pattern that could be tried in many ways, and refuses what is too large", async () => {
    const hostile = await app.anonymous.get(`${base}/slow/${"a".repeat(200)}b`);
    expect([hostile.status, hostile.body]).toEqual([200, (await app.anonymous.get(`${base}/slow/b`)).body]);
    expect((await app.anonymous.get(`${base}/slow/${"a".repeat(200)}`)).body).toMatchObject({ indent_size: "1" });
    const large = await app.anonymous.get<{ message: string }>(`${base}/large/a`);
    expect([large.status, large.body.message]).toEqual([
      422,
      `The repository's .editorconfig cannot be read: "large/.editorconfig" has 200000 bytes`,
    ]);
    expect((await app.anonymous.get(`${base}/${"d/".repeat(60)}a`)).status).toBe(422);
    expect((await app.anonymous.get(`${base}/lib/a.ts`)).status).toBe(200);
  });
});
