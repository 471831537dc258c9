import { mentionedNames } from "../issues/mentioned-names.ts";
import { newJob } from "../../../queue/enqueue.ts";
import type { JobPayload } from "../../../queue/job-kind.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { findMailReaders, type Audience, type MailAudience } from "../notifications/recipient-queries.ts";
import { findNews } from "./queries.ts";

type News = Omit<JobPayload<"issue-mail">, "userId">;

const batchSize = 100;

/** To whom mails of some news go, as far as one query tells. `userId`: only to them, where they are told as one. */
export function audienceOf(
  { config }: Forge,
  news: News,
  { issue, text }: { issue: { title: string }; text: string },
  userId: number | null,
): MailAudience {
  return {
    issueId: news.issueId,
    audience: whoHears(news, userId),
    doerId: news.doerId,
    named: mentionedNames(news.about === "opened" ? `${issue.title}\n${text}` : text),
    usual: config.mail.notifications,
  };
}

function whoHears({ about, teamId }: News, userId: number | null): Audience {
  if (about === "review-requested" && teamId !== null) {
    return { kind: "team", id: teamId, reason: "review-requested" };
  }
  const isForOne = about === "assigned" || about === "mentioned" || about === "review-requested";
  return isForOne && userId !== null ? { kind: "users", ids: [userId], reason: about } : { kind: "concerned" };
}

/**
 * Enqueues a mail for each of those whom news of an issue concern, a batch at a time: the mails of a batch and the job for the next one are enqueued by
 * one transaction, so that a kill makes no mail twice.
 */
export async function findReaders(
  forge: Forge,
  doer: Doer,
  { afterId, ...news }: JobPayload<"issue-mails">,
): Promise<void> {
  const found = await findNews(forge.database.db, news);
  if (found === null) {
    return;
  }
  const audience = audienceOf(forge, news, found, null);
  await forge.change(doer, async (work) => {
    const readers = await findMailReaders(work.tx, audience, { afterId, most: batchSize });
    for (const { id } of readers) {
      await work.enqueue(newJob("issue-mail", { ...news, userId: id }));
    }
    const last = readers[batchSize - 1];
    if (last !== undefined) {
      await work.enqueue(newJob("issue-mails", { ...news, afterId: last.id }));
    }
  });
}
