import { isPublicOnly } from "../../auth/authorize.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { RepositoryFilter } from "./list-filter.ts";

/** The users who see the repositories of a class without a grant; db/schema/lists.ts has the numbers. */
const audiences = { everybody: 0, signedIn: 1, members: 2, nobody: 3 } as const;

/** How many classes each audience has. */
export const classesPerAudience = 8;

/** From this class on, no member of the owner sees a repository unless it was given to them. */
export const firstPrivateClass = audiences.nobody * classesPerAudience;

/** The classes that a list has, in order: those that the viewer sees as such, and those of which they see what they were given. */
export interface ListClasses {
  open: readonly number[];
  given: readonly number[];
}

/**
 * The classes that are left of all by the viewer's account, the limits of their credential, and the filter. The rule is
 * that of repositoryVisibleSql, told for whole classes.
 */
export function classesOf(viewer: Viewer, filter: RepositoryFilter): ListClasses {
  const { actor } = viewer;
  const seen =
    actor === null
      ? [audiences.everybody]
      : actor.isAdmin
        ? Object.values(audiences)
        : actor.restricted
          ? []
          : [audiences.everybody, audiences.signedIn];
  const shown = Object.values(audiences).filter(
    (audience) =>
      (!isPublicOnly(viewer.credential) || audience === audiences.everybody) &&
      (filter.private === undefined || filter.private === (audience === audiences.nobody)),
  );
  const classes = (list: readonly number[]) =>
    list.flatMap((audience) =>
      [0, 1, 2, 3, 4, 5, 6, 7]
        .filter(
          (flags) =>
            (filter.fork === undefined || filter.fork === flags >= 4) &&
            (filter.template === undefined || filter.template === flags % 4 >= 2) &&
            (filter.archived === undefined || filter.archived === (flags % 2 === 1)),
        )
        .map((flags) => audience * classesPerAudience + flags),
    );
  const isSeen = (audience: number) => seen.some((one) => one === audience);
  return {
    open: classes(shown.filter(isSeen)),
    given: actor === null ? [] : classes(shown.filter((audience) => !isSeen(audience))),
  };
}
