import type { ActivityKind } from "../../db/schema/social.ts";
import type { Event } from "../events.ts";
import type { MovedRef } from "../events/names.ts";
import type { Work } from "../work.ts";
import { insertActivities } from "./queries.ts";

/** More refs of one push than this are a mirror at work, not somebody's deeds. */
const maxRefsOfPush = 50;

const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

/** What an event is in the feed of activities; `content` is what the kind needs besides. */
interface Deed {
  kind: ActivityKind;
  refName: string;
  content: string;
}

/** Subscriber: writes down what somebody did in a repository, for the feeds. What a deploy key and the server do is nobody's deed. */
export async function recordActivities({ tx, actorId }: Work, event: Event): Promise<void> {
  if (actorId !== null && "repository" in event && event.repository !== null) {
    await insertActivities(tx, actorId, event.repository.id, deedsOf(event));
  }
}

function deedsOf(event: Event): Deed[] {
  switch (event.kind) {
    case "repository.created":
      return [{ kind: "create_repo", refName: "", content: "" }];
    case "repository.renamed":
      return [{ kind: "rename_repo", refName: "", content: `${event.repository.owner.name}/${event.oldName}` }];
    case "repository.transferred":
      // Whoever sees the repository now need not know of its former owner.
      return [{ kind: "transfer_repo", refName: "", content: "" }];
    case "release.published":
      return [{ kind: "publish_release", refName: tagPrefix + event.release.tagName, content: "" }];
    case "refs.moved":
      return event.refs.slice(0, maxRefsOfPush).flatMap(deedOfRef);
    default:
      return [];
  }
}

function deedOfRef({ name, oldOid, newOid }: MovedRef): Deed[] {
  const kind = kindOf(name, newOid);
  return kind === null ? [] : [{ kind, refName: name, content: JSON.stringify({ old: oldOid, new: newOid }) }];
}

function kindOf(name: string, newOid: string | null): ActivityKind | null {
  if (name.startsWith(branchPrefix)) {
    return newOid === null ? "delete_branch" : "commit_repo";
  }
  return name.startsWith(tagPrefix) ? (newOid === null ? "delete_tag" : "push_tag") : null;
}
