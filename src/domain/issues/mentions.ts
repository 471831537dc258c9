import type { RepositoryAccess } from "../../auth/subject.ts";
import { mentionedNames } from "../../markdown/mentioned-names.ts";
import { namedRepository, type NamedIssue } from "../events/names.ts";
import type { Work } from "../work.ts";
import { unitOf } from "./access.ts";
import { insertMentions } from "./mention-queries.ts";
import { namedIssue } from "./named-issue.ts";

/**
 * Writes down whom a text of an issue names: the title and the body, or a comment. Only those count who may read it. Whoever is
 * named once stays so, whatever becomes of the text.
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
