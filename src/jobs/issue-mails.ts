import { Type } from "typebox";
import { findReaders } from "../domain/work/issue-mail/find-readers.ts";
import { issueNews } from "./issue-news.ts";
import { administer, minuteMs, type Job } from "./job.ts";

const payload = Type.Object({ ...issueNews, afterId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "issue-mails": typeof payload;
  }
}

/** Finds users who get a mail about an issue, some at a time: the ids of those who were found are at most `afterId`. */
export const issueMailsJob: Job<"issue-mails"> = {
  payload,
  attempts: 5,
  timeLimitMs: 2 * minuteMs,
  concurrency: 1,
  may: () => administer,
  run: findReaders,
};
