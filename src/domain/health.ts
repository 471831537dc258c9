import { accessSync, constants } from "node:fs";
import { describeError } from "../db/pg-errors.ts";
import type { GitEngine } from "../git/engine.ts";
import type { Forge } from "./forge.ts";

interface Check {
  status: "pass" | "fail";
  output?: string;
}

export interface Health {
  status: "pass" | "fail";
  checks: Record<string, Check>;
}

/** A repository without objects: enough to hear a worker answer. */
const nothing = { key: "health:0", format: "sha1", packs: [] } as const;

/** Resolves when a worker of the engine answers. */
export async function pingGit(git: GitEngine): Promise<void> {
  await git.call(nothing, "resolveObject", { name: "0000" });
}

/** Whoever asks wants an answer, also when the asked one has none. */
const patienceMs = 3000;

/** Anybody may ask, so what exactly is wrong, with its paths and hosts, is for the log. */
async function check(forge: Forge, name: string, run: () => unknown): Promise<Check> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`There was no answer within ${patienceMs} ms`)), patienceMs);
  try {
    await Promise.race([late, run()]);
    return { status: "pass" };
  } catch (error) {
    forge.log.warn({ check: name, ...describeError(error) }, "A health check failed");
    return { status: "fail", output: `The ${name} did not answer as it should; the server's log says why` };
  } finally {
    clearTimeout(timer);
  }
}

/** Asks everything the server needs whether it works: the database, the git workers, the data directory. */
export async function checkHealth(forge: Forge): Promise<Health> {
  const [database, git, storage] = await Promise.all([
    check(forge, "database", () => forge.database.sql`select 1`),
    check(forge, "git engine", () => pingGit(forge.git)),
    check(forge, "storage", () => accessSync(forge.packDirectory, constants.W_OK)),
  ]);
  const checks = { database, git, storage };
  const status = Object.values(checks).every((one) => one.status === "pass") ? "pass" : "fail";
  return { status, checks };
}
