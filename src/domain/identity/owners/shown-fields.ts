import type { Actor, OwnerRow } from "../../../auth/subject.ts";

/** Whether signed-in viewers see the e-mail address: unless its user keeps it private. Site administrators see all. */
export function showsEmail(owner: OwnerRow, viewer: Actor | null): boolean {
  return owner.email !== "" && viewer !== null && (!owner.keepEmailPrivate || viewer.id === owner.id || viewer.isAdmin);
}

/** Whether the viewer sees the pronouns: everybody signed in does. */
export function showsPronouns(owner: OwnerRow, viewer: Actor | null): boolean {
  return viewer !== null || !owner.keepPronounsPrivate;
}
