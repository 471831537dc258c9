import { expect } from "bun:test";
import { mustGit, runGit, type Scratch } from "../support/git.ts";
import type { BesideServer } from "./beside.ts";

/** Repositories out of what git fast-import reads. */

export const person = "Ada <ada@example.org> 1767323045 +0000";

/** A text as git fast-import reads it. */
export const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** A commit on `main`; `rest`: what stands behind its message. */
export const commit = (message: string, rest = ""): string =>
  `commit refs/heads/main\ncommitter ${person}\n${data(message)}${rest}\n`;

/** A commit on `main` that changes these files, given by their paths. */
export const commitOf = (files: Readonly<Record<string, string>>, message = "m"): string =>
  commit(
    message,
    Object.entries(files)
      .map(([path, content]) => `M 100644 inline ${path}\n${data(content)}`)
      .join(""),
  );

/** Makes a bare repository on disk. Returns its path. */
export async function makeBare(scratch: Scratch, name: string, stream: string): Promise<string> {
  const path = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "--bare", "-b", "main", path]);
  expect(await runGit(path, ["fast-import", "--quiet", "--force"], { input: stream })).toMatchObject({ code: 0 });
  return path;
}

/** Makes a repository of `root`, and a bare one of the same content on disk. Returns the address of the first. */
export async function plant({ server }: BesideServer, scratch: Scratch, name: string, stream: string): Promise<string> {
  const path = await makeBare(scratch, name, stream);
  const url = await server.repository(name);
  await mustGit(path, ["push", "-q", url, "refs/*:refs/*"]);
  return url;
}
