import { Elysia } from "elysia";
import { findAttachmentByUuid } from "../../domain/repos/attachments/queries.ts";
import { demandTo, guard } from "../../domain/spine/guard.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { identifyRequest } from "../../http/identify-request.ts";
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
    const unit = found?.unit ?? "releases";
    const may = { on: "repository", do: found?.draft === true ? "write" : "read", unit } as const;
    const demand = demandTo(may, "read", [unit === "releases" ? "repository" : "issue"]);
    const target = { repositoryId: found?.attachment.repositoryId ?? 0 };
    const subject = await identifyRequest(forge, request, target);
    if (found === null || isHiddenDraft(found.draft, subject.repository?.units.releases)) {
      throw new NotFound(named.what, named.name);
    }
    await guard(subject, { demand, named, target });
    return answer(forge, request, () => send(request, found.attachment));
  }

  return new Elysia().get(
    "/attachments/:uuid",
    async ({ request, params: { uuid } }) => {
      try {
        return await sendFile(request, uuid);
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
