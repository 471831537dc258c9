import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { ApiClient } from "../support/client.ts";
import { mustGit } from "../support/git.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, StithyProcess, runStithy } from "../support/stithy.ts";

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
const data = ["--data", directory.join("data")];
let server: StithyProcess;
let url = "";

beforeAll(async () => {
  server = new StithyProcess(["serve", ...data, "--port", "0"]);
  url = String((await server.logged("Listening"))["url"]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

test("a file is seeded into a server that runs, from its directory, and again", async () => {
  const work = directory.join("work");
  await mustGit(directory.path, ["init", "-q", "-b", "trunk", work]);
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "Bundled"]);
  await mustGit(work, ["bundle", "create", "-q", "all.bundle", "--all"]);
  const seed = {
    users: [
      {
        username: "ann",
        tokens: [
          { name: "made", scopes: ["all"] },
          { name: "given", value: "a-value", scopes: ["all"] },
        ],
      },
    ],
    repositories: [
      { owner: "ann", name: "demo", commits: [{ message: "First", files: { file: "text" } }] },
      { owner: "ann", name: "bundled", bundle: "work/all.bundle" },
    ],
    issues: [{ repository: "ann/demo", title: "It fails", comments: [{ body: "Yes" }] }],
  };
  const file = directory.join("seed.json");
  // Written over several lines, it is one seed all the same.
  writeFileSync(file, JSON.stringify(seed, null, 2));
  const first = await runStithy(["admin", "seed", file, ...data]);
  expect(first).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^ann made sty_[0-9a-f]{40}\n$/),
    stderr: "Made 1 users, 2 repositories, 1 issues, 1 comments\n",
  });
  for (const token of ["a-value", first.stdout.trim().split(" ")[2] ?? ""]) {
    const ann = new ApiClient(url, { authorization: `token ${token}` });
    expect((await ann.get("/user")).body).toMatchObject({ login: "ann" });
    expect((await ann.get("/repos/ann/demo/issues/1")).body).toMatchObject({ title: "It fails", comments: 1 });
  }
  for (const [name, text] of [
    ["demo", "First"],
    ["bundled", "Bundled"],
  ] as const) {
    await mustGit(directory.path, ["clone", "-q", `${url}/ann/${name}.git`, `clone-${name}`]);
    expect(await mustGit(directory.join(`clone-${name}`), ["log", "--format=%s"])).toBe(text);
  }
  const again = await runStithy(["admin", "seed", file, "--json", ...data]);
  expect(JSON.parse(again.stdout)).toMatchObject({
    made: { users: 0, repositories: 0, issues: 0, comments: 0 },
    skipped: { users: 1, repositories: 2, issues: 1, comments: 1 },
  });
});

test("a wrong file ends with 2 and its places, and changes nothing", async () => {
  const file = directory.join("wrong.jsonl");
  writeFileSync(file, '{"users":[{"username":"zoe"}]}\n\n{"issues":[{"repository":"ann/demo"}]}\n');
  const wrong = await runStithy(["admin", "seed", file, ...data]);
  expect(wrong).toEqual({
    code: 2,
    stdout: "",
    stderr: "stithy: The seed is not valid:\n  - line 3: issues[0].title: it is missing\n",
  });
  expect((await new ApiClient(url).get("/users/zoe")).status).toBe(404);
  const absent = await runStithy(["admin", "seed", directory.join("absent.json"), ...data]);
  expect(absent).toMatchObject({ code: 2, stdout: "" });
  expect(absent.stderr).toContain("absent.json cannot be read");
});
