import type { RepositoryAccess } from "../../../auth/subject.ts";
import { attach, blobsOf, checkAttachment, type NewAttachment } from "../../repos/attachments/add-attachment.ts";
import { InvalidAttachment } from "../../repos/attachments/errors.ts";
import {
  adoptAttachments,
  countOfIssue,
  countLoose,
  type AttachmentRow,
  type OnIssue,
} from "../../repos/attachments/queries.ts";
import { actorOf, type UserDoer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { isGuest } from "./access.ts";

/*
 * Files that come while somebody writes the text that shows them. Only they see such a file until the text is sent: then it belongs to
 * what the text belongs to. One that no text took within a day goes (`delete_expired`).
 */

const address = /\/attachments\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/g;

/** The ids of the files that a text shows or links to. */
export function filesNamedIn(text: string): Set<string> {
  return new Set([...text.matchAll(address)].map(([, uuid = ""]) => uuid));
}

/**
 * Takes a file for a text that is being written, by somebody who may take part in the repository's issues or pull requests. Throws
 * InvalidAttachment (its name or kind, or too many wait), Forbidden, QuotaExceeded.
 */
export async function keepFile(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  added: NewAttachment,
): Promise<AttachmentRow> {
  checkAttachment(forge.config, added);
  const { files } = forge.config.attachments;
  return forge.change(doer, { blobs: blobsOf(added) }, async (work) => {
    await work.demand({ on: "repository", do: "participate", unit: "issues-or-pulls" });
    if ((await countLoose(work.tx, actorOf(work.doer).id)) >= files) {
      throw new InvalidAttachment(`${files} files of yours wait for texts that are not sent: send those first`);
    }
    const byGuest = isGuest(access);
    const row = await attach(work, { repositoryId: access.repository.id, byGuest }, added);
    work.tell({
      kind: "loose-attachment.added",
      repository: namedRepository(access),
      attachment: { bytes: row.bytes, byGuest },
    });
    return row;
  });
}

/** Gives the writer's waiting files that a text names to what it is the text of. Throws InvalidAttachment if these are too many. */
export async function adoptFiles({ tx, actorId, config }: Work, on: OnIssue, text: string): Promise<void> {
  const named = filesNamedIn(text);
  if (named.size === 0 || actorId === null) {
    return;
  }
  const adopted = await adoptAttachments(tx, on, actorId, [...named]);
  const { files } = config.attachments;
  if (adopted > 0 && (await countOfIssue(tx, on)) > files) {
    throw new InvalidAttachment(`There may be no more than ${files} files`);
  }
}
