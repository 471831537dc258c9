import { t } from "elysia";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";
import { CommitMeta, CommitUser, PayloadCommitVerification } from "../commits/schema.ts";

const FileLinksResponse = t.Object(
  { self: nullable(t.String()), git: nullable(t.String()), html: nullable(t.String()) },
  { $id: "FileLinksResponse" },
);

/** The fields of every entry. */
const entryFields = {
  name: t.String(),
  path: t.String(),
  sha: t.String({ description: "Oid of the blob or tree, or of a submodule's commit" }),
  type: t.String({ description: "file, dir, symlink or submodule" }),
  size: integer({ description: "Bytes of a file's content" }),
  encoding: nullable(t.String({ description: "base64 where there is content" })),
  content: nullable(t.String({ description: "Of a file that was asked for itself and has at most 10 MiB" })),
  target: nullable(t.String({ description: "Where a symbolic link leads" })),
  url: nullable(t.String()),
  html_url: nullable(t.String()),
  git_url: nullable(t.String()),
  download_url: nullable(t.String()),
  submodule_git_url: nullable(t.String()),
  _links: nullable(FileLinksResponse),
};

export const ContentsResponse = t.Object(
  {
    ...entryFields,
    last_commit_sha: t.String({ description: "The commit that last changed it" }),
    last_commit_when: dateTime("When that was committed"),
  },
  { $id: "ContentsResponse" },
);

const FileCommitResponse = t.Object(
  {
    url: t.String(),
    html_url: t.String(),
    sha: t.String(),
    created: dateTime(),
    author: nullable(CommitUser),
    committer: nullable(CommitUser),
    parents: t.Array(CommitMeta),
    message: t.String(),
    tree: nullable(CommitMeta),
  },
  { $id: "FileCommitResponse" },
);

const answer = { commit: nullable(FileCommitResponse), verification: nullable(PayloadCommitVerification) };

export const FileResponse = t.Object({ content: nullable(ContentsResponse), ...answer }, { $id: "FileResponse" });

export const FileDeleteResponse = t.Object(
  { content: t.Null({ description: "Nothing is left" }), ...answer },
  { $id: "FileDeleteResponse" },
);

export const FilesResponse = t.Object(
  {
    files: t.Array(ContentsResponse, { description: "The changed files, without those that were deleted" }),
    ...answer,
  },
  { $id: "FilesResponse" },
);

const Identity = t.Object(
  { name: t.Optional(t.String({ maxLength: 100 })), email: t.Optional(t.String({ maxLength: 254, format: "email" })) },
  { $id: "Identity" },
);

const CommitDateOptions = t.Object(
  { author: t.Optional(dateTime()), committer: t.Optional(dateTime()) },
  { $id: "CommitDateOptions" },
);

/** How the commit of a change looks. */
const commitFields = {
  branch: t.Optional(t.String({ description: "The branch to start from; the default branch otherwise" })),
  new_branch: t.Optional(t.String({ description: "Put the commit on this new branch instead" })),
  message: t.Optional(t.String({ description: "What the commit says; made from the paths otherwise" })),
  author: t.Optional(Identity),
  committer: t.Optional(Identity),
  dates: t.Optional(CommitDateOptions),
  signoff: t.Optional(t.Boolean({ description: "Add a Signed-off-by of the committer" })),
};

const content = t.String({ description: "The whole content in base64" });
const sha = t.String({ minLength: 1, description: "Oid of the blob that is there now" });

export const CreateFileOptions = t.Object({ content, ...commitFields }, { $id: "CreateFileOptions" });

export const UpdateFileOptions = t.Object(
  {
    content,
    sha,
    from_path: t.Optional(t.String({ maxLength: 500, description: "Where the file is now, to move it" })),
    ...commitFields,
  },
  { $id: "UpdateFileOptions" },
);

export const DeleteFileOptions = t.Object({ sha, ...commitFields }, { $id: "DeleteFileOptions" });

const ChangeFileOperation = t.Object(
  {
    operation: oneOf(["create", "update", "delete"]),
    path: t.String({ minLength: 1, maxLength: 500 }),
    content: t.Optional(content),
    sha: t.Optional(t.String({ description: "Oid of the blob that is there now; needed to update and delete" })),
    from_path: t.Optional(t.String({ description: "Where the file is now, to move it" })),
  },
  { $id: "ChangeFileOperation" },
);

export const ChangeFilesOptions = t.Object(
  { files: t.Array(ChangeFileOperation, { minItems: 1, maxItems: 10_000 }), ...commitFields },
  { $id: "ChangeFilesOptions" },
);

export const ContentsExtEntry = t.Object(
  {
    ...entryFields,
    last_commit_sha: t.Optional(t.String({ description: "The commit that last changed it (commit_metadata)" })),
    last_committer_date: t.Optional(dateTime("When that was committed (commit_metadata)")),
    last_author_date: t.Optional(dateTime("When that was written (commit_metadata)")),
    last_commit_message: t.Optional(t.String({ description: "What that commit says (commit_message)" })),
    lfs_oid: t.Optional(t.String({ description: "SHA-256 of what a file stands for in LFS (lfs_metadata)" })),
    lfs_size: t.Optional(integer({ description: "Bytes of that (lfs_metadata)" })),
  },
  { $id: "ContentsExtEntry" },
);

export const ContentsExtResponse = t.Object(
  {
    dir_contents: t.Optional(t.Array(ContentsExtEntry, { description: "Of a directory: its entries" })),
    file_contents: t.Optional(ContentsExtEntry),
  },
  { $id: "ContentsExtResponse" },
);

/** The most files that are described at once. */
const mostFiles = 50;

export const GetFilesOptions = t.Object(
  {
    files: t.Array(t.String({ minLength: 1, maxLength: 4096 }), {
      minItems: 1,
      maxItems: mostFiles,
      description: `Paths of at most ${mostFiles} files`,
    }),
  },
  { $id: "GetFilesOptions" },
);
