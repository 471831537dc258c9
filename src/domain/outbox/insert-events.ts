import type { Transaction } from "../../db/client.ts";
import { isSeed, type Doer } from "../doer.ts";
import { outboxed, type Event } from "../events.ts";
import { insertOutboxRows, type NewOutboxRow } from "./queries.ts";

/** A push may move a hundred thousand refs: so many are told, and how many there were (`total`). */
const maxRefs = 1000;

/**
 * Writes what receivers are to hear into the outbox, in the order in which it was told: nothing of what a seed makes. Returns whether
 * there was anything.
 */
export async function insertEvents(tx: Transaction, doer: Doer, events: readonly Event[]): Promise<boolean> {
  const meant = isSeed(doer) ? [] : events.filter(({ kind }) => outboxed[kind]);
  if (meant.length > 0) {
    const who = describeDoer(doer);
    await insertOutboxRows(
      tx,
      meant.map((event) => rowOf(event, who)),
    );
  }
  return meant.length > 0;
}

function rowOf(event: Event, doer: Record<string, unknown>): NewOutboxRow {
  const { kind, ...fields } = event;
  const payload =
    "refs" in event ? { ...fields, refs: event.refs.slice(0, maxRefs), total: event.refs.length } : fields;
  const repository = "repository" in event ? event.repository : null;
  const owner = repository?.owner ?? ("owner" in event ? event.owner : "user" in event ? event.user : null);
  return {
    kind,
    payload: wellFormed(payload),
    doer: wellFormed(doer),
    ownerId: owner?.id ?? null,
    repositoryId: repository?.id ?? null,
  };
}

/** `jsonb` refuses half a surrogate pair, which a column of text stores as U+FFFD: the event reads as the row does. */
function wellFormed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "string" ? one.toWellFormed() : one))) as Value;
}

/** A doer for those who hear of it later: who, and by what; no secret and nothing that changes. */
function describeDoer(doer: Doer): Record<string, unknown> {
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
