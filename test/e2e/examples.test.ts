import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/** The examples of a test suite are run as they stand in the documents. */

const root = join(import.meta.dir, "../..");
const documents = ["README.md", "docs/testing.md"];
const text = (await Promise.all(documents.map((name) => Bun.file(join(root, name)).text()))).join("\n");

describe("the example of a test suite", () => {
  const examples = [
    { language: "ts", file: "forge.test.ts", command: ["bun", "test", "forge.test.ts"], says: "1 pass" },
    { language: "python", file: "test_forge.py", command: ["python3", "-m", "unittest", "test_forge.py"], says: "OK" },
    { language: "go", file: "forge_test.go", command: ["go", "test", "forge_test.go"], says: "ok" },
  ];

  interface Example {
    language: string;
    file: string;
    command: string[];
  }

  /** Runs an example in a directory, with this script as the executable; null where its program is missing. */
  async function runExample({ language, file, command }: Example, directory: OpenDirectory, script: string) {
    const [program = ""] = command;
    if (Bun.which(program) === null) {
      console.log(`LEFT OUT: the example in ${language}, because ${program} is not installed`);
      return null;
    }
    const programs = directory.join("bin");
    mkdirSync(programs);
    writeFileSync(join(programs, "stithy"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const [, example = ""] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
    writeFileSync(directory.join(file), example);
    const run = Bun.spawn(program === "bun" ? [process.execPath, ...command.slice(1)] : command, {
      cwd: directory.path,
      env: { ...process.env, PATH: `${programs}:${process.env["PATH"]}` },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
    return { code, said: output + errors };
  }

  test.each(examples)("in $language passes, and is left with no server", async (example) => {
    expect(text).toContain(`\`${example.command.join(" ")}\``);
    using directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
    // The executable of the example, from source.
    const main = join(root, "src/main.ts");
    const script = `echo $$ >> "${directory.path}/pids"\nexec "${process.execPath}" "${main}" "$@"`;
    const ran = await runExample(example, directory, script);
    if (ran !== null) {
      expect(ran).toEqual({ code: 0, said: expect.stringContaining(example.says) as never });
      const pids = readFileSync(directory.join("pids"), "utf8").trim().split("\n").map(Number);
      expect(pids).toHaveLength(1);
      await until("the server has ended", () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
    }
  });

  test.each(examples)("in $language shows why a server did not start", async (example) => {
    using directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
    const ran = await runExample(example, directory, "echo 'stithy: this is why' >&2\nexit 1");
    if (ran !== null) {
      expect(ran.code).not.toBe(0);
      expect(ran.said).toContain("stithy: this is why");
    }
  });
});
