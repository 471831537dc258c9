import type { HookSource } from "../../db/schema/hooks.ts";
import type { HookEventRow } from "../../domain/hooks/delivery-queries.ts";
import type { Forge } from "../../domain/forge.ts";
import { issuePayload, commentPayload } from "./issues.ts";
import { packagePayload } from "./packages.ts";
import { prepareRefPayloads } from "./refs.ts";
import { forkPayload, releasePayload, repositoryPayload, statusPayload, wikiPayload } from "./repositories.ts";
import { readAbout, type About } from "./sources.ts";

type Make = (about: About, event: HookEventRow) => unknown;

/** Payloads by what the event's kind begins with. */
const byNoun: Readonly<Record<string, Make>> = {
  issue: issuePayload,
  pull: issuePayload,
  review: issuePayload,
  comment: commentPayload,
  release: releasePayload,
  repository: repositoryPayload,
  wiki: wikiPayload,
};

/**
 * Prepares the making of payloads: from a stored event, the JSON that hooks get; null when there is nothing left to tell of. They
 * have the fields of the family's payloads, and their objects are those of the API, as a stranger with all rights in the repository
 * would see them.
 */
export function preparePayloads(forge: Forge): (event: HookEventRow) => Promise<string | null> {
  const refs = prepareRefPayloads(forge);
  const make: Make = (about, event) => {
    switch (about.source.kind) {
      case "refs.moved":
        return refs.moved(about, event.type);
      case "hook.tested":
        return refs.tested(about);
      case "repository.forked":
        return forkPayload(about);
      case "status.created":
        return statusPayload(about, refs.commit);
      default:
        return byNoun[about.source.kind.split(".")[0] ?? ""]?.(about, event) ?? null;
    }
  };
  const makeOf = async (source: HookSource, event: HookEventRow): Promise<unknown> => {
    if (source.kind.startsWith("package.")) {
      return packagePayload(forge, source, event.action);
    }
    const about = await readAbout(forge, source);
    return about === null ? null : make(about, event);
  };
  return async (event) => {
    const payload = event.source === null ? null : await makeOf(event.source, event);
    return payload === null || payload === undefined ? null : JSON.stringify(payload);
  };
}
