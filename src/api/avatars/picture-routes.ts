import { Elysia } from "elysia";
import { identicon } from "../../domain/avatars/identicon.ts";
import { pictureType } from "../../domain/avatars/picture-type.ts";
import { isAvatar } from "../../domain/owners/queries.ts";
import type { Api } from "../common/api.ts";
import { bytes, file, type Answer } from "../common/reply.ts";
import { respond } from "../common/respond.ts";

const dayOfCaching = "public, max-age=86400";
/** The address has the content's own hash in it. */
const foreverCaching = "public, max-age=31536000, immutable";
/** Should a browser ever take a picture for a page, nothing in it runs or loads. */
const policy = { "content-security-policy": "default-src 'none'; sandbox" };

/**
 * The pictures that `avatar_url` names, for everybody: an uploaded one by the SHA-256 of its content, which only those
 * know who were shown its owner; else one drawn from whatever name is asked for, which tells nothing of who exists.
 */
export function pictureRoutes({ forge }: Api) {
  async function uploaded(sha256: string): Promise<Answer | null> {
    const content = (await isAvatar(forge.database.db, sha256)) ? await forge.files.blobs.find(sha256) : null;
    if (content === null) {
      return null;
    }
    const contentType = pictureType(await content.slice(0, 12).bytes()) ?? "application/octet-stream";
    return file({
      content,
      size: content.size,
      contentType,
      etag: sha256,
      headers: { "cache-control": foreverCaching, ...policy },
    });
  }

  return new Elysia().get("/avatars/:name", async ({ request, params: { name } }) => {
    if (/^[0-9a-f]{64}$/.test(name)) {
      const answer = await uploaded(name);
      return answer === null
        ? new Response("There is no such picture\n", { status: 404 })
        : respond(forge, request, answer);
    }
    return respond(
      forge,
      request,
      bytes(identicon(name.slice(0, 100)), "image/png", { headers: { "cache-control": dayOfCaching, ...policy } }),
    );
  });
}
