import { rm } from "node:fs/promises";
import { join } from "node:path";
import { git, run } from "./support/run.ts";
import type { History } from "./histories.ts";

/** What a client does with a server, in the order in which it is done. */
export const operationNames = ["push", "clone", "clone again", "clone one branch", "clone depth 1"] as const;
export type OperationName = (typeof operationNames)[number];

export interface Source extends History {
  /** the branch that is cloned alone */
  branch: string;
  commits: number;
  /** "oid name" a line, branches and tags */
  refs: string;
}

/** A history with what the operations need to know of it. */
export async function describeSource(history: History): Promise<Source> {
  const refs = await listRefs(history.path);
  const branches = [...refs.matchAll(/ refs\/heads\/(.+)$/gm)].map((match) => match[1] ?? "");
  const head = await git(history.path, "symbolic-ref", "--short", "HEAD").catch(() => "");
  const branch = branches.includes(head) ? head : branches[0];
  if (branch === undefined) throw new Error(`"${history.path}" has no branch to push`);
  const commits = Number(await git(history.path, "rev-list", "--count", "--branches", "--tags"));
  return { ...history, branch, commits, refs };
}

/**
 * Does one operation with the real git client over protocol 2; wall time in milliseconds.
 * A full clone is compared with the source before it is thrown away.
 */
export async function operate(operation: OperationName, source: Source, url: string, scratch: string): Promise<number> {
  const client = ["git", "-c", "protocol.version=2"];
  if (operation === "push") {
    const push = ["push", "--quiet", url, "refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*"];
    return (await run([...client, "-C", source.path, ...push])).wallMs;
  }
  const options = {
    clone: ["--mirror"],
    "clone again": ["--mirror"],
    "clone one branch": ["--bare", "--single-branch", "--no-tags", "--branch", source.branch],
    "clone depth 1": ["--bare", "--depth", "1", "--no-tags", "--branch", source.branch],
  }[operation];
  const copy = join(scratch, "clone.git");
  try {
    const { wallMs } = await run([...client, "clone", "--quiet", ...options, url, copy]);
    if (operation === "clone" && (await listRefs(copy)) !== source.refs) {
      throw new Error(`The clone of "${source.name}" does not have the branches and tags that were pushed`);
    }
    return wallMs;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function listRefs(path: string): Promise<string> {
  return git(path, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags");
}
