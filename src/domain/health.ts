import { accessSync, constants } from "node:fs";
import type { GitEngine } from "../git/engine.ts";
import { messageOf } from "../lib/errors.ts";
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

async function check(run: () => unknown): Promise<Check> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`There was no answer within ${patienceMs} ms`)), patienceMs);
  try {
    await Promise.race([late, run()]);
    return { status: "pass" };
  } catch (error) {
    return { status: "fail", output: messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Asks everything the server needs whether it works: the database, the git workers, the data directory. */
export async function checkHealth(forge: Forge): Promise<Health> {
  const [database, git, storage] = await Promise.all([
    check(() => forge.database.sql`select 1`),
    check(() => pingGit(forge.git)),
    check(() => accessSync(forge.packDirectory, constants.W_OK)),
  ]);
  const checks = { database, git, storage };
  const status = Object.values(checks).every((one) => one.status === "pass") ? "pass" : "fail";
  return { status, checks };
}
