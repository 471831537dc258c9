import type { RepositoryAccess } from "../../auth/subject.ts";
import { searchUsers } from "../../domain/identity/users/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listIssues } from "../../domain/work/issues/list-queries.ts";
import { findIssueRow, type IssueRow } from "../../domain/work/issues/queries.ts";
import { clip } from "../../lib/show-value.ts";
import { reads } from "../frame/subject-tabs.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { cachingOf } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** What a word can be completed to: `put` takes its place. */
interface Choice {
  readonly put: string;
  readonly text: string;
  readonly about: string;
}

const few = { size: 8, offset: 0, number: 1 };
/** Nothing has a longer name. */
const longestWord = 40;

/** Emoji whose name begins so, then those that have it inside. They are put as characters, which every reader shows. */
async function emoji(typed: string): Promise<Choice[]> {
  const { nameToEmoji } = await import("gemoji");
  const names = Object.keys(nameToEmoji);
  const begins = names.filter((name) => name.startsWith(typed));
  const has = names.filter((name) => !name.startsWith(typed) && name.includes(typed));
  return [...begins, ...has].slice(0, few.size).map((name) => {
    const put = nameToEmoji[name] ?? "";
    return { put, text: put, about: name };
  });
}

/** Completes words of texts: `@users`, `#issues` and `!pulls` by number or words, `:emoji:`. It finds what the visitor may see, and little of it. */
export function completionPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function users(visit: Visit, text: string): Promise<Choice[]> {
    const { rows } = text === "" ? { rows: [] } : await searchUsers(db, visit, { text }, few);
    return rows.map(({ name, fullName }) => ({ put: `@${name}`, text: name, about: fullName }));
  }

  async function issues(visit: Visit, access: RepositoryAccess, text: string, onlyPulls: boolean): Promise<Choice[]> {
    const kinds = [reads(visit, "issues") && !onlyPulls ? [false] : [], reads(visit, "pulls") ? [true] : []].flat();
    const shown = ({ number, title, isPull }: IssueRow) => {
      const put = `${onlyPulls && isPull ? "!" : "#"}${number}`;
      return { put, text: put, about: clip(title, 120) };
    };
    if (/^\d{1,9}$/.test(text)) {
      const found = await findIssueRow(db, access.repository.id, Number(text));
      return found !== null && kinds.includes(found.isPull) ? [shown(found)] : [];
    }
    const place = { repositoryId: access.repository.id, ownerId: access.owner.id };
    const filter = { kinds, states: [true, false], ...(text === "" ? {} : { text }) };
    const { rows } = await listIssues(db, visit, place, filter, "recentupdate", few);
    return rows.map(shown);
  }

  async function find(visit: Visit, access: RepositoryAccess): Promise<Choice[]> {
    const asked = visit.query.get("q") ?? "";
    const text = asked.slice(1, 1 + longestWord).toLowerCase();
    switch (asked[0]) {
      case "@":
        return users(visit, text);
      case "#":
      case "!":
        return issues(visit, access, text, asked.startsWith("!"));
      case ":":
        return text.length < 2 ? [] : emoji(text);
      default:
        return [];
    }
  }

  const readsAny = { may: { on: "repository", do: "read", unit: "any" }, signedIn: true } as const;
  return [
    page("GET", "/:owner/:repo/-/complete", readsAny, async ({ visit, repository: access }) => {
      const headers = { ...cachingOf(true), "x-content-type-options": "nosniff" };
      return Response.json({ choices: await find(visit, access) }, { headers });
    }),
  ];
}
