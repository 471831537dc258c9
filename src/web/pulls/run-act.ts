import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { Refusal } from "../errors.ts";
import { discussionPage, readNumber } from "../issues/discussion.ts";
import { issueLink } from "../links.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";

/** What an act answers: where it leads instead of the pull request, or what its page says. */
type Done = Redirect | string | void;

/** The row of the pull request that the address names. Throws NotFound. */
export async function getPullRow(forge: Forge, visit: Visit, access: RepositoryAccess): Promise<IssueRow> {
  const row = await getIssueRow(forge, access, readNumber(visit));
  if (!row.isPull) {
    throw new NotFound("pull request", String(row.number));
  }
  return row;
}

/**
 * Does an act on a pull request, and leads back to it, with what `act` says. A refusal shows the page that `again` makes; the conversation with
 * the reason unless there is another.
 */
export async function runAct(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  act: (number: number) => Promise<Done>,
  again: ((row: IssueRow, refused: Refusal) => Promise<Page>) | null = null,
): Promise<Page | Redirect> {
  const row = await getPullRow(forge, visit, access);
  return tryForm(
    async () => {
      const done = await act(row.number);
      return done instanceof Redirect ? done : new Redirect(issueLink(visit.root, access, row), done ?? null);
    },
    async (refused) => {
      const now = await getIssueRow(forge, access, row.number);
      return again === null
        ? discussionPage(forge, visit, access, now, {
            text: visit.form.text("body"),
            refused: { ...refused, field: null },
            preview: null,
          })
        : again(now, refused);
    },
  );
}
