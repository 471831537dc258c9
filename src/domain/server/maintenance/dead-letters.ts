import { deleteDeadLetter, retryDeadLetter } from "../../../queue/queries.ts";
import type { Doer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";

/** Tries a job again that failed for good, or deletes it. Throws NotFound where there is no such one. */
export async function settleDeadLetter(forge: Forge, doer: Doer, id: number, how: "retry" | "delete"): Promise<void> {
  const act = how === "retry" ? retryDeadLetter : deleteDeadLetter;
  if (!(await forge.change(doer, (work) => act(work.tx, id)))) {
    throw new NotFound("job that failed for good", String(id));
  }
  forge.pulse.ring();
}
