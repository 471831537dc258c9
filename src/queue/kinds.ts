import { Type } from "@sinclair/typebox";
import { packageTypes } from "../db/schema/packages.ts";
import { jobKind } from "./job-kind.ts";
import { choice } from "../lib/schema.ts";

const minuteMs = 60_000;

/**
 * Bounds of kinds that may wait for hours for a server elsewhere: all of them together leave workers for the others, and two principals
 * leave a place for a third one.
 */
const elsewhere = { concurrency: 4, each: 2 };

/** A mail. It is written when it is sent, so that neither its text nor the token of its link waits in the database. */
export const mailJob = jobKind({
  name: "mail",
  payload: Type.Union([
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
  ]),
  // Rests of 2.7 s to 2.3 h: mail servers that greylist, restart or are full are given three and a half hours.
  attempts: 10,
  timeLimitMs: 2 * minuteMs,
  concurrency: 2,
});

/** Enqueues all regular tasks; this is what the schedule has. */
export const everyHourJob = jobKind({
  name: "every-hour",
  payload: Type.Object({}),
  attempts: 3,
  timeLimitMs: minuteMs,
  concurrency: 1,
});

/** A task of `domain/maintenance/standard-tasks.ts`, by its name. One at a time: none of them is in a hurry. */
export const regularTaskJob = jobKind({
  name: "regular-task",
  payload: Type.Object({ task: Type.String() }),
  attempts: 3,
  timeLimitMs: 30 * minuteMs,
  concurrency: 1,
});

/** Puts packs of a repository together, if that is due. */
export const repackJob = jobKind({
  name: "repack",
  payload: Type.Object({ repositoryId: Type.Integer() }),
  // Whoever reads the repository next, or the hourly look over all, asks again.
  attempts: 2,
  timeLimitMs: 60 * minuteMs,
  concurrency: 1,
});

/** Counts the languages of a repository's default branch. */
export const languagesJob = jobKind({
  name: "languages",
  payload: Type.Object({ repositoryId: Type.Integer() }),
  // The hourly look over all asks again.
  attempts: 2,
  // It waits for a repack, which has the same thread and may take an hour.
  timeLimitMs: 90 * minuteMs,
  concurrency: 1,
});

/** Tells many users of something that happened to an issue. `doerId`: who did it, and hears nothing of it. */
export const notifyJob = jobKind({
  name: "notify",
  payload: Type.Object({ issueId: Type.Integer(), doerId: Type.Union([Type.Integer(), Type.Null()]) }),
  attempts: 5,
  timeLimitMs: 10 * minuteMs,
  concurrency: 2,
  each: 1,
});

/** What a mail about an issue or a pull request tells. */
const issueNews = {
  about: Type.Union([
    Type.Literal("opened"),
    Type.Literal("commented"),
    Type.Literal("closed"),
    Type.Literal("reopened"),
    Type.Literal("merged"),
    Type.Literal("assigned"),
    Type.Literal("mentioned"),
    Type.Literal("reviewed"),
    Type.Literal("review-requested"),
  ]),
  issueId: Type.Integer(),
  /** null: it is about the issue itself. */
  commentId: Type.Union([Type.Integer(), Type.Null()]),
  /** null: it is no review. */
  reviewId: Type.Union([Type.Integer(), Type.Null()]),
  /** The team that is asked; null: not a team is. */
  teamId: Type.Union([Type.Integer(), Type.Null()]),
  /** null: somebody who is gone. */
  doerId: Type.Union([Type.Integer(), Type.Null()]),
  /** When it happened, milliseconds since 1970. */
  at: Type.Integer(),
};

/** Finds who gets a mail about an issue, some at a time: the ids of those who were found are at most `afterId`. */
export const issueMailsJob = jobKind({
  name: "issue-mails",
  payload: Type.Object({ ...issueNews, afterId: Type.Integer() }),
  attempts: 5,
  timeLimitMs: 2 * minuteMs,
  concurrency: 1,
});

/** A mail about an issue to one user. Whether they may read it, and want it, is decided when it is sent. */
export const issueMailJob = jobKind({
  name: "issue-mail",
  payload: Type.Object({ ...issueNews, userId: Type.Integer() }),
  attempts: 10,
  timeLimitMs: 2 * minuteMs,
  concurrency: 2,
});

/**
 * Reads what commits, or a pull request that was merged, say of issues: writes that into the timelines of these, and closes and reopens
 * them. `repositoryId` is where the branches moved, or the base.
 */
export const referencesJob = jobKind({
  name: "references",
  payload: Type.Union([
    Type.Object({
      about: Type.Literal("commits"),
      repositoryId: Type.Integer(),
      moves: Type.Array(
        Type.Object({ branch: Type.String(), old: Type.Union([Type.String(), Type.Null()]), new: Type.String() }),
      ),
    }),
    // `pusherId`: who merged it by a push, which the server found out; null: whoever has the job done.
    Type.Object({
      about: Type.Literal("pull"),
      repositoryId: Type.Integer(),
      issueId: Type.Integer(),
      pusherId: Type.Union([Type.Integer(), Type.Null()]),
    }),
  ]),
  attempts: 5,
  // It waits for a repack, which has the same thread.
  timeLimitMs: 90 * minuteMs,
  concurrency: 2,
});

/** Works out whether the stale pull requests of a repository can be merged, and what is in them. */
export const pullsJob = jobKind({
  name: "pulls",
  payload: Type.Object({ repositoryId: Type.Integer() }),
  // Whoever reads one of them has it worked out, too.
  attempts: 5,
  timeLimitMs: 30 * minuteMs,
  concurrency: 1,
});

/** Does what has to follow for the reviews of a pull request when its head or its base is another one. */
export const reviewsJob = jobKind({
  name: "reviews",
  payload: Type.Object({ issueId: Type.Integer() }),
  attempts: 5,
  timeLimitMs: 5 * minuteMs,
  concurrency: 2,
});

/** Merges a pull request whose merge waits for its checks, if they have succeeded. */
export const autoMergeJob = jobKind({
  name: "auto-merge",
  payload: Type.Object({ pullId: Type.Integer() }),
  attempts: 8,
  timeLimitMs: 10 * minuteMs,
  concurrency: 2,
});

/** Looks which pull requests a push to their base has brought, and notes them as merged by hand. Oids are hexadecimal. */
export const detectMergesJob = jobKind({
  name: "detect-merges",
  payload: Type.Object({
    repositoryId: Type.Integer(),
    branch: Type.String(),
    from: Type.String(),
    to: Type.String(),
    pusherId: Type.Union([Type.Integer(), Type.Null()]),
  }),
  attempts: 5,
  timeLimitMs: 10 * minuteMs,
  concurrency: 1,
});

/** Asks the owners of the files that a pull request changes to review it. */
export const codeOwnersJob = jobKind({
  name: "code-owners",
  payload: Type.Object({ issueId: Type.Integer() }),
  attempts: 5,
  timeLimitMs: 5 * minuteMs,
  concurrency: 2,
});

/**
 * Brings a pull mirror to where the repository is that it follows. When it is tried again stands in the mirror's row: the attempts are for
 * servers that are killed meanwhile.
 */
export const pullMirrorJob = jobKind({
  name: "pull-mirror",
  payload: Type.Object({ repositoryId: Type.Integer() }),
  attempts: 25,
  timeLimitMs: 120 * minuteMs,
  ...elsewhere,
});

/** Brings a repository elsewhere to where one of this server is; likewise. */
export const pushMirrorJob = jobKind({
  name: "push-mirror",
  payload: Type.Object({ mirrorId: Type.Integer() }),
  attempts: 25,
  timeLimitMs: 120 * minuteMs,
  ...elsewhere,
});

/** Brings a repository from elsewhere. A second try goes on where a killed process has left it. */
export const migrationJob = jobKind({
  name: "migration",
  payload: Type.Object({ migrationId: Type.Integer() }),
  attempts: 25,
  timeLimitMs: 360 * minuteMs,
  ...elsewhere,
});

/** Publishes an index of a registry of packages, if it is not what is wanted. */
export const packageIndexJob = jobKind({
  name: "package-index",
  payload: Type.Object({ ownerId: Type.Integer(), type: choice(packageTypes), name: Type.String() }),
  attempts: 10,
  timeLimitMs: 30 * minuteMs,
  concurrency: 2,
});

/** Every kind of job, listed by hand. */
export const jobKinds = [
  autoMergeJob,
  detectMergesJob,
  mailJob,
  issueMailsJob,
  issueMailJob,
  everyHourJob,
  regularTaskJob,
  repackJob,
  languagesJob,
  notifyJob,
  referencesJob,
  pullsJob,
  reviewsJob,
  codeOwnersJob,
  pullMirrorJob,
  pushMirrorJob,
  migrationJob,
  packageIndexJob,
] as const;
