import { Elysia, t, type Static } from "elysia";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { commitFiles, type CommitOptions, type FilesCommitted } from "../../domain/contents/commit-files.ts";
import { decodeContent } from "../../domain/contents/decode-content.ts";
import type { FileChange } from "../../git/edit/apply-changes.ts";
import type { StagedJson } from "../../http/staged-json.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { json } from "../common/reply.ts";
import { archived, bodyTooLarge, conflict, forbidden, invalid, made, notFound, ok } from "../common/responses.ts";
import { repositoryParams } from "../common/schema.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { placeOf, presentFileCommit, presentVerification } from "../commits/present.ts";
import { commitOptionsOf } from "./commit-options.ts";
import { presentContents } from "./present.ts";
import { ChangeFilesOptions, CreateFileOptions, DeleteFileOptions, FileDeleteResponse, FileResponse, FilesResponse, UpdateFileOptions } from "./schema.ts";

type ChangeBody = Static<typeof ChangeFilesOptions>;

/** The repository refuses, or the change does not fit. */
const refusals = { ...forbidden, ...notFound, ...conflict, ...bodyTooLarge, ...invalid, ...archived };
const fileParams = t.Object({ ...repositoryParams, "*": t.String({ description: "Path of the file" }) });

function changeOf({ operation, path, content, sha, from_path: from }: ChangeBody["files"][number], field: string, staged: StagedJson | null): FileChange {
  if (operation !== "create" && !sha) {
    throw new InvalidInput(`${field}sha is required to ${operation} "${path}"`, `${field}sha`);
  }
  if (operation === "update" && content === undefined && !from) {
    throw new InvalidInput(`${field}content is required to update "${path}"`, `${field}content`);
  }
  const decoded = content === undefined ? (operation === "create" ? new Uint8Array(0) : null) : (staged?.find(content) ?? decodeContent(content, `${field}content`));
  return {
    operation,
    path,
    fromPath: operation === "update" ? from || null : null,
    bytes: operation === "delete" ? null : decoded,
    mode: null,
    expectedOid: operation === "create" ? null : (sha ?? null),
  };
}

/** Changes of files, each a commit. */
export function contentWriteRoutes({ forge, endpoint }: Api) {
  const people = prepareFindPeople(forge);

  /** What every change answers with; of deleted files there is nothing to tell. */
  async function present(access: RepositoryAccess, actor: Actor, { branch, commit, view }: FilesCommitted, changes: readonly FileChange[]) {
    const place = placeOf(forge.addresses, access);
    const record = await forge.commits.get(view, commit);
    const files = [];
    for (const change of changes) {
      const found = change.operation === "delete" ? null : await forge.contents.find(view, commit, change.path);
      if (found?.kind === "file") {
        files.push(presentContents(place, { kind: "branch", name: branch }, found.entry, found.bytes));
      }
    }
    const verification = presentVerification(await people.ofSignature(record.signature, record.committer, actor), record.committer.email);
    return { files, commit: presentFileCommit(place, record), verification };
  }

  async function change(access: RepositoryAccess, actor: Actor, changes: readonly FileChange[], options: CommitOptions) {
    return present(access, actor, await commitFiles(forge, { repository: access, actor, changes, options }), changes);
  }

  async function changeOne(access: RepositoryAccess, actor: Actor, operation: ChangeBody["files"][number], staged: StagedJson | null, options: CommitOptions) {
    const { files, ...rest } = await change(access, actor, [changeOf(operation, "", staged)], options);
    return { content: files[0] ?? null, ...rest };
  }

  return new Elysia({ prefix: "/repos/:owner/:repo" })
    .post(
      "/contents",
      ...endpoint(
        {
          operationId: "repoChangeFiles",
          tag: "repository",
          summary: "Create, update and delete several files in one commit",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params: t.Object(repositoryParams),
          body: ChangeFilesOptions,
          bodyLimit: "content",
          stages: "content",
          responses: { ...made(FilesResponse, "The commit and its files"), ...refusals },
        },
        async ({ actor, repository, body, staged }) => {
          const changes = body.files.map((operation, index) => changeOf(operation, `files.${index}.`, staged));
          return json(201, await change(repository, actor, changes, commitOptionsOf(body)));
        },
      ),
    )
    .post(
      "/contents/*",
      ...endpoint(
        {
          operationId: "repoCreateFile",
          tag: "repository",
          summary: "Create a file",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params: fileParams,
          body: CreateFileOptions,
          bodyLimit: "content",
          stages: "content",
          responses: { ...made(FileResponse, "The file and its commit"), ...refusals },
        },
        async ({ actor, repository, params, body, staged }) =>
          json(201, await changeOne(repository, actor, { operation: "create", path: params["*"], content: body.content }, staged, commitOptionsOf(body))),
      ),
    )
    .put(
      "/contents/*",
      ...endpoint(
        {
          operationId: "repoUpdateFile",
          tag: "repository",
          summary: "Change the content of a file, and its path if from_path is given",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params: fileParams,
          body: UpdateFileOptions,
          bodyLimit: "content",
          stages: "content",
          responses: { ...ok(FileResponse, "The file and its commit"), ...refusals },
        },
        async ({ actor, repository, params, body, staged }) => {
          const { content, sha, from_path } = body;
          const operation = { operation: "update" as const, path: params["*"], content, sha, ...(from_path ? { from_path } : {}) };
          return changeOne(repository, actor, operation, staged, commitOptionsOf(body));
        },
      ),
    )
    .delete(
      "/contents/*",
      ...endpoint(
        {
          operationId: "repoDeleteFile",
          tag: "repository",
          summary: "Delete a file",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params: fileParams,
          body: DeleteFileOptions,
          bodyLimit: "content",
          responses: { ...ok(FileDeleteResponse, "The commit"), ...refusals },
        },
        async ({ actor, repository, params, body }) => changeOne(repository, actor, { operation: "delete", path: params["*"], sha: body.sha }, null, commitOptionsOf(body)),
      ),
    );
}
