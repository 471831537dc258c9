import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ApiClient } from "../support/client.ts";
import { OpenDirectory, StithyProcess, runStithy } from "../support/stithy.ts";
import { until } from "../support/until.ts";
import { tourInBrowser } from "./browser-tour.ts";
import packageFile from "../../package.json";
import { withSettingsTable } from "./settings-table.ts";

/** What the README says is run, or compared with the thing itself. */

const root = join(import.meta.dir, "../..");
const readme = await Bun.file(join(root, "README.md")).text();
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

test("the tables of settings are those the settings make", async () => {
  const text = await Bun.file(join(root, "docs/configuration.md")).text();
  expect(withSettingsTable(text)).toBe(text);
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

/** The server that the tour starts, on free ports and in a directory of the test. */
function startTour(start: string, directory: string): StithyProcess {
  const [, username = "", password = ""] = start.match(/STITHY_ADMIN_USER=(\S+) STITHY_ADMIN_PASSWORD=(\S+)/) ?? [];
  const [, options = ""] = start.match(/run start (.+)/) ?? [];
  const args = options.split(" ").map((option) => option.replace(/^\/tmp\/.*/, directory));
  expect(args).toContain(directory);
  const env = { STITHY_ADMIN_USER: username, STITHY_ADMIN_PASSWORD: password };
  return new StithyProcess(["serve", ...args, "--port", "0"], { env });
}

describe("the tour", () => {
  const start = blocks.find((block) => block.includes("STITHY_ADMIN_USER")) ?? "";
  const [, section = ""] = readme.match(/### In a browser\n([\s\S]*?)\n## /) ?? [];
  // The second block goes on in the shell of the first.
  const tour = blocks.filter((block) => block.includes("$FORGE")).join("\n");

  test("does what it says, line by line, in a fresh directory", async () => {
    using directory = new OpenDirectory();
    await using server = startTour(start, directory.join("data"));
    const url = String((await server.logged("Listening"))["url"]);
    const lines = tour.replaceAll("http://127.0.0.1:3000", url).replaceAll("127.0.0.1:3000", new URL(url).host);
    expect(lines).not.toBe(tour);
    const scratch = directory.join("work");
    mkdirSync(scratch);
    const shell = Bun.spawn(["bash", "-euo", "pipefail", "-c", lines], {
      cwd: scratch,
      env: { PATH: process.env["PATH"], HOME: scratch, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors, code] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited]);
    expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
    expect(output).toContain('"full_name":"smith/tour"');
    expect(output).toContain("First commit");
    expect(output).toContain("# Tour");
    // The message of the merged commit closes the issue, in the background.
    const closed = async () =>
      (await new ApiClient(url).get<{ state: string }>("/repos/smith/tour/issues/1")).body.state === "closed";
    await until("the issue is closed", closed);
    expect(await Bun.file(`${scratch}/tour-clone/README.md`).text()).toBe("# Tour\nMore to come.\n");
    await tourInBrowser(url, section);
  });

  test("says in a directory that has an administrator how to make its own", async () => {
    using directory = new OpenDirectory();
    const data = directory.join("data");
    await using before = new StithyProcess(["serve", "--data", data, "--port", "0"]);
    await before.logged("Listening");
    expect(await before.stop()).toBe(0);
    await using server = startTour(start, data);
    await server.logged("Listening");
    const [, command = ""] = /(admin create-user [^"\\]*)/.exec(server.stderr) ?? [];
    const args = command.split(" ");
    expect(args.slice(0, 4)).toEqual(["admin", "create-user", "smith", "--admin"]);
    const made = await runStithy([...args, "--password-stdin"], { input: "hammer-and-tongs\n" });
    expect(made).toMatchObject({ code: 0 });
  });
});
