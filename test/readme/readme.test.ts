import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Scratch } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";
import { createUser } from "../../src/domain/users/create-user.ts";
import packageFile from "../../package.json";
import { withSettingsTable } from "./settings-table.ts";
import { serverDoer } from "../../src/domain/doer.ts";

/** What the README says is run, or compared with the thing itself. */

const root = join(import.meta.dir, "../..");
const readme = await Bun.file(join(root, "README.md")).text();
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

test("the table of settings is the one the settings make", () => {
  expect(withSettingsTable(readme)).toBe(readme);
});

test("every document it names is there", () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)]
    .map((match) => match[1] ?? "")
    .filter((link) => !link.startsWith("http"));
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});

test("every script it runs is one of the package", () => {
  const scripts = [...readme.matchAll(/bun(?:@[\d.]+)? run ([\w:]+)/g)].map((match) => match[1] ?? "");
  expect(scripts.length).toBeGreaterThan(4);
  expect(scripts.filter((name) => !(name in packageFile.scripts))).toEqual([]);
});

describe("the tour", () => {
  test("does what it says, line by line", async () => {
    const app = await useTestApp();
    const [start = "", tour = ""] = blocks.filter(
      (block) => block.includes("STITHY_ADMIN_USER") || block.includes("FORGE="),
    );
    const [, username = "", password = ""] = start.match(/STITHY_ADMIN_USER=(\S+) STITHY_ADMIN_PASSWORD=(\S+)/) ?? [];
    await app.forge.change(serverDoer("test"), (work) => createUser(work, { username, password, isAdmin: true }, 8));
    using scratch = new Scratch();
    const lines = tour.replaceAll("http://127.0.0.1:3000", app.url).replaceAll("127.0.0.1:3000", new URL(app.url).host);
    expect(lines).not.toBe(tour);
    const shell = Bun.spawn(["bash", "-euo", "pipefail", "-c", lines], {
      cwd: scratch.path,
      env: { PATH: process.env["PATH"], HOME: scratch.path, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors, code] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited]);
    expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
    expect(output).toContain('"full_name":"smith/tour"');
    expect(output).toContain("First commit");
    expect(output).toContain("# Tour");
    expect(await Bun.file(scratch.join("tour-clone/README.md")).text()).toBe("# Tour\n");
  });
});
