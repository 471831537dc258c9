import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { History } from "./histories.ts";
import { git, run } from "./support/run.ts";

/** What a client does with a server, in the order in which it is done. */
export const operationNames = [
  "push",
  "clone",
  "clone again",
  "clone one branch",
  "clone depth 1",
  "clone depth 1 again",
  "fetch 50 commits",
] as const;
export type OperationName = (typeof operationNames)[number];

export interface Source extends History {
  /** the branch that is cloned alone */
  branch: string;
  commits: number;
  /** "oid name" a line, branches and tags */
  refs: string;
  /** a commit of the branch that lacks its last 50 commits or a few more; null where there are no more */
  earlier: string | null;
}

const fetchedCommits = 50;

/** A history with what the operations need to know of it. */
export async function describeSource(history: History): Promise<Source> {
  const refs = await listRefs(history.path);
  const branches = [...refs.matchAll(/ refs\/heads\/(.+)$/gm)].map((match) => match[1] ?? "");
  const head = await git(history.path, "symbolic-ref", "--short", "HEAD").catch(() => "");
  const branch = branches.includes(head) ? head : branches[0];
  if (branch === undefined) throw new Error(`"${history.path}" has no branch to push`);
  const commits = Number(await git(history.path, "rev-list", "--count", "--branches", "--tags"));
  return { ...history, branch, commits, refs, earlier: await findEarlier(history.path, branch) };
}

/**
 * The same history with one more tag, so that its pack is one that a server has not seen: pushed again to the letter, it
 * would be the same file, of which a server that runs on may remember something. Objects are read where they lie.
 */
export async function retold(source: Source, scratch: string): Promise<Source> {
  const path = join(scratch, `retold-${source.name}-${crypto.randomUUID()}.git`);
  const objects = await git(source.path, "rev-parse", "--path-format=absolute", "--git-path", "objects");
  const format = await git(source.path, "rev-parse", "--show-object-format");
  await git(
    scratch,
    "init",
    "--quiet",
    "--bare",
    `--object-format=${format}`,
    `--initial-branch=${source.branch}`,
    path,
  );
  await writeFile(join(path, "objects/info/alternates"), `${objects}\n`);
  await git(path, "fetch", "--quiet", source.path, "refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*");
  const who = ["-c", "user.name=Benchmark", "-c", "user.email=benchmark@localhost"];
  await git(
    path,
    ...who,
    "tag",
    "--annotate",
    "--message",
    crypto.randomUUID(),
    "this-push",
    `refs/heads/${source.branch}`,
  );
  return { ...source, path, refs: await listRefs(path) };
}

/** The operations that a history is long enough for. */
export function operationsOf(source: Source): OperationName[] {
  return operationNames.filter((name) => name !== "fetch 50 commits" || source.earlier !== null);
}

/**
 * Does one operation with the real git client over protocol 2; wall time in milliseconds.
 * A full clone is compared with the source before it is thrown away.
 */
export async function operate(
  operation: OperationName,
  source: Source,
  url: string,
  scratch: string,
  config: readonly string[] = [],
): Promise<number> {
  const client = ["git", "-c", "protocol.version=2", ...config.flatMap((each) => ["-c", each])];
  if (operation === "push") {
    const push = ["push", "--quiet", url, "refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*"];
    return (await run([...client, "-C", source.path, ...push])).wallMs;
  }
  const copy = join(scratch, "clone.git");
  try {
    if (operation === "fetch 50 commits") {
      await cp(await earlierClone(source, scratch), copy, { recursive: true });
      return (
        await run([
          ...client,
          "-C",
          copy,
          "fetch",
          "--quiet",
          "--no-tags",
          url,
          `refs/heads/${source.branch}:refs/heads/${source.branch}`,
        ])
      ).wallMs;
    }
    const shallow = ["--bare", "--depth", "1", "--no-tags", "--branch", source.branch];
    const options = {
      clone: ["--mirror"],
      "clone again": ["--mirror"],
      "clone one branch": ["--bare", "--single-branch", "--no-tags", "--branch", source.branch],
      "clone depth 1": shallow,
      "clone depth 1 again": shallow,
    }[operation];
    const { wallMs } = await run([...client, "clone", "--quiet", ...options, url, copy]);
    if (operation === "clone" && (await listRefs(copy)) !== source.refs) {
      throw new Error(`The clone of "${source.name}" does not have the branches and tags that were pushed`);
    }
    return wallMs;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** A clone of the branch as it was at `source.earlier`, with no object of what came later; made once. */
async function earlierClone(source: Source, scratch: string): Promise<string> {
  const path = join(scratch, `earlier-${source.name}.git`);
  if (!(await Bun.file(join(path, "HEAD")).exists())) {
    await git(
      scratch,
      "clone",
      "--quiet",
      "--bare",
      "--no-local",
      "--single-branch",
      "--no-tags",
      "--branch",
      source.branch,
      source.path,
      path,
    );
    await git(path, "update-ref", `refs/heads/${source.branch}`, source.earlier ?? "HEAD");
    await git(path, "repack", "-adq");
  }
  return path;
}

async function findEarlier(path: string, branch: string): Promise<string | null> {
  const line = (
    await git(path, "rev-list", "--first-parent", "-n", String(fetchedCommits + 1), `refs/heads/${branch}`)
  ).split("\n");
  // Merges bring more than one commit each.
  for (const commit of line.slice(1)) {
    if (Number(await git(path, "rev-list", "--count", `${commit}..refs/heads/${branch}`)) >= fetchedCommits)
      return commit;
  }
  return null;
}

async function listRefs(path: string): Promise<string> {
  return git(path, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags");
}
