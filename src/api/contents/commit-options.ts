import type { Static } from "elysia";
import type { CommitOptions } from "../../domain/git/contents/commit-files.ts";
import type { ChangeFilesOptions } from "./schema.ts";

/** How the commit of a change is to look, from the body of any operation that makes one. */
export function commitOptionsOf(body: Omit<Static<typeof ChangeFilesOptions>, "files">): CommitOptions {
  const { branch, new_branch: newBranch, message, author, committer, dates, signoff } = body;
  return {
    branch,
    newBranch,
    message,
    author,
    committer,
    authorDate: dates?.author,
    committerDate: dates?.committer,
    signoff,
  };
}
