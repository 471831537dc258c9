import type { Actor, RepositoryAccess } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { Identity } from "../../git/commits/identity.ts";
import type { Forge } from "../../spine/forge.ts";
import type { IssueAndPull } from "../pulls/queries.ts";
import { defaultMessage, type MergeMessage, type MergeSubject } from "./merge-message.ts";
import type { MovingStyle } from "./merge-styles.ts";
import { readAuthorship } from "./merge-subject.ts";
import { readTemplate } from "./read-template.ts";

/** A pull request, and where its base is. */
export interface MergePlace {
  readonly found: IssueAndPull;
  readonly baseOid: string;
  /** It has the tips of both. */
  readonly view: RepositoryView;
}

/** What the message of a merge is made of. */
interface ProposedMessage {
  readonly subject: MergeSubject;
  readonly squashAuthor: Identity;
  /** The repository's template for the style; null: none. */
  readonly template: string | null;
  /** What is written where nobody writes anything; null: commits keep their own messages. */
  readonly standard: MergeMessage | null;
}

/** Reads the message that a merge has unless somebody writes another. */
export async function proposeMessage(
  forge: Forge,
  actor: Actor,
  access: RepositoryAccess,
  { found, baseOid, view }: MergePlace,
  style: MovingStyle,
): Promise<ProposedMessage> {
  const [{ subject, squashAuthor }, file] = await Promise.all([
    readAuthorship(forge, actor, access, found, { view, baseOid, withAuthors: style === "squash" }),
    readTemplate(forge, access, style),
  ]);
  const template = file?.text ?? null;
  return {
    subject,
    squashAuthor,
    template,
    standard: defaultMessage(style, subject, style === "rebase" ? null : template),
  };
}
