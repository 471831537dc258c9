import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Unit } from "../../db/schema/owners.ts";
import { repositoryLink } from "../links.ts";
import type { Tab } from "../parts/tabs.ts";
import type { Visit } from "../visit.ts";

interface RepositoryTab {
  readonly key: string;
  readonly name: string;
  readonly path: string;
  readonly unit: Unit | "any";
  /** How many there are to look at. */
  readonly count?: (access: RepositoryAccess) => number;
}

/** The sides of a repository that have pages. */
const repositoryTabList: readonly RepositoryTab[] = [
  { key: "code", name: "Code", path: "", unit: "any" },
  { key: "issues", name: "Issues", path: "/issues", unit: "issues", count: ({ counts }) => counts.openIssues },
  { key: "pulls", name: "Pull requests", path: "/pulls", unit: "pulls", count: ({ counts }) => counts.openPulls },
  { key: "releases", name: "Releases", path: "/releases", unit: "releases", count: ({ counts }) => counts.releases },
  { key: "packages", name: "Packages", path: "/packages", unit: "packages" },
  { key: "wiki", name: "Wiki", path: "/wiki", unit: "wiki" },
  { key: "activity", name: "Activity", path: "/activity", unit: "any" },
];

/** Whether the visitor may read a part of the repository that the address names. */
export function reads({ subject }: Visit, unit: Unit | "any" | "code-of-pulls"): boolean {
  return isAllowed(subject, demandTo({ on: "repository", do: "read", unit }, "read", []));
}

/** Whether the visitor may look at the settings of the repository that the address names. */
function administers({ subject }: Visit): boolean {
  return isAllowed(subject, demandTo({ on: "repository", do: "admin", unit: "any" }, "read", [], { signedIn: true }));
}

/** The sides of a repository that the visitor may read, and its settings for those who administer it. */
export function repositoryTabs(visit: Visit, access: RepositoryAccess): Tab[] {
  const sides = repositoryTabList
    .filter(({ unit }) => reads(visit, unit))
    .map(({ key, name, path, count }) => ({
      key,
      name,
      href: repositoryLink(visit.root, access) + path,
      count: count?.(access) ?? null,
    }));
  const href = `${repositoryLink(visit.root, access)}/settings`;
  return administers(visit) ? [...sides, { key: "settings", name: "Settings", href }] : sides;
}
