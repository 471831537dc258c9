import type { RepositoryAccess } from "../../../auth/subject.ts";
import { clip } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { UserDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { demandEvents } from "./edit-hook.ts";
import { getHook } from "./history.ts";

/**
 * Tells a hook of the newest commit of a branch or tag, as if it had been pushed just now. `ref`: its name, whole or without what
 * stands before it; empty: the default branch. Throws NotFound for a hook, a ref, or a repository without a commit.
 */
export async function testHook(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  hookId: number,
  ref: string,
): Promise<void> {
  const repository = namedRepository(access);
  const place = { on: "repository", repository } as const;
  await getHook(forge.database.db, place, hookId);
  const wanted = ref || access.repository.defaultBranch;
  const found = await forge.git.refs.findNamed(access.repository.id, wanted);
  if (found === null) {
    throw new NotFound("ref", clip(wanted, 80));
  }
  const { name, oid } = found;
  await forge.change(doer, async (work) => {
    demandEvents(work.doer, ["push"]);
    await getHook(work.tx, place, hookId);
    work.tell({ kind: "hook.tested", repository, hookId, ref: name, oid });
  });
}
