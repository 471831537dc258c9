import { Elysia } from "elysia";
import { findAttachmentByUuid } from "../../domain/repos/attachments/queries.ts";
import { demandTo, guard } from "../../domain/spine/guard.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { identifyRequest, presentsCredentials } from "../../http/identify-request.ts";
import { identifyVisitor } from "../../http/identify-visitor.ts";
import { readParams } from "../../http/read-params.ts";
import type { Api } from "../common/api.ts";
import { errorResponse } from "../common/errors.ts";
import { answer } from "../common/respond.ts";
import { prepareSendAttachment } from "./send-attachment.ts";

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Files by their UUID, at the address that the family's texts name. They are as private as their release, issue or
 * comment: for others they do not exist.
 */
export function attachmentRoutes({ forge }: Api) {
  const send = prepareSendAttachment(forge);

  async function sendFile(request: Request, uuid: string): Promise<Response> {
    const found = uuidForm.test(uuid) ? await findAttachmentByUuid(forge.database.db, uuid) : null;
    const named = { what: "file", name: uuid.slice(0, 80) };
    // One that waits for a text is its uploader's alone.
    const isLoose = found?.unit === null;
    const unit = found?.unit ?? (isLoose ? "issues-or-pulls" : "releases");
    const may = { on: "repository", do: found?.draft === true ? "write" : "read", unit } as const;
    const demand = demandTo(may, "read", [unit === "releases" ? "repository" : "issue"]);
    const target = { repositoryId: found?.attachment.repositoryId ?? 0 };
    // Pages show them as pictures: a browser's session counts as on the pages.
    const subject = presentsCredentials(forge, request)
      ? await identifyRequest(forge, request, target)
      : (await identifyVisitor(forge, request, target)).subject;
    const isOthers = isLoose && subject.actor?.id !== found.attachment.uploaderId;
    if (found === null || isOthers || isHiddenDraft(found.draft, subject.repository?.units.releases)) {
      throw new NotFound(named.what, named.name);
    }
    await guard(subject, { demand, named, target });
    return answer(forge, request, () => send(request, found.attachment));
  }

  return new Elysia().get(
    "/attachments/:uuid",
    async ({ request, params }) => {
      try {
        return await sendFile(request, readParams(request, params).uuid);
      } catch (error) {
        return errorResponse(forge, request, error);
      }
    },
    { parse: "none" },
  );
}

function isHiddenDraft(draft: boolean, mode: number | undefined): boolean {
  return draft && (mode ?? accessModes.none) < accessModes.write;
}
