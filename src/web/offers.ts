import { demandTo, isAllowed } from "../domain/spine/guard.ts";
import type { PageSpec } from "./pages.ts";
import type { Visit } from "./visit.ts";

/** Whether the visitor is offered a form: whether the guard of its page would let them. The guard and the use case decide. */
export function offers({ subject }: Visit, spec: PageSpec): boolean {
  const { may, signedIn = false, onArchived } = spec;
  return isAllowed(subject, demandTo(may, "write", [], { signedIn, onArchived }));
}
