import type { HookSource } from "../../db/schema/hooks.ts";
import type { HookEventRow } from "../../domain/hooks/delivery-queries.ts";
import type { HeardKind } from "../../domain/hooks/describe-event.ts";
import type { Forge } from "../../domain/forge.ts";
import { issuePayload, commentPayload } from "./issues.ts";
import { packagePayload } from "./packages.ts";
import { prepareRefPayloads } from "./refs.ts";
import { forkPayload, releasePayload, repositoryPayload, statusPayload, wikiPayload } from "./repositories.ts";
import { readAbout, type About } from "./sources.ts";

type Make = (about: About, event: HookEventRow) => unknown;

type NounOf<Kind> = Kind extends `${infer Noun}.${string}` ? Noun : never;
/** The nouns of events that have payloads: the kind begins with one of them. */
type Noun = NounOf<HeardKind | "hook.tested">;

/**
 * Prepares the making of payloads: from a stored event, the JSON that hooks get; null when there is nothing left to tell of. They
 * have the fields of the family's payloads, and their objects are those of the API, as a stranger with all rights in the repository
 * would see them. Whatever else goes wrong is thrown.
 */
export function preparePayloads(forge: Forge): (event: HookEventRow) => Promise<string | null> {
  const refs = prepareRefPayloads(forge);
  const byNoun: Readonly<Record<Exclude<Noun, "package">, Make>> = {
    issue: issuePayload,
    pull: issuePayload,
    review: issuePayload,
    comment: commentPayload,
    release: releasePayload,
    repository: (about, event) =>
      about.source.kind === "repository.forked" ? forkPayload(about) : repositoryPayload(about, event),
    wiki: wikiPayload,
    refs: (about, { type }) => refs.moved(about, type),
    hook: (about) => refs.tested(about),
    status: (about) => statusPayload(about, refs.commit),
  };
  const makers: ReadonlyMap<string, Make> = new Map(Object.entries(byNoun));
  const makeOf = async (source: HookSource, event: HookEventRow): Promise<unknown> => {
    const [noun = ""] = source.kind.split(".");
    if (noun === "package") {
      return packagePayload(forge, source, event.action);
    }
    const make = makers.get(noun);
    if (make === undefined) {
      throw new Error(`Nothing makes the payload of an event "${source.kind}"`);
    }
    const about = await readAbout(forge, source);
    return about === null ? null : make(about, event);
  };
  return async (event) => {
    if (event.source === null) {
      throw new Error(`The event ${event.id} for webhooks has nothing to make a payload of`);
    }
    const payload = await makeOf(event.source, event);
    return payload === null ? null : JSON.stringify(payload);
  };
}
