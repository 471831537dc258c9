import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { expectFailure, expectSentence } from "../support/failed-command.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, commandLine, runStithy, runsSource, typedProgram } from "../support/stithy.ts";

const program = basename(commandLine.at(-1) ?? "");

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
const data = ["--data", directory.join("data")];
afterAll(() => directory[Symbol.dispose]());

describe("without a server", () => {
  test("every command has help with examples", async () => {
    const commands = [
      ["serve"],
      ["admin", "create-user"],
      ["admin", "reset-password"],
      ["admin", "create-token"],
      ["admin", "add-key"],
      ["admin", "enroll-2fa"],
      ["admin", "disable-2fa"],
      ["admin", "list-users"],
      ["admin", "suspend-user"],
      ["admin", "delete-user"],
      ["admin", "verify-email"],
      ["admin", "seed"],
      ["admin", "adopt-directory"],
      ["admin", "remove-unknown-files"],
      ["migrate"],
      ["doctor"],
      ["repo", "export"],
      ["repo", "import"],
      ["repo", "fsck"],
      ["repo", "repack"],
      ["repo", "stats"],
      ["version"],
    ];
    const runs = await Promise.all(commands.map((command) => runStithy([...command, "--help"])));
    for (const [index, run] of runs.entries()) {
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(run.stdout).toContain(`${program} ${commands[index]?.join(" ")}`);
      const [, example = ""] = /Examples:\n  (.*)\n/.exec(run.stdout) ?? [];
      expect(example).toStartWith(`${typedProgram()} `);
    }
  });

  test("version says what it is", async () => {
    const { code, stdout } = await runStithy(["version", "--json"]);
    expect(code).toBe(0);
    const { commit, ...others } = JSON.parse(stdout) as Record<string, unknown>;
    expect(others).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      bun: Bun.version,
      platform: `${process.platform}-${process.arch}`,
    });
    // The executable knows what it was built from, if that was a repository.
    expect(String(commit)).toMatch(runsSource ? /^null$/ : /^([0-9a-f]{40}|null)$/);
  });

  test("a wrong command line ends with 2", async () => {
    const wrong = [
      ["serve", "--nope"],
      ["serve", "--port", "65536"],
      ["serve", "--seed", "{}"],
      ["serve", "--ephemeral", ...data],
      ["nope"],
      [],
      ["admin", "create-user", "a", "--password", "x", "--password-stdin"],
      ["repo", "export", "noslash", "/tmp/x"],
      ["repo", "fsck", ...data],
      ["repo", "repack", "a/b", "--all", ...data],
      ["admin", "create-token", "a", "--name", "t", "--scopes", "all", "--expires", "tomorrow"],
    ];
    const runs = await Promise.all(wrong.map((args) => runStithy(args)));
    expect(runs.map((run) => run.code)).toEqual(wrong.map(() => 2));
    expect(runs.filter((run) => run.stderr.trim() === "")).toEqual([]);
  });

  test("a wrong configuration ends with 2 and all its problems", async () => {
    const env = {
      STITHY_SERVER__PORT: "high",
      STITHY_SERVER__HOSTT: "x",
      STITHY_ADMIN_PASSWORD: "geheim-geheim",
    };
    for (const command of [
      ["serve", ...data],
      ["doctor", ...data],
    ]) {
      const { code, stdout, stderr } = await runStithy(command, { env });
      const said = stdout + stderr;
      expect(code).toBe(command[0] === "serve" ? 2 : 1);
      expect(said).toContain("server.port must be integer");
      expect(said).toContain("server.hostt is not a setting");
      expect(said).toContain("STITHY_ADMIN_USER is not");
      expect(said).not.toContain("geheim");
      expectSentence(stderr);
    }
  });

  test("repo import says of a URL that it takes none, before it opens a database", async () => {
    for (const source of ["https://example.org/a.git", "ssh://git@example.org/a.git", "git@example.org:a.git"]) {
      expectFailure(await runStithy(["repo", "import", source, "alice/a", ...data]), 2, `"${source}" is a URL`);
    }
    expect(existsSync(directory.join("data"))).toBe(false);
  });

  test("a database or a directory that is not to be had is said in a sentence", async () => {
    writeFileSync(directory.join("file"), "");
    const [refused, unknown, blocked] = await Promise.all([
      runStithy(["serve", "--port", "0", ...data], { env: { DATABASE_URL: "postgres://u:geheim@127.0.0.1:1/db" } }),
      runStithy(["migrate", ...data], { env: { DATABASE_URL: "mysql://127.0.0.1/db" } }),
      runStithy(["serve", "--port", "0", "--data", directory.join("file", "below")]),
    ]);
    expectFailure(refused, 1, "The database cannot be reached");
    expectFailure(unknown, 2, "postgres://");
    expectFailure(blocked, 1, directory.join("file"));
    expect(refused.stderr).not.toContain("geheim");
  });
});
