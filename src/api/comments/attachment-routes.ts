import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import {
  attachmentsOfComments,
  attachmentsOfIssues,
  findIssueAttachment,
  type AttachmentRow,
  type OnIssue,
} from "../../domain/attachments/queries.ts";
import { addFile, deleteFile, editFile, type FileTarget } from "../../domain/comments/attachments.ts";
import type { Doer } from "../../domain/doer.ts";
import { NotFound } from "../../domain/errors.ts";
import { prepareReceiveUpload } from "../attachments/receive-upload.ts";
import { presentIssueFile } from "../attachments/present.ts";
import { Attachment, EditAttachmentOptions, UploadForm } from "../attachments/schema.ts";
import { prepareSendAttachment } from "../attachments/send-attachment.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { dateTime, rowId } from "../common/schema.ts";
import { getIssueRow } from "../issues/find-issue.ts";
import { getEntry } from "./find-comment.ts";

const octets = "application/octet-stream";
const reads = { on: "repository", do: "read", unit: "issues-or-pulls" } as const;
const participates = { on: "repository", do: "participate", unit: "issues-or-pulls" } as const;
const fileId = rowId("Id of the file");
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

/** What the endpoints of files answer, whatever the files are attached to. */
function prepareHandlers({ forge }: Api) {
  const receive = prepareReceiveUpload(forge);
  const send = prepareSendAttachment(forge);
  const { db } = forge.database;

  async function findTarget({ repository }: Asked, target: FileTarget): Promise<{ on: OnIssue; number: number }> {
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

  async function getFile(asked: AskedForFile, target: FileTarget): Promise<{ row: AttachmentRow; number: number }> {
    const { on, number } = await findTarget(asked, target);
    const row = await findIssueAttachment(db, on, asked.params.attachment_id);
    if (row === null) {
      throw new NotFound("file", String(asked.params.attachment_id));
    }
    return { row, number };
  }

  return {
    async list(asked: Asked, target: FileTarget) {
      const { on, number } = await findTarget(asked, target);
      const rows =
        on.commentId === null
          ? await attachmentsOfIssues(db, [on.issueId])
          : await attachmentsOfComments(db, [on.commentId]);
      return rows.map((row) => presentIssueFile(forge.addresses, asked.repository, number, row));
    },
    async add(asked: Uploading, target: FileTarget) {
      const { doer, repository, request, query } = asked;
      // Before the bytes come, of which there may be many.
      const { number } = await findTarget(asked, target);
      const createdAt = query.updated_at === undefined ? null : readInstant(query.updated_at, "updated_at");
      await using file = await receive(request, query.name);
      const row = await addFile(forge, doer, repository, target, file, createdAt);
      return created(presentIssueFile(forge.addresses, repository, number, row));
    },
    async get(asked: AskedForFile, target: FileTarget) {
      const { row, number } = await getFile(asked, target);
      return presentIssueFile(forge.addresses, asked.repository, number, row);
    },
    async content(asked: AskedForFile & { request: Request }, target: FileTarget) {
      const { row } = await getFile(asked, target);
      return send(asked.request, row);
    },
    async edit(asked: Patching, target: FileTarget) {
      const { doer, repository, params, body } = asked;
      const { number } = await findTarget(asked, target);
      const patch = { name: body.name || null, externalUrl: body.browser_download_url || null };
      const row = await forge.change(doer, (work) => editFile(work, repository, target, params.attachment_id, patch));
      return created(presentIssueFile(forge.addresses, repository, number, row));
    },
    async remove({ doer, repository, params }: AskedForFile & { doer: Doer }, target: FileTarget) {
      await forge.change(doer, (work) => deleteFile(work, repository, target, params.attachment_id));
      return empty();
    },
  };
}

const ofIssue = (asked: { params: { index: number } }) => ({ number: asked.params.index });
const ofComment = (asked: { params: { id: number } }) => ({ commentId: asked.params.id });

export function issueAttachmentRoutes(api: Api) {
  const { list, add, get, content, edit, remove } = prepareHandlers(api);

  return api
    .group("/repos/:owner/:repo/issues/:index/assets", {
      tag: "issue",
      scopes: ["issue"],
      may: reads,
      params: { index: rowId("Number of the issue or pull request"), attachment_id: fileId },
    })
    .get(
      "",
      {
        operationId: "issueListIssueAttachments",
        summary: "List the files of an issue or a pull request",
        responses: ok(t.Array(Attachment), "The files"),
      },
      (asked) => list(asked, ofIssue(asked)),
    )
    .post(
      "",
      {
        operationId: "issueCreateIssueAttachment",
        summary: "Attach a file to an issue or a pull request",
        description: `${ownOrWriter} The file is the part \`attachment\` of a form, or the body itself, whose name is then in the query.`,
        may: participates,
        query: uploadQuery,
        upload,
        responses: made(Attachment, "The file"),
      },
      (asked) => add(asked, ofIssue(asked)),
    )
    .get(
      "/:attachment_id",
      {
        operationId: "issueGetIssueAttachment",
        summary: "Get what is known of a file of an issue or a pull request",
        responses: ok(Attachment, "The file"),
      },
      (asked) => get(asked, ofIssue(asked)),
    )
    .get(
      "/:attachment_id/content",
      {
        operationId: "issueGetIssueAttachmentContent",
        summary: "Download a file of an issue or a pull request",
        description: "Answers ranges. A file elsewhere is not there.",
        responses: { 200: { description: "The bytes of the file", contentType: octets } },
      },
      (asked) => content(asked, ofIssue(asked)),
    )
    .patch(
      "/:attachment_id",
      {
        operationId: "issueEditIssueAttachment",
        summary: "Rename a file of an issue or a pull request",
        description: ownOrWriter,
        may: participates,
        body: EditAttachmentOptions,
        responses: made(Attachment, "The file"),
      },
      (asked) => edit(asked, ofIssue(asked)),
    )
    .delete(
      "/:attachment_id",
      {
        operationId: "issueDeleteIssueAttachment",
        summary: "Delete a file of an issue or a pull request",
        description: ownOrWriter,
        may: participates,
        responses: done,
      },
      (asked) => remove(asked, ofIssue(asked)),
    );
}

export function commentAttachmentRoutes(api: Api) {
  const { list, add, get, content, edit, remove } = prepareHandlers(api);

  return api
    .group("/repos/:owner/:repo/issues/comments/:id/assets", {
      tag: "issue",
      scopes: ["issue"],
      may: reads,
      params: { id: rowId("Id of the comment"), attachment_id: fileId },
    })
    .get(
      "",
      {
        operationId: "issueListIssueCommentAttachments",
        summary: "List the files of a comment",
        responses: ok(t.Array(Attachment), "The files"),
      },
      (asked) => list(asked, ofComment(asked)),
    )
    .post(
      "",
      {
        operationId: "issueCreateIssueCommentAttachment",
        summary: "Attach a file to a comment",
        description: `${ownOrWriter} The file is the part \`attachment\` of a form, or the body itself, whose name is then in the query.`,
        may: participates,
        query: uploadQuery,
        upload,
        responses: made(Attachment, "The file"),
      },
      (asked) => add(asked, ofComment(asked)),
    )
    .get(
      "/:attachment_id",
      {
        operationId: "issueGetIssueCommentAttachment",
        summary: "Get what is known of a file of a comment",
        responses: ok(Attachment, "The file"),
      },
      (asked) => get(asked, ofComment(asked)),
    )
    .get(
      "/:attachment_id/content",
      {
        operationId: "issueGetIssueCommentAttachmentContent",
        summary: "Download a file of a comment",
        description: "Answers ranges. A file elsewhere is not there.",
        responses: { 200: { description: "The bytes of the file", contentType: octets } },
      },
      (asked) => content(asked, ofComment(asked)),
    )
    .patch(
      "/:attachment_id",
      {
        operationId: "issueEditIssueCommentAttachment",
        summary: "Rename a file of a comment",
        description: ownOrWriter,
        may: participates,
        body: EditAttachmentOptions,
        responses: made(Attachment, "The file"),
      },
      (asked) => edit(asked, ofComment(asked)),
    )
    .delete(
      "/:attachment_id",
      {
        operationId: "issueDeleteIssueCommentAttachment",
        summary: "Delete a file of a comment",
        description: ownOrWriter,
        may: participates,
        responses: done,
      },
      (asked) => remove(asked, ofComment(asked)),
    );
}
