import { t, type Static } from "elysia";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { ComparedFile } from "../../git/operations/compare-files.ts";
import { integer, oneOf } from "../common/schema.ts";

const statuses = ["added", "deleted", "renamed", "copied", "changed", "unchanged"] as const;

export const ChangedFile = t.Object(
  {
    filename: t.String(),
    previous_filename: t.Optional(t.String({ description: "Only of a renamed or copied file" })),
    status: oneOf(statuses, "unchanged: its mode alone, or whitespace that is ignored"),
    additions: integer({ description: "Lines; none of a binary file" }),
    deletions: integer({ description: "Lines; none of a binary file" }),
    changes: integer({ description: "Additions and deletions" }),
    html_url: t.Optional(t.String({ description: "The page of the file in the head" })),
    contents_url: t.Optional(t.String({ description: "Address of the file in the API" })),
    raw_url: t.Optional(t.String({ description: "Address of its bytes" })),
  },
  { $id: "ChangedFile" },
);

/** `commit`: the head of the pull request. */
export function presentChangedFile(
  addresses: Addresses,
  { owner, repository }: RepositoryAccess,
  commit: string,
  file: ComparedFile,
): Static<typeof ChangedFile> {
  const { path, formerPath, additions, deletions } = file;
  return {
    filename: path,
    ...(formerPath === null ? {} : { previous_filename: formerPath }),
    status: statusOf(file),
    additions,
    deletions,
    changes: additions + deletions,
    html_url: addresses.source(owner.name, repository.name, "commit", commit, path),
    contents_url: addresses.contentsApi(owner.name, repository.name, path, commit),
    raw_url: addresses.rawApi(owner.name, repository.name, path, commit),
  };
}

function statusOf({ status, sameContent, binary, additions, deletions }: ComparedFile): (typeof statuses)[number] {
  switch (status) {
    case "removed":
      return "deleted";
    case "modified":
    case "retyped":
      return sameContent || (!binary && additions + deletions === 0) ? "unchanged" : "changed";
    default:
      return status;
  }
}
