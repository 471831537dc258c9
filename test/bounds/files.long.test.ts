import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mustGit, Scratch } from "../support/git.ts";
import { BesideServer, expectUndisturbed } from "./beside.ts";
import { commitOf, makeBare, plant } from "./plant.ts";

/** Files that strangers push and the server reads: templates, licenses, configuration; and texts with long runs of one character. */

setDefaultTimeout(300_000);

const scratch = new Scratch();
let server: BesideServer;
beforeAll(async () => {
  server = await BesideServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  scratch[Symbol.dispose]();
});

/** Asks three times at once, as nobody. */
async function askBeside(path: string): Promise<number[]> {
  let statuses: number[] = [];
  const seen = await server.during(async () => {
    const answers = await Promise.all([1, 2, 3].map(() => fetch(server.url + path)));
    statuses = answers.map(({ status }) => status);
    await Promise.all(answers.map((answer) => answer.bytes()));
  });
  expectUndisturbed(seen);
  return statuses;
}

const all = (status: number) => [status, status, status];
const form = (rest: string) => `name: a\nabout: b\nbody:\n  - type: markdown\n    attributes:\n      value: x\n${rest}`;
const size = 31_000;

test.each([
  ["anchors", form(`z: [${"&a ".repeat(size / 3)}]`)],
  ["lists in lists", form(`z: ${"[".repeat(size / 2)}`)],
  ["line feeds in quotes", form(`z: "${"\\\n".repeat(size / 2)}"`)],
])("thirty templates for issues of %s", async (what, text) => {
  const name = `templates-${what.replaceAll(" ", "-")}`;
  const files = Array.from({ length: 30 }, (_, at) => [`.forgejo/ISSUE_TEMPLATE/f${at}.yaml`, text]);
  await plant(server, scratch, name, commitOf(Object.fromEntries(files)));
  expect(await askBeside(`/api/v1/repos/root/${name}/issue_templates`)).toEqual(all(200));
});

test.each([
  ["line feeds", "\n".repeat(120_000)],
  ["stars", `${"*".repeat(120_000)}a`],
  ["signs of copyright", `${"©".repeat(60_000)}a`],
])("twenty licenses of %s", async (what, text) => {
  const name = `licenses-${what.replaceAll(" ", "-")}`;
  const files = Array.from({ length: 20 }, (_, at) => [`LICENSE-${at}`, text]);
  await plant(server, scratch, name, commitOf(Object.fromEntries(files)));
  expect(await askBeside(`/api/v1/repos/root/${name}/licenses`)).toEqual(all(200));
  expect(await askBeside(`/api/v1/repos/root/${name}`)).toEqual(all(200));
});

test(".editorconfig of line feeds", async () => {
  await plant(server, scratch, "editorconfig", commitOf({ ".editorconfig": "\n".repeat(120_000) }));
  await askBeside("/api/v1/repos/root/editorconfig/editorconfig/a.txt");
});

test("a message with a long run of spaces, as a mail", async () => {
  await plant(
    server,
    scratch,
    "spaces",
    commitOf({ a: "b" }, `a${" ".repeat(2_000_000)}b\n\nc${" ".repeat(1_000_000)}d`),
  );
  const path = scratch.join("spaces");
  const oid = await mustGit(path, ["rev-parse", "main"]);
  expect(await askBeside(`/api/v1/repos/root/spaces/git/commits/${oid}.patch`)).toEqual(all(200));
});

test("a patch of spaces", async () => {
  await plant(server, scratch, "patched", commitOf({ a: "b" }));
  const seen = await server.during(async () => {
    const answer = await server.api.post("/repos/root/patched/diffpatch", {
      content: `${" ".repeat(2_000_000)}!`,
      message: "m",
    });
    expect(answer.status).toBe(422);
  });
  expectUndisturbed(seen);
});

test("a template with much to replace", async () => {
  await plant(server, scratch, "template", commitOf({ ".forgejo/template": "**\n", large: "$A ".repeat(5_000_000) }));
  await server.api.patch("/repos/root/template", { template: true });
  const seen = await server.during(async () => {
    const asked = { owner: "root", name: "made", git_content: true };
    expect((await server.api.post("/repos/root/template/generate", asked)).status).toBe(201);
  });
  expectUndisturbed(seen);
});

const pages = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`Page-${at}-of-many-${"x".repeat(100)}.md`, `${at}`]));

test.each([
  [10_000, 200],
  [10_001, 413],
])("a wiki of %d pages", async (count, status) => {
  const name = `wiki-${count}`;
  const address = await server.server.repository(name);
  const path = await makeBare(scratch, `${name}-pages`, commitOf(pages(count)));
  await mustGit(path, ["push", "-q", address.replace(/(\.git)?$/, ".wiki.git"), "main:main"]);
  expect(await askBeside(`/api/v1/repos/root/${name}/wiki/pages`)).toEqual(all(status));
  const file = encodeURIComponent(Object.keys(pages(1))[0]!);
  expect(await askBeside(`/api/v1/repos/root/${name}/wiki/page/${file}`)).toEqual(all(status));
  expect(await askBeside(`/root/${name}/wiki/_pages`)).toEqual(all(status));
});
