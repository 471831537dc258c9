import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { User } from "../users/schema.ts";

export const PayloadUser = t.Object(
  {
    name: t.String(),
    email: t.String({ format: "email" }),
    username: t.String({ description: "Name of the user to whom the address belongs; empty when it is nobody's here" }),
  },
  { $id: "PayloadUser" },
);

export const PayloadCommitVerification = t.Object(
  {
    verified: t.Boolean(),
    reason: t.String({ description: "gpg.error.not_signed_commit, or why a signature is not verified" }),
    signature: t.String({ description: "The armoured signature" }),
    signer: nullable(PayloadUser),
    payload: t.String({ description: "What is signed" }),
  },
  { $id: "PayloadCommitVerification" },
);

export const CommitUser = t.Object(
  {
    name: t.String(),
    email: t.String({ format: "email" }),
    date: t.String({ description: "RFC 3339, in the author's own offset" }),
  },
  { $id: "CommitUser" },
);

export const CommitMeta = t.Object({ url: t.String(), sha: t.String(), created: dateTime() }, { $id: "CommitMeta" });

const CommitStats = t.Object({ total: integer(), additions: integer(), deletions: integer() }, { $id: "CommitStats" });

const CommitAffectedFiles = t.Object(
  { filename: t.String(), status: t.String({ description: "added, removed or modified" }) },
  { $id: "CommitAffectedFiles" },
);

const RepoCommit = t.Object(
  {
    url: t.String(),
    author: nullable(CommitUser),
    committer: nullable(CommitUser),
    message: t.String(),
    tree: nullable(CommitMeta),
    verification: nullable(PayloadCommitVerification),
  },
  { $id: "RepoCommit" },
);

export const Commit = t.Object(
  {
    url: t.String(),
    sha: t.String(),
    created: dateTime("When it was committed"),
    html_url: t.String(),
    commit: nullable(RepoCommit),
    author: nullable(User),
    committer: nullable(User),
    parents: t.Array(CommitMeta),
    files: nullable(t.Array(CommitAffectedFiles)),
    stats: nullable(CommitStats),
  },
  { $id: "Commit" },
);

export const Compare = t.Object(
  {
    total_commits: integer({ description: "All there are, also where not all are listed" }),
    commits: t.Array(Commit),
    files: t.Array(CommitAffectedFiles),
  },
  { $id: "Compare" },
);

/** Options for the details of a commit; all are on by default. */
export const commitDetails = {
  stat: t.Optional(t.Boolean({ description: "Count the changed lines (default true)" })),
  verification: t.Optional(t.Boolean({ description: "Tell about the signature (default true)" })),
  files: t.Optional(t.Boolean({ description: "List the changed files (default true)" })),
};
