import type { Forge } from "../../domain/spine/forge.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { prepareContributions } from "./contributions.ts";
import { contributorsPage } from "./contributors.ts";
import { pulsePage } from "./pulse.ts";

/** What happened in a repository lately, and who made it. */
export function activityPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const read = prepareContributions(forge);
  const readsAny = { may: { on: "repository", do: "read", unit: "any" }, past: true } as const;
  return [
    page("GET", "/:owner/:repo/activity", readsAny, ({ visit, repository }) =>
      pulsePage(forge, read, visit, repository),
    ),
    page("GET", "/:owner/:repo/activity/contributors", { ...readsCode, past: true }, ({ visit, repository }) =>
      contributorsPage(forge, read, visit, repository),
    ),
  ];
}
