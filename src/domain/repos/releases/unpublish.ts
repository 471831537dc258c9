import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { makeDrafts } from "./queries.ts";

const tagPrefix = "refs/tags/";

/** Subscriber: a release whose tag is deleted becomes a draft, since there is nothing that it is a release of. */
export async function unpublishWithTags(work: Work, event: Event): Promise<void> {
  if (event.kind !== "refs.moved") {
    return;
  }
  const tags = event.refs
    .filter(({ name, newOid }) => newOid === null && name.startsWith(tagPrefix))
    .map(({ name }) => name.slice(tagPrefix.length));
  if (tags.length > 0) {
    const { repository } = event;
    for (const release of await makeDrafts(work.tx, repository.id, tags)) {
      work.tell({ kind: "release.updated", repository, release });
    }
  }
}
