import type { RepositoryAccess } from "../../../auth/subject.ts";
import { mentionedNames } from "./mentioned-names.ts";
import { namedRepository, type NamedIssue } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { unitOf } from "./access.ts";
import { insertMentions } from "./mention-queries.ts";
import { namedIssue } from "./named-issue.ts";

/**
 * Records which users a text of an issue mentions: the title and body, or a comment. Only users who may read it count.
 * A recorded mention stays when the text changes.
 */
export async function recordMentions(
  work: Work,
  access: RepositoryAccess,
  row: NamedIssue,
  text: string,
): Promise<void> {
  const names = mentionedNames(text);
  if (names.length === 0) {
    return;
  }
  const repository = namedRepository(access);
  for (const user of await insertMentions(work.tx, access.repository.id, row.id, unitOf(row), names)) {
    work.tell({ kind: "issue.mentioned", repository, issue: namedIssue(row), user });
  }
}
