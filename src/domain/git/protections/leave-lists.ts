import type { Event } from "../../spine/events.ts";
import type { Work } from "../../spine/work.ts";
import { deleteLostPlaces, type Places } from "./list-queries.ts";

/**
 * Removes users and teams from the lists of protections when they lose the access that those lists are about. A user
 * who regains access must be listed again. Deleted users and teams leave with their rows.
 */
export async function leaveLists({ tx }: Work, event: Event): Promise<void> {
  const places = placesOf(event);
  if (places !== null) {
    await deleteLostPlaces(tx, places);
  }
}

/** Where somebody may have lost access; null for an event by which nobody does. */
function placesOf(event: Event): Places | null {
  switch (event.kind) {
    case "collaborator.added":
    case "collaborator.removed":
      return { repositoryId: event.repository.id, userId: event.user.id };
    case "repository.transferred":
    case "team-repository.removed":
      return { repositoryId: event.repository.id };
    case "repository.edited":
      return event.changed.includes("private") ? { repositoryId: event.repository.id } : null;
    case "team.edited":
    case "team.deleted":
      return { ownerId: event.owner.id };
    case "team-member.removed":
    case "member.removed":
    case "block.added":
      return { ownerId: event.owner.id, userId: event.user.id };
    case "organization.edited":
      return event.changed.includes("visibility") ? { ownerId: event.owner.id } : null;
    case "user.edited":
      return event.changed.some((column) => ["isAdmin", "restricted"].includes(column))
        ? { userId: event.user.id }
        : event.changed.includes("visibility")
          ? { ownerId: event.user.id }
          : null;
    default:
      return null;
  }
}
