import type { Subject } from "../../auth/subject.ts";
import type { Unit } from "../../db/schema/owners.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import type { LiveSubject } from "../../domain/spine/live-subject.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { findPullById } from "../../domain/work/pulls/queries.ts";
import type { Visit } from "../visit.ts";
import { repositoryLink } from "../links.ts";
import type { Page } from "../respond.ts";

/** What a page looks at: code, a list, or the issue or pull request with a number, of a repository; or the reader's inbox. */
export type Seen = "code" | "issues" | "pulls" | `issue:${number}` | "inbox";

/** The address of the stream of a page; null: it has none. A form that was refused stands at an address that cannot be read again. */
export function streamAddress({ config }: Forge, visit: Visit, { status = 200, sees }: Page): string | null {
  if (config.web.live_streams === 0 || status !== 200 || visit.request.method === "POST") {
    return null;
  }
  const query = sees === undefined ? "" : `?see=${sees}`;
  return visit.repository !== null && sees !== undefined
    ? `${repositoryLink(visit.root, visit.repository)}/-/events${query}`
    : visit.actor !== null
      ? `${visit.root}/-/events${query}`
      : null;
}

/** What is heard for a page, by the rights that its reader has now: nothing is told of what they may not read. Throws NotFound. */
export async function subjectsOf(forge: Forge, subject: Subject, sees: string): Promise<LiveSubject[]> {
  const { actor, repository: access } = subject;
  if (access === null) {
    return sees === "inbox" && actor !== null ? [`inbox:${actor.id}`] : [];
  }
  const { id } = access.repository;
  const reads = (unit: Unit | "code-of-pulls") =>
    isAllowed(subject, demandTo({ on: "repository", do: "read", unit }, "read", []));
  const readable = (list: readonly (readonly [Unit, LiveSubject])[]) =>
    list.filter(([unit]) => reads(unit)).map(([, name]) => name);
  switch (sees) {
    case "code":
      return readable([
        ["code", `code:${id}`],
        ["issues", `open-issues:${id}`],
        ["pulls", `open-pulls:${id}`],
      ]);
    case "issues":
      return readable([["issues", `issues:${id}`]]);
    case "pulls":
      return readable([["pulls", `pulls:${id}`]]);
    default: {
      const [, number] = /^issue:([1-9]\d{0,8})$/.exec(sees) ?? [];
      if (number === undefined) {
        throw new NotFound("stream", sees);
      }
      const row = await getIssueRow(forge, access, Number(number));
      const pull = row.isPull && reads("code-of-pulls") ? await findPullById(forge.database.db, row.id) : null;
      return [`issue:${row.id}`, ...(pull === null ? [] : [`commit:${id}:${pull.pull.headOid}` as const])];
    }
  }
}
