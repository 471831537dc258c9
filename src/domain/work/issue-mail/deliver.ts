import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import { StithyError } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { issueMail } from "../../../mail/issue-mail.ts";
import type { JobPayload } from "../../../queue/job-kind.ts";
import { knownUsers } from "../comments/queries.ts";
import type { Forge } from "../../spine/forge.ts";
import { mayReadIssue } from "../issues/access.ts";
import { resolverFor } from "../markdown/resolve-references.ts";
import { findMailReaders } from "../notifications/recipient-queries.ts";
import { audienceOf } from "./find-readers.ts";
import { findNews } from "./queries.ts";
import { writeUnsubscribeToken } from "./unsubscribe-token.ts";

/** How much of a longer text a mail shows, in UTF-16 code units. The page has the rest. */
const longestText = 20_000;

/** Codes of errors after which a text is sent as it is. */
const sentAsText: ReadonlySet<string> = new Set(["unrenderable-text", "share-full", "server-busy"]);

/**
 * Writes a mail about an issue as things are now, and sends it; false when there is no reason for it any more: the issue or the comment is gone, the user
 * may not read it, does not want it or cannot be reached. Throws what Mailer.send throws.
 */
export async function deliverIssueMail(
  forge: Forge,
  { userId, ...news }: JobPayload<"issue-mail">,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, identity, keys, mail } = forge;
  const addresses = forge.addresses.own;
  const { issueId, commentId, doerId } = news;
  const found = await findNews(database.db, news);
  if (found === null) {
    return false;
  }
  const { issue } = found;
  const { actor, repository: access } = await identity.findSubject({ userId }, { repositoryId: issue.repositoryId });
  const audience = audienceOf(forge, news, found, userId);
  const [reader] = await findMailReaders(database.db, audience, { afterId: userId - 1, most: 1 });
  if (actor === null || access === null || !mayReadIssue(access, issue) || reader?.id !== userId) {
    return false;
  }
  const viewer: Viewer = { actor, credential: { kind: "none" } };
  const doer = (await knownUsers(database.db, viewer, [doerId])).get(doerId ?? 0) ?? null;
  const hasText = found.text.trim() !== "";
  const page = addresses.discussion(access.owner.name, access.repository.name, issue);
  await mail.mailer.send(
    issueMail({
      ...news,
      to: reader.email,
      server: addresses.hostname,
      repository: `${access.owner.name}/${access.repository.name}`,
      issue,
      doer: doer === null ? null : doer.name,
      text: hasText ? await render(forge, viewer, access, clip(found.text, longestText), signal) : null,
      page: commentId === null ? page : `${page}#issuecomment-${commentId}`,
      unsubscribe: addresses.unsubscribe(writeUnsubscribeToken(keys.unsubscribe, { userId, issueId })),
      settings: addresses.mailSettings(),
    }),
  );
  return true;
}

/** A text as its reader sees it. It loads nothing: pictures are links to them. */
async function render(
  forge: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  plain: string,
  signal: AbortSignal,
): Promise<{ plain: string; html: string }> {
  const { markdown } = forge;
  const addresses = forge.addresses.own;
  const pages = `${addresses.repository(access.owner.name, access.repository.name)}/`;
  const options = { hardBreaks: true, base: { pages, files: pages }, pictures: "links" } as const;
  const resolver = resolverFor(forge, viewer, { access, isComment: true });
  try {
    return { plain, html: await markdown.render(plain, options, signal, resolver) };
  } catch (error) {
    if (error instanceof StithyError && sentAsText.has(error.code)) {
      return { plain, html: `<pre>${Bun.escapeHTML(plain)}</pre>\n` };
    }
    throw error;
  }
}
