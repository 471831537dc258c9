import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { withdraw } from "../../../queue/enqueue.ts";
import { updateRepository } from "../../repos/queries.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import { deletePullMirror } from "./queries.ts";

/** Makes a repository of its own of a pull mirror: it keeps what it has, and people push to it. Throws InvalidInput for what is no mirror. */
export async function endPullMirror(work: Work, access: Pick<RepositoryAccess, "repository" | "owner">): Promise<void> {
  const { tx } = work;
  const { id } = access.repository;
  if (!(await lockRepository(tx, id)) || !(await deletePullMirror(tx, id))) {
    throw new InvalidInput(`The repository "${access.owner.name}/${access.repository.name}" is not a mirror`);
  }
  await withdraw(tx, "pull-mirror", String(id));
  await updateRepository(tx, id, { mirror: false });
  work.tell({ kind: "repository.edited", repository: namedRepository(access), changed: ["mirror"] });
}
