import { Type, type Static } from "typebox";
import { fits, orNull } from "../../lib/schema.ts";
import type { Doer } from "./doer.ts";
import { readEvent, type Event } from "./events.ts";
import type { NewOutboxRow, OutboxRow } from "../server/outbox/queries.ts";

/** A row of the outbox: an event, who did it, and what it is about. */

/** A push may move a hundred thousand refs. A row has this many, and how many there were (`total`). */
const maxRefs = 1000;

/** A doer as receivers get it: who, and by what; no secret and nothing that changes. */
const ToldDoer = Type.Union([
  Type.Object({ kind: Type.Literal("user"), id: Type.Integer(), name: Type.String(), credential: Type.String() }),
  Type.Object({ kind: Type.Literal("deploy-key"), id: orNull(Type.Integer()) }),
  Type.Object({ kind: Type.Literal("application"), id: Type.Integer(), name: Type.String() }),
  Type.Object({
    kind: Type.Literal("server"),
    reason: Type.String(),
    id: orNull(Type.Integer()),
    name: orNull(Type.String()),
  }),
  Type.Object({ kind: Type.Literal("nobody") }),
]);
export type ToldDoer = Static<typeof ToldDoer>;

/** An event with its doer. */
export interface ToldEvent {
  readonly doer: ToldDoer;
  readonly event: Event;
}

/** An event as receivers get it. */
export interface OutboxEvent extends ToldEvent, Pick<OutboxRow, "id" | "at" | "ownerId" | "repositoryId"> {}

export function writeOutboxRow(doer: Doer, event: Event): NewOutboxRow {
  const { kind, ...fields } = event;
  const payload =
    "refs" in event ? { ...fields, refs: event.refs.slice(0, maxRefs), total: event.refs.length } : fields;
  const repository = "repository" in event ? event.repository : null;
  const owner = repository?.owner ?? ("owner" in event ? event.owner : null);
  return {
    kind,
    payload: wellFormed(payload),
    doer: wellFormed(describeDoer(doer)),
    ownerId: owner?.id ?? null,
    repositoryId: repository?.id ?? null,
  };
}

/** null for a row that another version of the server has written, and this one cannot read. */
export function readOutboxRow({ kind, payload, doer, ...row }: OutboxRow): OutboxEvent | null {
  const told = readTold({ kind, event: payload, doer });
  return told === null ? null : { ...told, ...row };
}

/** Reads an event and its doer from the JSON of a row; null if this version of the server cannot. */
export function readTold({
  kind,
  event: fields,
  doer,
}: {
  kind: string;
  event: unknown;
  doer: unknown;
}): ToldEvent | null {
  const event = readEvent(kind, fields);
  return event !== null && fits(ToldDoer, doer) ? { event, doer } : null;
}

/** `jsonb` refuses half a surrogate pair, which a column of text stores as U+FFFD: the event reads as the row does. */
function wellFormed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "string" ? one.toWellFormed() : one))) as Value;
}

function describeDoer(doer: Doer): ToldDoer {
  switch (doer.kind) {
    case "user":
      return { kind: "user", id: doer.actor.id, name: doer.actor.name, credential: doer.credential.kind };
    case "deploy-key":
      return { kind: "deploy-key", id: doer.credential.deployKeyId };
    case "application":
      return { kind: "application", id: doer.application.id, name: doer.application.name };
    case "server":
      return { kind: "server", reason: doer.reason, id: doer.actor?.id ?? null, name: doer.actor?.name ?? null };
    case "nobody":
      return { kind: "nobody" };
  }
}
