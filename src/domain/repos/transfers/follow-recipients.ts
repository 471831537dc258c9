import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { writeReaders } from "./queries.ts";

/** Subscriber: who sees what is offered to an organization changes with those who may accept it there. */
export async function followRecipients({ tx }: Work, event: Event): Promise<void> {
  switch (event.kind) {
    case "team-member.added":
    case "team-member.removed":
    case "member.removed":
    case "team.edited":
    case "team.deleted":
      await writeReaders(tx, { recipientId: event.owner.id });
      break;
    default:
  }
}
