import { join } from "node:path";

/** The checkout that these benchmarks belong to. */
export const projectDirectory = join(import.meta.dir, "..", "..");

/** Where histories and generated repositories are kept between runs. */
export const cacheDirectory = process.env["XDG_CACHE_HOME"]
  ? join(process.env["XDG_CACHE_HOME"], "stithy-histories")
  : join(projectDirectory, ".cache", "histories");

/** A folder with bare repositories of the user's own choice, or null. */
export const historiesFolder = process.env["STITHY_HISTORIES"] ?? null;

/**
 * The environment of every program that a benchmark starts, with `overrides` on top: git sees one fixed
 * configuration instead of the user's, and never asks anything.
 */
export function childEnvironment(overrides: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith("GIT_") && !name.startsWith("STITHY_") && name !== "DATABASE_URL")
      environment[name] = value;
  }
  return {
    ...environment,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: join(import.meta.dir, "gitconfig"),
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
    ...overrides,
  };
}
