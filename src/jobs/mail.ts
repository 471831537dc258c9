import { Type } from "typebox";
import { deliverMail } from "../domain/server/mails/deliver-mail.ts";
import { administer, actAsSelf, type Job } from "./job.ts";
import { mailLimits, sendMail } from "./send-mail.ts";

const payload = Type.Union([
  Type.Object({ about: Type.Literal("verify-email"), emailId: Type.Integer() }),
  Type.Object({ about: Type.Literal("reset-password"), userId: Type.Integer() }),
  Type.Object({ about: Type.Literal("account-created"), userId: Type.Integer() }),
  Type.Object({ about: Type.Literal("hook-paused"), userId: Type.Integer(), hookId: Type.Integer() }),
  Type.Object({ about: Type.Literal("migration-failed"), migrationId: Type.Integer() }),
  Type.Object({
    about: Type.Literal("mirror-failed"),
    userId: Type.Integer(),
    repositoryId: Type.Integer(),
    /** null: the pull mirror. */
    pushMirrorId: Type.Union([Type.Integer(), Type.Null()]),
  }),
]);

declare module "../queue/job-kind.ts" {
  interface JobSchemas {
    mail: typeof payload;
  }
}

/** Sends a mail. It is written when it is sent, so that neither its text nor the token of its link waits in the database. */
export const mailJob: Job<"mail"> = {
  payload,
  ...mailLimits,
  may: ({ about }) => (about === "verify-email" || about === "reset-password" ? actAsSelf : administer),
  run: (forge, _doer, mail) => sendMail(forge, mail.about, () => deliverMail(forge, mail)),
};
