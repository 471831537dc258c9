import type { RepositoryAccess } from "../../auth/subject.ts";
import { searchOrganizations } from "../../domain/identity/orgs/queries.ts";
import { searchUsers } from "../../domain/identity/users/list-queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssuePlace } from "../../domain/work/issues/list-filter.ts";
import { findHomes, listIssues } from "../../domain/work/issues/list-queries.ts";
import { findIssueRow, type IssueRow } from "../../domain/work/issues/queries.ts";
import type { IconName } from "../assets/icons.ts";
import { reads } from "../frame/subject-tabs.ts";
import { repositoryLink, sourceLink, issueLink, ownerLink } from "../links.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { cachingOf } from "../respond.ts";
import { settingsEntries } from "../settings/settings-page.ts";
import type { Visit } from "../visit.ts";

/** Somewhere to go: what the palette of src/web/client/palette.ts shows as a line. */
interface Goal {
  readonly text: string;
  /** Where it is, or what it is. */
  readonly about?: string;
  readonly icon: IconName;
  readonly href: string;
}

interface Goals {
  readonly title: string;
  readonly goals: readonly Goal[];
}

/** The most goals of a kind. */
const most = 5;
const fewest = { size: most, offset: 0, number: 1 };
/** A longer text is cut: nothing has such a name. */
const longestQuery = 100;
/** Below it, words find too much to be of use. */
const leastWord = 2;

function matches(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** Pages that do not depend on anybody's data. */
function pagesOf({ root, actor }: Visit, words: readonly string[]): Goal[] {
  const all: Goal[] = [
    { text: "Explore repositories", icon: "book", href: `${root}/explore/repos` },
    { text: "Explore organizations", icon: "building-2", href: `${root}/explore/organizations` },
    { text: "Explore people", icon: "users", href: `${root}/explore/users` },
    { text: "Explore topics", icon: "tag", href: `${root}/explore/topics` },
  ];
  if (actor !== null) {
    all.push(
      { text: "Your issues", icon: "circle-dot", href: `${root}/issues` },
      { text: "Your pull requests", icon: "git-pull-request", href: `${root}/pulls` },
      { text: "Your milestones", icon: "milestone", href: `${root}/milestones` },
    );
    all.push({ text: "Your profile", icon: "user", href: ownerLink(root, actor.name) });
    for (const { path, name, icon } of settingsEntries) {
      all.push({ text: `Settings: ${name}`, icon, href: root + path });
    }
  }
  return all.filter(({ text }) => matches(text, words)).slice(0, most);
}

function deedsOf({ root, actor }: Visit, words: readonly string[]): Goal[] {
  const all: Goal[] =
    actor === null
      ? [{ text: "Sign in", icon: "user", href: `${root}/user/login` }]
      : [{ text: "New repository", icon: "plus", href: `${root}/repo/create` }];
  return all.filter(({ text }) => matches(text, words));
}

function issueGoal({ number, title, isPull }: IssueRow, href: string, about: string): Goal {
  return {
    text: `#${number} ${title}`,
    about,
    icon: isPull ? "git-pull-request" : "circle-dot",
    href,
  };
}

function fileSearch(visit: Visit, access: RepositoryAccess, text: string): Goal[] {
  const { repository } = access;
  if (!reads(visit, "code") || repository.empty) {
    return [];
  }
  const address = sourceLink(visit.root, access, { kind: "branch", name: repository.defaultBranch }, "", "find");
  const q = text.replace(/^\//, "");
  if (q === "") {
    return [{ text: "Find a file", icon: "file", href: address }];
  }
  const query = new URLSearchParams({ q }).toString();
  const search = `${repositoryLink(visit.root, access)}/search?${query}`;
  return [
    { text: `Find a file: ${q}`, icon: "file", href: `${address}?${query}` },
    { text: `Search in files: ${q}`, icon: "search", href: search },
  ];
}

/** Where a palette leads, and which issues of a repository it finds. Every query shows what the visitor may see, and little of it. */
export function jumpPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function repositories(visit: Visit, words: readonly string[]): Promise<Goal[]> {
    const { actor } = visit;
    const filter =
      words.length > 0
        ? { keywords: { words, inDescription: false, topicOnly: false } }
        : actor === null
          ? {}
          : { participantId: actor.id };
    const order =
      words.length > 0
        ? ({ by: "relevance", descending: true } as const)
        : ({ by: "updated", descending: true } as const);
    const { rows } = await listRepositories(db, visit, filter, order, fewest);
    return rows.map((access) => ({
      text: `${access.owner.name}/${access.repository.name}`,
      about: access.repository.description.slice(0, longestQuery),
      icon: access.repository.private ? "lock" : "book",
      href: repositoryLink(visit.root, access),
    }));
  }

  async function people(visit: Visit, text: string): Promise<Goal[]> {
    const first = { ...fewest, prefix: text.toLowerCase() };
    const [organizations, users] = await Promise.all([
      searchOrganizations(db, visit, text, first),
      searchUsers(db, visit, { text }, first),
    ]);
    return [...organizations.rows, ...users.rows].map(({ name, fullName, kind }) => ({
      text: name,
      about: fullName,
      icon: kind === "organization" ? "building-2" : "user",
      href: ownerLink(visit.root, name),
    }));
  }

  /** Issues and pull requests of one repository, by number or by words. */
  async function issuesOf(visit: Visit, access: RepositoryAccess, text: string): Promise<Goal[]> {
    const kinds = [reads(visit, "issues") ? [false] : [], reads(visit, "pulls") ? [true] : []].flat();
    const [, digits] = /^#?(\d{1,9})$/.exec(text) ?? [];
    const found = digits === undefined ? null : await findIssueRow(db, access.repository.id, Number(digits));
    if (found !== null) {
      return kinds.includes(found.isPull) ? [issueGoal(found, issueLink(visit.root, access, found), "")] : [];
    }
    const words = text.replace(/^#\s*/, "");
    if (words.length > 0 && words.length < leastWord) {
      return [];
    }
    const place = { repositoryId: access.repository.id, ownerId: access.owner.id };
    const filter = { kinds, states: [true, false], ...(words === "" ? {} : { text: words }) };
    const { rows } = await listIssues(db, visit, place, filter, "recentupdate", fewest);
    return rows.map((row) => issueGoal(row, issueLink(visit.root, access, row), ""));
  }

  /** The same of all repositories, for those who are signed in. */
  async function issues(visit: Visit, text: string): Promise<Goal[]> {
    const place: IssuePlace = { repositoryId: null };
    const filter = { kinds: [false, true], states: [true, false], text };
    const { rows } = await listIssues(db, visit, place, filter, "recentupdate", fewest);
    const homes = await findHomes(
      db,
      rows.map(({ repositoryId }) => repositoryId),
    );
    return rows.flatMap((row) => {
      const home = homes.get(row.repositoryId);
      return home === undefined
        ? []
        : [issueGoal(row, issueLink(visit.root, home, row), `${home.owner.name}/${home.repository.name}`)];
    });
  }

  /** A first character says what is meant: `>` something to do, `#` an issue, `/` a file. */
  async function find(visit: Visit, access: RepositoryAccess | null): Promise<Goals[]> {
    const text = (visit.query.get("q") ?? "").trim().slice(0, longestQuery);
    const words = text
      .replace(/^>\s*/, "")
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const deeds = { title: "Do", goals: deedsOf(visit, words) };
    if (text.startsWith(">")) {
      return [deeds];
    }
    if (text.startsWith("/")) {
      return access === null ? [] : [{ title: "Files", goals: fileSearch(visit, access, text) }];
    }
    if (text.startsWith("#")) {
      return access === null ? [] : [{ title: "Issues and pull requests", goals: await issuesOf(visit, access, text) }];
    }
    const isWord = text.length >= leastWord;
    const [here, everywhere, found, owners] = await Promise.all([
      access !== null && text !== "" ? issuesOf(visit, access, text) : [],
      access === null && visit.actor !== null && isWord ? issues(visit, text) : [],
      repositories(visit, words.slice(0, most)),
      isWord ? people(visit, text) : [],
    ]);
    return [
      { title: "Issues and pull requests", goals: [...here, ...everywhere] },
      { title: "Repositories", goals: found },
      { title: "People and organizations", goals: owners },
      { title: "Files", goals: access !== null && text !== "" ? fileSearch(visit, access, text) : [] },
      { title: "Go to", goals: pagesOf(visit, words) },
      deeds,
    ];
  }

  async function answer(visit: Visit, access: RepositoryAccess | null): Promise<Response> {
    const groups = (await find(visit, access)).filter(({ goals }) => goals.length > 0);
    return Response.json({ groups }, { headers: { ...cachingOf(true), "x-content-type-options": "nosniff" } });
  }

  const readAny = { may: { on: "repository", do: "read", unit: "any" }, frameless: true } as const;
  return [
    page("GET", "/-/jump", { ...open, frameless: true }, ({ visit }) => answer(visit, null)),
    page("GET", "/:owner/:repo/-/jump", readAny, ({ visit, repository }) => answer(visit, repository)),
  ];
}
