import {
  starRepository,
  unstarRepository,
  unwatchRepository,
  watchRepository,
} from "../../domain/identity/social/mark-repository.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { repositoryLink } from "../links.ts";
import { localPath } from "../local-path.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";

/** Only who may take part marks a repository; who was shut out can still take a mark back. A mark is the user's, so an archive allows it. */
const does = {
  may: { on: "repository", do: "participate", unit: "any" },
  signedIn: true,
  onArchived: "allowed",
} as const;
const undoes = { may: { on: "repository", do: "read", unit: "any" }, signedIn: true, onArchived: "allowed" } as const;

const actions = [
  ["star", does, starRepository],
  ["unstar", undoes, unstarRepository],
  ["watch", does, watchRepository],
  ["unwatch", undoes, unwatchRepository],
] as const;

/** The forms of the buttons that watch and star a repository. They lead back to the page that has them. */
export function markPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return actions.map(([name, spec, act]) =>
    page("POST", `/:owner/:repo/action/${name}`, spec, async ({ doer, visit, actor, repository }) => {
      await forge.change<unknown>(doer, (work) => act(work, actor, repository));
      return new Redirect(localPath(visit.form.text("back")) ?? repositoryLink(visit.root, repository));
    }),
  );
}
