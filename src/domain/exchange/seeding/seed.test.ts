import { describe, expect, test } from "bun:test";
import { checkSeed } from "./check-seed.ts";
import { readSeed } from "./read-seed.ts";
import { defaultSeed } from "./seed.ts";
import { SeedError } from "./seed-error.ts";

/** The problems that a seed has, none for a good one. */
async function problemsOf(seed: unknown): Promise<readonly string[]> {
  try {
    checkSeed((await readSeed(typeof seed === "string" ? seed : JSON.stringify(seed))).seed, 8);
    return [];
  } catch (error) {
    if (!(error instanceof SeedError)) {
      throw error;
    }
    return error.problems;
  }
}

describe("a seed", () => {
  test("may be empty, and the default one is good", async () => {
    expect(await problemsOf({})).toEqual([]);
    expect(await problemsOf(defaultSeed)).toEqual([]);
  });

  test("of the wrong shape has a place for each problem", async () => {
    const seed = {
      users: [{ username: "a", passwort: "x" }, { tokens: [{ name: "", scopes: ["all"] }] }],
      repositories: [{ owner: 1, name: "r", commits: [{ message: "m", files: { f: 1 } }] }],
      more: 1,
    };
    expect((await problemsOf(seed)).map((problem) => problem.split(":")[0])).toEqual(
      expect.arrayContaining([
        "users[0].passwort",
        "users[1].username",
        "users[1].tokens[0].name",
        "repositories[0].owner",
        "repositories[0].commits[0].files.f",
        "more",
      ]),
    );
  });

  test("that refers to what is not there, or says something twice, says where", async () => {
    const token = { name: "t", value: "same", scopes: ["all"] };
    const seed = {
      users: [
        { username: "alice", password: "short", tokens: [token, { ...token, name: "T" }] },
        { username: "Alice", email: "nowhere", tokens: [{ name: "x", scopes: ["read:admin", "all:all"] }] },
      ],
      organizations: [{ name: "ALICE", owner: "bob" }],
      repositories: [
        { owner: "alice", name: "r" },
        { owner: "Alice", name: "R" },
        { owner: "bob", name: "..", default_branch: "a..b" },
      ],
    };
    expect((await problemsOf(seed)).map((problem) => problem.split(":")[0])).toEqual([
      "users[0].password",
      "users[0].tokens[1].name",
      "users[0].tokens[1].value",
      "users[1].username",
      "users[1].email",
      "users[1].tokens[0].scopes",
      "organizations[0].name",
      "organizations[0].owner",
      "repositories[1].name",
      "repositories[2].name",
      "repositories[2].owner",
      "repositories[2].default_branch",
    ]);
  });

  test("that cannot be read says so", async () => {
    expect((await problemsOf("{")).join()).toContain("is not JSON");
    expect((await problemsOf("/nowhere/seed.json")).join()).toContain("/nowhere/seed.json cannot be read");
  });
});
