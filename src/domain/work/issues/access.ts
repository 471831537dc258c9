import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes, type Unit } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Forbidden } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import type { IssueRow } from "./queries.ts";

type Kind = Pick<IssueRow, "isPull">;

/** Issues and pull requests are units of their own. */
export function unitOf({ isPull }: Kind): Unit & ("issues" | "pulls") {
  return isPull ? "pulls" : "issues";
}

/** Whether this access may read it. */
export function mayReadIssue({ units }: RepositoryAccess, kind: Kind): boolean {
  return units[unitOf(kind)] >= accessModes.read;
}

/** Whether this access may change all of it. */
export function mayWriteIssue({ units }: RepositoryAccess, kind: Kind): boolean {
  return units[unitOf(kind)] >= accessModes.write;
}

/** Whether what they bring counts as guests': they do not write to the repository. */
export function isGuest({ mode }: Pick<RepositoryAccess, "mode">): boolean {
  return mode < accessModes.write;
}

/** Makes sure that the doer may still write issues, or pull requests. Throws Forbidden that names the field. */
export async function demandWriter(work: Work, access: RepositoryAccess, kind: Kind, field?: string): Promise<void> {
  if (!mayWriteIssue(access, kind)) {
    const what = field === undefined ? "This" : `"${field}"`;
    throw new Forbidden(
      `${what} needs write access to the ${unitOf(kind) === "pulls" ? "pull requests" : "issues"} of the repository`,
    );
  }
  await work.demand({ on: "repository", do: "write", unit: unitOf(kind) });
}

/** Makes sure that the doer may say when an issue was changed, and that it can be true. Throws Forbidden and InvalidInput. */
export async function demandChangeTime(
  work: Work,
  { createdAt }: Pick<IssueRow, "createdAt">,
  at: Date,
): Promise<void> {
  await work.demand({ on: "repository", do: "admin", unit: "issues-or-pulls" });
  // Clients know the second of the opening only.
  const opened = Math.floor(createdAt.getTime() / 1000) * 1000;
  if (at.getTime() < opened || at > new Date()) {
    throw new InvalidInput("updated_at must lie between the opening of the issue and now", "updated_at");
  }
}
