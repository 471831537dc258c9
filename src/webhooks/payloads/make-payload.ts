import { isHooked, type Event, type EventOf, type HookedKind } from "../../domain/spine/events.ts";
import type { NamedRepository } from "../../domain/spine/events/names.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { HookEventRow } from "../../domain/exchange/hooks/making-queries.ts";
import { readTold } from "../../domain/spine/outbox-event.ts";
import { issuePayload, commentPayload } from "./issues.ts";
import { packagePayload } from "./packages.ts";
import { prepareRefPayloads } from "./refs.ts";
import { forkPayload, releasePayload, repositoryPayload, statusPayload, wikiPayload } from "./repositories.ts";
import { readAbout, type About, type Source } from "./sources.ts";

/** Makes the payload of a kind of event; null when there is nothing left to tell of. */
type Make<Kind extends HookedKind> = (source: Source<EventOf<Kind>>) => Promise<unknown>;

/** A kind that webhooks hear of and that has no maker does not compile. */
export type PayloadMakers = { readonly [Kind in HookedKind]: Make<Kind> };

/** A maker for events of a repository. */
function about<E extends Event & { readonly repository: NamedRepository }>(
  make: (about: About<E>) => unknown,
): (source: Source<E>) => Promise<unknown> {
  return async (source) => {
    const found = await readAbout(source);
    return found === null ? null : make(found);
  };
}

function prepareMakers(forge: Forge): PayloadMakers {
  const refs = prepareRefPayloads(forge);
  const issue = about(issuePayload);
  const comment = about(commentPayload);
  const repository = about(repositoryPayload);
  const wiki = about(wikiPayload);
  const release = about(releasePayload);
  return {
    "repository.created": repository,
    "repository.deleted": repository,
    "repository.renamed": repository,
    "repository.transferred": repository,
    "repository.archived": repository,
    "repository.unarchived": repository,
    "repository.forked": about(forkPayload),
    "refs.moved": about(refs.moved),
    "wiki.page-created": wiki,
    "wiki.page-edited": wiki,
    "wiki.page-deleted": wiki,
    "release.published": release,
    "release.updated": release,
    "release.deleted": release,
    "status.created": about((status) => statusPayload(status, refs.commit)),
    "issue.opened": issue,
    "issue.closed": issue,
    "issue.reopened": issue,
    "issue.deleted": issue,
    "issue.retitled": issue,
    "issue.rewritten": issue,
    "issue.due-changed": issue,
    "issue.ref-changed": issue,
    "issue.assigned": issue,
    "issue.unassigned": issue,
    "issue.labeled": issue,
    "issue.unlabeled": issue,
    "issue.milestoned": issue,
    "issue.demilestoned": issue,
    "comment.created": comment,
    "comment.edited": comment,
    "comment.deleted": comment,
    "pull.synchronized": issue,
    "pull.merged": issue,
    "pull.retargeted": issue,
    "review.requested": issue,
    "review.request-withdrawn": issue,
    "review.submitted": issue,
    "package.published": packagePayload,
    "package.deleted": packagePayload,
    "hook.tested": about(refs.tested),
  };
}

/**
 * Prepares the making of payloads: from a stored event, the JSON that webhooks get; null when there is nothing left to tell of. They
 * have the fields of the family's payloads, and their objects are those of the API, as a stranger with all rights in the repository
 * would see them. Throws for an event that this version of the server cannot read, and whatever goes wrong.
 */
export function preparePayloads(forge: Forge): (row: HookEventRow) => Promise<string | null> {
  const makers = prepareMakers(forge);
  return async ({ id, source, type, action }) => {
    const told = source === null ? null : readTold(source);
    if (told === null || !isHooked(told.event)) {
      throw new Error(`The event ${id} for webhooks, "${source?.kind}", cannot be read by this version of the server`);
    }
    const { event, doer } = told;
    const make = makers[event.kind] as Make<HookedKind>;
    const payload = await make({ forge, event, doer, type, action });
    return payload === null ? null : JSON.stringify(payload);
  };
}
