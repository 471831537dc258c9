import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { streamBody } from "../../http/file-response.ts";
import { agent } from "../../lib/version.ts";
import { cachingOf } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** The change of a commit as text: as a diff, or as a mail that `git am` takes. */
export async function patchResponse(
  forge: Forge,
  visit: Visit,
  { view, commit }: Revision,
  asMail: boolean,
): Promise<Response> {
  const { signal } = visit.request;
  const args = { before: "parent", after: commit, mail: asMail ? { signature: agent } : null } as const;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    ...cachingOf(visit.isPrivate),
  };
  const body = await streamBody(visit.request, () => forge.git.engine.stream(view, "patch", args, signal));
  return new Response(body, { headers });
}
