import { t, type Static } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { commitFiles, type CommitOptions, type FilesCommitted } from "../../domain/git/contents/commit-files.ts";
import { findEditor } from "../../domain/work/pulls/maintainer-push.ts";
import { decodeContent } from "../../domain/git/contents/decode-content.ts";
import type { FileChange } from "../../git/edit/apply-changes.ts";
import type { StagedJson } from "../../http/staged-json.ts";
import { largestInlineFile } from "../../domain/git/contents/content-reader.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { FairShare } from "../../lib/fair-share.ts";
import { currentPrincipal } from "../../lib/request-context.ts";
import type { Api } from "../common/api.ts";
import { json } from "../common/reply.ts";
import { conflict, made, ok } from "../common/responses.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { placeOf, presentFileCommit, presentVerification } from "../commits/present.ts";
import { commitOptionsOf } from "./commit-options.ts";
import { presentContents } from "./present.ts";
import {
  ChangeFilesOptions,
  CreateFileOptions,
  DeleteFileOptions,
  FileDeleteResponse,
  FileResponse,
  FilesResponse,
  UpdateFileOptions,
} from "./schema.ts";

/** The committer, whose credential limits what the answer shows. */

type ChangeBody = Static<typeof ChangeFilesOptions>;

/** The repository refuses, or the change does not fit. */

function changeOf(
  { operation, path, content, sha, from_path: from }: ChangeBody["files"][number],
  field: string,
  staged: StagedJson | null,
): FileChange {
  if (operation !== "create" && !sha) {
    throw new InvalidInput(`${field}sha is required to ${operation} "${path}"`, `${field}sha`);
  }
  if (operation === "update" && content === undefined && !from) {
    throw new InvalidInput(`${field}content is required to update "${path}"`, `${field}content`);
  }
  const decoded =
    content === undefined
      ? operation === "create"
        ? new Uint8Array(0)
        : null
      : (staged?.find(content) ?? decodeContent(content, `${field}content`));
  return {
    operation,
    path,
    fromPath: operation === "update" ? from || null : null,
    bytes: operation === "delete" ? null : decoded,
    mode: null,
    expectedOid: operation === "create" ? null : (sha ?? null),
  };
}

/** A commit of more files waits for its turn: making one of 8,000, and telling of each, takes 5 s and 250 MB. */
const fewFiles = 100;
const manyFiles = { what: "commits of many files", places: 2, placesEach: 1, waiting: 50, waitingEach: 10 };

/** Changes of files, each a commit. */
export function contentWriteRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);
  const turns = new FairShare(manyFiles);

  /** Presents a change. Deleted files are left out. */
  async function present(
    access: RepositoryAccess,
    doer: UserDoer,
    { branch, commit, view }: FilesCommitted,
    changes: readonly FileChange[],
  ) {
    const place = placeOf(forge.addresses, access);
    const record = await forge.git.commits.get(view, commit);
    const files = [];
    let room = largestInlineFile;
    for (const change of changes) {
      const found = change.operation === "delete" ? null : await forge.git.contents.find(view, commit, change.path);
      if (found?.kind === "file") {
        // The contents of many files share the limit of one large file.
        room -= found.bytes?.length ?? 0;
        const bytes = room < 0 ? null : found.bytes;
        files.push(presentContents(place, { kind: "branch", name: branch }, found.entry, bytes));
      }
    }
    const verification = presentVerification(
      await people.ofSignature(record.signature, record.committer, doer),
      record.committer.email,
    );
    return { files, commit: presentFileCommit(place, record), verification };
  }

  async function change(
    access: RepositoryAccess,
    doer: UserDoer,
    changes: readonly FileChange[],
    options: CommitOptions,
  ) {
    const branch = options.branch || access.repository.defaultBranch;
    const editor = await findEditor(forge.database.db, doer, access, branch);
    const request = { repository: access, changes, options, asMaintainer: editor.asMaintainer };
    return present(access, doer, await commitFiles(forge, editor.doer, request), changes);
  }

  async function changeOne(
    access: RepositoryAccess,
    doer: UserDoer,
    operation: ChangeBody["files"][number],
    staged: StagedJson | null,
    options: CommitOptions,
  ) {
    const { files, ...rest } = await change(access, doer, [changeOf(operation, "", staged)], options);
    return { content: files[0] ?? null, ...rest };
  }

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "write", unit: "code" },
  })
    .post(
      "/contents",
      {
        operationId: "repoChangeFiles",
        summary: "Create, update and delete several files in one commit",
        body: ChangeFilesOptions,
        bodyLimit: "content",
        forEditors: true,
        stages: "content",
        responses: { ...made(FilesResponse, "The commit and its files"), ...conflict },
      },
      async ({ doer, repository, body, staged, signal }) => {
        using _place = body.files.length > fewFiles ? await turns.take(currentPrincipal(), signal) : null;
        const changes = body.files.map((operation, index) => changeOf(operation, `files.${index}.`, staged));
        return json(201, await change(repository, doer, changes, commitOptionsOf(body)));
      },
    )
    .post(
      "/contents/:filepath+",
      {
        operationId: "repoCreateFile",
        summary: "Create a file",
        params: { filepath: t.String({ description: "Path of the file" }) },
        body: CreateFileOptions,
        bodyLimit: "content",
        forEditors: true,
        stages: "content",
        responses: { ...made(FileResponse, "The file and its commit"), ...conflict },
      },
      async ({ doer, repository, params, body, staged }) =>
        json(
          201,
          await changeOne(
            repository,
            doer,
            { operation: "create", path: params.filepath, content: body.content },
            staged,
            commitOptionsOf(body),
          ),
        ),
    )
    .put(
      "/contents/:filepath+",
      {
        operationId: "repoUpdateFile",
        summary: "Change the content of a file, and its path if from_path is given",
        params: { filepath: t.String({ description: "Path of the file" }) },
        body: UpdateFileOptions,
        bodyLimit: "content",
        forEditors: true,
        stages: "content",
        responses: { ...ok(FileResponse, "The file and its commit"), ...conflict },
      },
      async ({ doer, repository, params, body, staged }) => {
        const { content, sha, from_path } = body;
        const operation = {
          operation: "update" as const,
          path: params.filepath,
          content,
          sha,
          ...(from_path ? { from_path } : {}),
        };
        return changeOne(repository, doer, operation, staged, commitOptionsOf(body));
      },
    )
    .delete(
      "/contents/:filepath+",
      {
        operationId: "repoDeleteFile",
        summary: "Delete a file",
        params: { filepath: t.String({ description: "Path of the file" }) },
        body: DeleteFileOptions,
        bodyLimit: "content",
        forEditors: true,
        responses: { ...ok(FileDeleteResponse, "The commit"), ...conflict },
      },
      async ({ doer, repository, params, body }) => {
        const operation = { operation: "delete" as const, path: params.filepath, sha: body.sha };
        return {
          ...(await changeOne(repository, doer, operation, null, commitOptionsOf(body))),
          content: null,
        };
      },
    );
}
