import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ConfigurationError, loadConfig } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/env.ts";
import { checkSeed } from "../../src/domain/exchange/seeding/check-seed.ts";
import { readSeed } from "../../src/domain/exchange/seeding/read-seed.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";

/** What the documents show as configuration, seeds and containers is read as a server would read it. */

const root = join(import.meta.dir, "../..");
const documents = ["README.md", ...new Glob("docs/*.md").scanSync(root)].sort();

async function blocksOf(document: string, language: string): Promise<string[]> {
  const text = await Bun.file(join(root, document)).text();
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, block = ""]) => block);
}

/** What is wrong with a configuration, apart from files of other machines. */
function problemsOf(configurationFile: string): string[] {
  try {
    loadConfig(readEnvironment({}), { configurationFile });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.problems.filter((problem) => !problem.includes("names a file that is not there"));
    }
    throw error;
  }
}

test("every configuration is valid", async () => {
  let blocks = 0;
  using directory = new OpenDirectory();
  for (const document of documents) {
    for (const block of await blocksOf(document, "toml")) {
      const file = directory.join("stithy.toml");
      writeFileSync(file, block);
      expect(problemsOf(file)).toEqual([]);
      blocks++;
    }
  }
  expect(blocks).toBeGreaterThan(2);
});

test("every seed is one", async () => {
  let seeds = 0;
  for (const document of documents) {
    const blocks = await blocksOf(document, "json");
    for (const block of blocks.filter((text) => text.includes('"users": ['))) {
      const { seed } = await readSeed(block);
      expect(() => checkSeed(seed, 8)).not.toThrow();
      seeds++;
    }
  }
  expect(seeds).toBeGreaterThan(1);
});

describe("the Dockerfile", async () => {
  const dockerfile = await Bun.file(join(root, "Dockerfile")).text();

  test("copies what the build makes, and starts it with options that there are", async () => {
    for (const target of ["bun-linux-x64", "bun-linux-arm64"]) {
      const { stdout } = Bun.spawnSync([process.execPath, "build.ts", "--target", target, "--help"], { cwd: root });
      const [, made = "nothing"] = new RegExp(`^makes (.*) for ${target}$`, "m").exec(stdout.toString()) ?? [];
      expect(dockerfile).toContain(`COPY ${made} /usr/local/bin/stithy\n`);
      expect((await Bun.file(join(root, ".dockerignore")).text()).split("\n")).toContain(`!${made}`);
    }
    const [, command = "[]"] = /^CMD (.*)$/m.exec(dockerfile) ?? [];
    const { code, stderr } = await runStithy([...(JSON.parse(command) as string[]), "--port", "none"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("A port is a number") as never });
  });

  const hasBuilder = Bun.which("docker") !== null && Bun.spawnSync(["docker", "info"]).exitCode === 0;
  const hasExecutable = await Bun.file(join(root, "dist/stithy")).exists();

  test.if(hasBuilder && hasExecutable)(
    "makes an image whose server is well",
    async () => {
      const name = `stithy-test-${crypto.randomUUID()}`;
      const docker = async (...args: string[]) => {
        const child = Bun.spawn(["docker", ...args], { cwd: root, stdout: "pipe", stderr: "pipe" });
        const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
        expect({ args, code: await child.exited, stderr }).toMatchObject({ args, code: 0 });
        return stdout.trim();
      };
      await docker("build", "-q", "-t", name, ".");
      try {
        await docker("run", "-d", "--rm", "--name", name, name);
        let said = "";
        while (!said.includes("Listening")) {
          said = (await docker("logs", name)) + Bun.spawnSync(["docker", "logs", name]).stderr.toString();
        }
        expect(await docker("exec", name, "cat", "/data/forge/first-password")).not.toBe("");
        await docker("stop", name);
      } finally {
        await docker("rmi", "-f", name);
      }
    },
    300_000,
  );
});
