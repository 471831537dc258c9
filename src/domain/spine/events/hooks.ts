import { Type } from "typebox";
import { event, hooked } from "./define-event.ts";
import { NamedRepository } from "./names.ts";

/** Requests to a webhook. */
export const hookEvents = {
  /** The webhook is told of the commit as if it had been pushed to `ref` just now. */
  "hook.tested": hooked(
    { repository: NamedRepository, hookId: Type.Integer(), ref: Type.String(), oid: Type.String() },
    ({ hookId }) => [{ type: "push", action: "", hookId }],
  ),
  /** A delivery is to be sent again. */
  "hook.redelivered": event({ hookId: Type.Integer(), deliveryId: Type.Integer() }),
};
