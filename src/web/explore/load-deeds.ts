import type { Viewer } from "../../auth/viewer-of.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findPushedCommits } from "../../domain/work/activities/pushed-commits.ts";
import type { Deed } from "../../domain/work/activities/queries.ts";
import { findDeedSubjects } from "../../domain/work/activities/subject-queries.ts";
import type { ShownDeed } from "../parts/deed.ts";

/** Finds what is shown of deeds: the commits of pushes, and what was said. */
export async function loadDeeds(
  forge: Forge,
  viewer: Viewer,
  deeds: readonly Deed[],
  signal: AbortSignal,
): Promise<ShownDeed[]> {
  const [pushed, subjects] = await Promise.all([
    findPushedCommits(forge, deeds, signal),
    findDeedSubjects(forge.database.db, viewer, deeds),
  ]);
  return deeds.map((deed) => ({
    deed,
    pushed: pushed.get(deed.activity.id) ?? null,
    subject: subjects.get(deed.activity.id) ?? null,
  }));
}
