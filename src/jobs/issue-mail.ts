import { Type } from "typebox";
import { deliverIssueMail } from "../domain/work/issue-mail/deliver.ts";
import { administer, type Job } from "./job.ts";
import { issueNews } from "./issue-news.ts";
import { mailLimits, sendMail } from "./send-mail.ts";

const payload = Type.Object({ ...issueNews, userId: Type.Integer() });

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    "issue-mail": typeof payload;
  }
}

/** Sends a mail about an issue to one user. Whether the user may read it, and wants it, is decided when it is sent. */
export const issueMailJob: Job<"issue-mail"> = {
  payload,
  ...mailLimits,
  may: () => administer,
  run: (forge, _doer, mail, signal) => sendMail(forge, mail.about, () => deliverIssueMail(forge, mail, signal)),
};
