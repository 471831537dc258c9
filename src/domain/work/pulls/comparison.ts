import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { LogResult } from "../../../git/operations/log.ts";
import { clip } from "../../../lib/show-value.ts";
import type { Revision } from "../../git/refs/revisions.ts";
import { jointView } from "../../repos/forks/joint-view.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { findHead } from "./find-head.ts";

/** A side of a comparison: a branch, tag or commit of the repository, or of one that it shares its descent with. */
export interface ComparedSide {
  readonly access: RepositoryAccess;
  /** What was asked for: `name`, `owner:name` or `owner/repo:name`. */
  readonly text: string;
  readonly revision: Revision;
}

export interface Compared {
  readonly base: ComparedSide;
  readonly head: ComparedSide;
  /** `base...head`: what became of their merge base in the head; else the two themselves. */
  readonly isSymmetric: boolean;
  /** Has the objects of both. */
  readonly view: RepositoryView;
  /** The commit that the head is compared with; null: the two have no history in common. */
  readonly before: string | null;
}

/** What a range names that is not there, or not for the viewer. */
export interface MissingSide {
  readonly missing: "base" | "head";
  readonly base: string;
  readonly head: string;
}

/**
 * Reads `base...head` or `base..head`; a name alone is a head, and its base is the default branch. No name of a ref has two dots in a row
 * (git-check-ref-format(1)), so the first dots divide.
 */
function readRange(range: string): { base: string; head: string; isSymmetric: boolean } {
  const at = range.indexOf("..");
  if (at < 0) {
    return { base: "", head: range, isSymmetric: true };
  }
  const isSymmetric = range[at + 2] === ".";
  return { base: range.slice(0, at), head: range.slice(at + (isSymmetric ? 3 : 2)), isSymmetric };
}

/**
 * Finds what a range compares, for one who may read the code of the repository. Both sides may be of forks. An empty side is the default
 * branch.
 */
export async function findComparison(
  forge: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  range: string,
  signal?: AbortSignal,
): Promise<Compared | MissingSide> {
  const asked = readRange(range);
  const { isSymmetric } = asked;
  const [base, head] = await Promise.all([
    findSide(forge, viewer, access, asked.base),
    findSide(forge, viewer, access, asked.head),
  ]);
  if (base === null || head === null) {
    const missing = base === null ? "base" : "head";
    return { missing, base: asked.base || access.repository.defaultBranch, head: asked.head };
  }
  const view =
    base.access.repository.id === head.access.repository.id
      ? head.revision.view
      : jointView(head.revision.view, base.revision.view);
  const commits = [base.revision.commit, head.revision.commit];
  const [before = null] = isSymmetric
    ? await forge.git.engine.call(view, "mergeBases", { commits, mode: "all" }, signal)
    : [base.revision.commit];
  return { base, head, isSymmetric, view, before };
}

async function findSide(
  forge: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  text: string,
): Promise<ComparedSide | null> {
  try {
    const found = await findHead(forge.database.db, viewer, access, text);
    const revision =
      found.access.units.code < accessModes.read
        ? null
        : await forge.git.revisions.find(found.access.repository, found.branch);
    return revision === null ? null : { access: found.access, text: clip(text || revision.name, 300), revision };
  } catch (error) {
    if (error instanceof NotFound) {
      return null;
    }
    throw error;
  }
}

/** The commits that the head has and the base has not, the latest first; the total counts all. */
export async function listCompared(
  { git }: Forge,
  { view, base, head }: Compared,
  limit: number,
  signal?: AbortSignal,
): Promise<LogResult & { total: number }> {
  const args = { paths: [], skip: 0, limit, count: true, files: false, stats: false };
  const sides = { tips: [head.revision.commit], not: [base.revision.commit] };
  const { commits, total } = await git.commits.log(view, { ...sides, ...args }, signal);
  return { commits, total: total ?? commits.length };
}
