import { Elysia } from "elysia";
import { identicon } from "../../domain/identity/avatars/identicon.ts";
import { isAvatar } from "../../domain/identity/owners/queries.ts";
import { readParams } from "../../http/read-params.ts";
import type { Api } from "../common/api.ts";
import { errorResponse } from "../common/errors.ts";
import { bytes } from "../common/reply.ts";
import { answer } from "../common/respond.ts";
import { pictureFile, picturePolicy } from "./picture-file.ts";

const dayOfCaching = "public, max-age=86400";
/** The address has the content's own hash in it. */
const foreverCaching = "public, max-age=31536000, immutable";

/**
 * The pictures that `avatar_url` names, for everybody: an uploaded one by the SHA-256 of its content, which only those
 * know who were shown its owner; else one drawn from whatever name is asked for, which tells nothing of who exists.
 */
export function pictureRoutes({ forge }: Api) {
  const uploaded = async (sha256: string) =>
    (await isAvatar(forge.database.db, sha256)) ? pictureFile(forge.files.contents, sha256, foreverCaching) : null;

  async function picture(request: Request, name: string): Promise<Response> {
    if (/^[0-9a-f]{64}$/.test(name)) {
      const found = await uploaded(name);
      return found === null
        ? new Response("There is no such picture\n", { status: 404 })
        : answer(forge, request, () => found);
    }
    return answer(forge, request, () =>
      bytes(identicon(name.slice(0, 100)), "image/png", {
        headers: { "cache-control": dayOfCaching, ...picturePolicy },
      }),
    );
  }

  return new Elysia().get("/avatars/:name", async ({ request, params }) => {
    try {
      return await picture(request, readParams(request, params).name);
    } catch (error) {
      return errorResponse(forge, request, error);
    }
  });
}
