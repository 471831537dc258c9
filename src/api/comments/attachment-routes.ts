import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import {
  attachmentsOfComments,
  attachmentsOfIssues,
  findIssueAttachment,
  type AttachmentRow,
  type OnIssue,
} from "../../domain/repos/attachments/queries.ts";
import { addFile, deleteFile, editFile } from "../../domain/work/comments/attachments.ts";
import type { TextTarget } from "../../domain/work/comments/lock-text.ts";
import type { Doer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { prepareReceiveUpload } from "../attachments/receive-upload.ts";
import { presentIssueFile } from "../attachments/present.ts";
import { Attachment, EditAttachmentOptions, UploadForm } from "../attachments/schema.ts";
import { prepareSendAttachment } from "../attachments/send-attachment.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { dateTime, rowId } from "../common/schema.ts";
import { getEntry } from "./find-comment.ts";

const octets = "application/octet-stream";
const reads = { on: "repository", do: "read", unit: "issues-or-pulls" } as const;
const participates = { on: "repository", do: "participate", unit: "issues-or-pulls" } as const;
const ownOrWriter = "Of what one wrote oneself, or of anything with write access.";

const uploadQuery = {
  name: t.Optional(t.String({ description: "Name of the file; of a form, else that of its part" })),
  updated_at: t.Optional(
    dateTime("When it was attached, for what is brought from elsewhere. Needs administrative access"),
  ),
};
const upload = { form: UploadForm, raw: true };

interface Asked {
  repository: RepositoryAccess;
}
interface AskedForFile extends Asked {
  params: { attachment_id: number };
}
interface Uploading extends Asked {
  doer: Doer;
  request: Request;
  query: { name?: string; updated_at?: string };
}
interface Patching extends AskedForFile {
  doer: Doer;
  body: { name?: string; browser_download_url?: string };
}

/** Handlers for files of issues and of comments. */
function prepareHandlers({ forge }: Api) {
  const receive = prepareReceiveUpload(forge);
  const send = prepareSendAttachment(forge);
  const { db } = forge.database;

  async function findTarget({ repository }: Asked, target: TextTarget): Promise<{ on: OnIssue; number: number }> {
    if ("number" in target) {
      const { id } = await getIssueRow(forge, repository, target.number);
      return { on: { issueId: id, commentId: null }, number: target.number };
    }
    const { comment, issue } = await getEntry(forge, repository, target.commentId);
    if (comment.kind !== "comment") {
      throw new NotFound("comment", String(target.commentId));
    }
    return { on: { issueId: comment.issueId, commentId: comment.id }, number: issue.number };
  }

  async function getFile(asked: AskedForFile, target: TextTarget): Promise<{ row: AttachmentRow; number: number }> {
    const { on, number } = await findTarget(asked, target);
    const row = await findIssueAttachment(db, on, asked.params.attachment_id);
    if (row === null) {
      throw new NotFound("file", String(asked.params.attachment_id));
    }
    return { row, number };
  }

  return {
    async list(asked: Asked, target: TextTarget) {
      const { on, number } = await findTarget(asked, target);
      const rows =
        on.commentId === null
          ? await attachmentsOfIssues(db, [on.issueId])
          : await attachmentsOfComments(db, [on.commentId]);
      return rows.map((row) => presentIssueFile(forge.addresses, asked.repository, number, row));
    },
    async add(asked: Uploading, target: TextTarget) {
      const { doer, repository, request, query } = asked;
      // Before the bytes come, of which there may be many.
      const { number } = await findTarget(asked, target);
      const createdAt = query.updated_at === undefined ? null : readInstant(query.updated_at, "updated_at");
      await using file = await receive(request, query.name);
      const row = await addFile(forge, doer, repository, target, file, createdAt);
      return created(presentIssueFile(forge.addresses, repository, number, row));
    },
    async get(asked: AskedForFile, target: TextTarget) {
      const { row, number } = await getFile(asked, target);
      return presentIssueFile(forge.addresses, asked.repository, number, row);
    },
    async content(asked: AskedForFile & { request: Request }, target: TextTarget) {
      const { row } = await getFile(asked, target);
      return send(asked.request, row);
    },
    async edit(asked: Patching, target: TextTarget) {
      const { doer, repository, params, body } = asked;
      const { number } = await findTarget(asked, target);
      const patch = { name: body.name || null, externalUrl: body.browser_download_url || null };
      const row = await forge.change(doer, (work) => editFile(work, repository, target, params.attachment_id, patch));
      return created(presentIssueFile(forge.addresses, repository, number, row));
    },
    async remove({ doer, repository, params }: AskedForFile & { doer: Doer }, target: TextTarget) {
      await forge.change(doer, (work) => deleteFile(work, repository, target, params.attachment_id));
      return empty();
    },
  };
}

/** The two things that files are attached to. */
const subjects = {
  Issue: { at: "/repos/:owner/:repo/issues/:index/assets", of: "an issue or a pull request" },
  IssueComment: { at: "/repos/:owner/:repo/issues/comments/:id/assets", of: "a comment" },
} as const;
const params = {
  index: rowId("Number of the issue or pull request"),
  id: rowId("Id of the comment"),
  attachment_id: rowId("Id of the file"),
};

/** The path has the number of an issue, or the id of a comment. */
const targetOf = ({ params }: { params: { index?: number; id?: number } }): TextTarget =>
  params.index === undefined ? { commentId: params.id ?? 0 } : { number: params.index };

function attachmentRoutes(api: Api, word: keyof typeof subjects) {
  const { list, add, get, content, edit, remove } = prepareHandlers(api);
  const { at, of } = subjects[word];

  return api
    .group(at, { tag: "issue", scopes: ["issue"], may: reads, params })
    .get(
      "",
      {
        operationId: `issueList${word}Attachments`,
        summary: `List the files of ${of}`,
        responses: ok(t.Array(Attachment), "The files"),
      },
      (asked) => list(asked, targetOf(asked)),
    )
    .post(
      "",
      {
        operationId: `issueCreate${word}Attachment`,
        summary: `Attach a file to ${of}`,
        description: `${ownOrWriter} The file is the part \`attachment\` of a form, or the body itself, whose name is then in the query.`,
        may: participates,
        query: uploadQuery,
        upload,
        responses: made(Attachment, "The file"),
      },
      (asked) => add(asked, targetOf(asked)),
    )
    .get(
      "/:attachment_id",
      {
        operationId: `issueGet${word}Attachment`,
        summary: `Get what is known of a file of ${of}`,
        responses: ok(Attachment, "The file"),
      },
      (asked) => get(asked, targetOf(asked)),
    )
    .get(
      "/:attachment_id/content",
      {
        operationId: `issueGet${word}AttachmentContent`,
        summary: `Download a file of ${of}`,
        description: "Answers ranges. A file elsewhere is not there.",
        responses: { 200: { description: "The bytes of the file", contentType: octets } },
      },
      (asked) => content(asked, targetOf(asked)),
    )
    .patch(
      "/:attachment_id",
      {
        operationId: `issueEdit${word}Attachment`,
        summary: `Rename a file of ${of}`,
        description: ownOrWriter,
        may: participates,
        body: EditAttachmentOptions,
        responses: made(Attachment, "The file"),
      },
      (asked) => edit(asked, targetOf(asked)),
    )
    .delete(
      "/:attachment_id",
      {
        operationId: `issueDelete${word}Attachment`,
        summary: `Delete a file of ${of}`,
        description: ownOrWriter,
        may: participates,
        responses: done,
      },
      (asked) => remove(asked, targetOf(asked)),
    );
}

export const issueAttachmentRoutes = (api: Api) => attachmentRoutes(api, "Issue");
export const commentAttachmentRoutes = (api: Api) => attachmentRoutes(api, "IssueComment");
