import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/env.ts";

/** Clients that are no dependencies of this project: a test that drives one installs its pinned version, once for each cache directory. */

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, env: process.env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) {
    throw new Error(`${command.join(" ")} ended with ${code}: ${stderr.slice(-4000)}${stdout.slice(-4000)}`);
  }
}

/** Installs into a directory beside, which gets its name when it is complete. Another process may do the same at this moment. */
async function installed(name: string, install: (directory: string) => Promise<void>): Promise<string> {
  const place = join(loadConfig(readEnvironment()).cacheDirectory, "test-clients", name);
  if (!existsSync(place)) {
    const beside = `${place}-${process.pid}`;
    await rm(beside, { recursive: true, force: true });
    await mkdir(beside, { recursive: true });
    await install(beside);
    await rename(beside, place).catch(async (error: unknown) => {
      await rm(beside, { recursive: true, force: true });
      if (!existsSync(place)) {
        throw error;
      }
    });
  }
  return place;
}

/** A package of npm with its dependencies, without their scripts. Returns the path of its program. */
export async function npmClient(name: string, version: string): Promise<string> {
  const options = ["--no-audit", "--no-fund", "--omit=dev", "--ignore-scripts", "--loglevel=error"];
  const place = await installed(`${name}-${version}`, async (directory) => {
    await Bun.write(join(directory, "package.json"), "{}");
    await run(["npm", "install", ...options, `${name}@${version}`], directory);
  });
  return join(place, "node_modules", ".bin", name);
}

/** Packages of PyPI, as `name==version`. Returns the directory that PYTHONPATH names. */
export async function pythonClient(...packages: string[]): Promise<string> {
  return installed(packages.join("-").replaceAll("==", "-"), (directory) =>
    run(
      ["python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", directory, ...packages],
      "/",
    ),
  );
}
