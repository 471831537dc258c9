import { Elysia, t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import {
  attachmentsOfReleases,
  findPublishedAttachment,
  findReleaseAttachment,
  type AttachmentRow,
} from "../../domain/repos/attachments/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { addAsset, deleteAsset, editAsset } from "../../domain/repos/releases/assets.ts";
import { getRelease } from "../../domain/repos/releases/get-release.ts";
import { clip } from "../../lib/show-value.ts";
import { prepareReceiveUpload } from "../attachments/receive-upload.ts";
import { Attachment, EditAttachmentOptions, UploadForm } from "../attachments/schema.ts";
import { prepareSendAttachment } from "../attachments/send-attachment.ts";
import type { Api } from "../common/api.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { rowId } from "../common/schema.ts";
import { presentAsset } from "./present.ts";

const octets = "application/octet-stream";

interface Asked extends Viewer {
  repository: RepositoryAccess;
  params: { id: number; attachment_id: number };
}

export function releaseAssetRoutes({ forge, group }: Api) {
  const receive = prepareReceiveUpload(forge);
  const send = prepareSendAttachment(forge);
  const write = { on: "repository", do: "write", unit: "releases" } as const;
  const id = rowId("Id of the release");
  const attachmentId = rowId("Id of the file");

  async function get({ repository, params, actor, credential }: Asked): Promise<AttachmentRow> {
    await getRelease(forge, { actor, credential }, repository, { id: params.id });
    const { db } = forge.database;
    const row = await findReleaseAttachment(db, repository.repository.id, params.id, params.attachment_id);
    if (row === null) {
      throw new NotFound("file of the release", String(params.attachment_id));
    }
    return row;
  }

  return group("/repos/:owner/:repo/releases/:id/assets", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "releases" },
    params: { id, attachment_id: attachmentId },
  })
    .get(
      "",
      {
        operationId: "repoListReleaseAttachments",
        summary: "List the files of a release",
        responses: ok(t.Array(Attachment), "The files"),
      },
      async ({ repository, params, actor, credential }) => {
        const { release } = await getRelease(forge, { actor, credential }, repository, { id: params.id });
        const rows = await attachmentsOfReleases(forge.database.db, [release.id]);
        return rows.map((row) => presentAsset(forge.addresses, repository, row));
      },
    )
    .post(
      "",
      {
        operationId: "repoCreateReleaseAttachment",
        summary: "Attach a file to a release",
        description:
          "The file is the part `attachment` of a form, or the body itself, whose name is then in the query. A form may say where a file elsewhere is instead.",
        may: write,
        query: { name: t.Optional(t.String({ description: "Name of the file; of a form, else that of its part" })) },
        upload: { form: UploadForm, raw: true },
        responses: made(Attachment, "The file"),
      },
      async ({ doer, repository, params, query, request, actor, credential }) => {
        // Before the bytes come, of which there may be many.
        await getRelease(forge, { actor, credential }, repository, { id: params.id });
        await using upload = await receive(request, query.name);
        return created(
          presentAsset(forge.addresses, repository, await addAsset(forge, doer, repository, params.id, upload)),
        );
      },
    )
    .get(
      "/:attachment_id",
      {
        operationId: "repoGetReleaseAttachment",
        summary: "Get what is known of a file of a release",
        responses: ok(Attachment, "The file"),
      },
      async (asked) => presentAsset(forge.addresses, asked.repository, await get(asked)),
    )
    .get(
      "/:attachment_id/content",
      {
        operationId: "repoGetReleaseAttachmentContent",
        summary: "Download a file of a release",
        description: "Answers ranges. A file elsewhere is not there.",
        responses: { 200: { description: "The bytes of the file", contentType: octets } },
      },
      async (asked) => send(asked.request, await get(asked)),
    )
    .patch(
      "/:attachment_id",
      {
        operationId: "repoEditReleaseAttachment",
        summary: "Rename a file of a release",
        may: write,
        body: EditAttachmentOptions,
        responses: made(Attachment, "The file"),
      },
      async ({ doer, repository, params, body }) => {
        const patch = { name: body.name || null, externalUrl: body.browser_download_url || null };
        const row = await forge.change(doer, (work) =>
          editAsset(work, repository, params.id, params.attachment_id, patch),
        );
        return created(presentAsset(forge.addresses, repository, row));
      },
    )
    .delete(
      "/:attachment_id",
      {
        operationId: "repoDeleteReleaseAttachment",
        summary: "Delete a file of a release",
        may: write,
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteAsset(work, repository, params.id, params.attachment_id));
        return empty();
      },
    );
}

/** Files of releases by tag and name, at the address that the family's pages have: tools make it up from these two. */
export function releaseDownloadRoutes({ forge, group }: Api) {
  const send = prepareSendAttachment(forge);

  return group("/:owner/:repo/releases/download", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "releases" },
  })
    .get(
      "/:file+",
      {
        operationId: "repoDownloadReleaseAttachment",
        summary: "Download a file of a release by the name of its tag and its own",
        params: { file: t.String({ description: "Name of the tag, a slash, and the name of the file" }) },
        responses: {
          200: { description: "The bytes of the file", contentType: octets },
          302: { description: "Location is the file, which is elsewhere" },
        },
      },
      async ({ repository, params, request }) => {
        const slash = params.file.lastIndexOf("/");
        const [tag, name] = [params.file.slice(0, Math.max(slash, 0)), params.file.slice(slash + 1)];
        const row = await findPublishedAttachment(forge.database.db, repository.repository.id, tag, name);
        if (row === null) {
          throw new NotFound("file of a release", clip(params.file, 80));
        }
        if (row.externalUrl !== null) {
          // The server of the file need not know where the user comes from.
          return empty(302, { location: row.externalUrl, "referrer-policy": "no-referrer" });
        }
        return send(request, row);
      },
    )
    .addTo(new Elysia());
}
