import type { UserDoer } from "../../domain/spine/doer.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { StithyError, messageOf } from "../../lib/errors.ts";
import {
  uploadSessionsOf,
  PartOutOfPlace,
  type UploadPlace,
  type UploadSession,
} from "../../domain/repos/attachments/upload-sessions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { formMessage } from "../errors.ts";
import { writesReleases, type DeclarePage, type PageRoute } from "../pages.ts";
import { cachingOf } from "../respond.ts";

const sends = { ...writesReleases, longForm: true } as const;

export function uploadPlace({ actor }: Pick<UserDoer, "actor">, { repository }: RepositoryAccess): UploadPlace {
  return { userId: actor.id, repositoryId: repository.id };
}

function json(status: number, value: object): Response {
  const headers = { "content-type": "application/json", "x-content-type-options": "nosniff", ...cachingOf(true) };
  return new Response(JSON.stringify(value), { status, headers });
}

function told({ id, name, size, received, sha256 }: UploadSession): Response {
  return json(200, { id, name, size, received, sha256 });
}

/** Answers a script with what went wrong as JSON. Throws what is a fault of ours. */
async function asJson(act: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    const refused = error instanceof StithyError ? formMessage(error) : null;
    if (refused === null) {
      throw error;
    }
    const received = error instanceof PartOutOfPlace ? { received: error.received } : {};
    return json(refused.status, { message: messageOf(error), ...received });
  }
}

/** Files of releases that a script sends in parts (`src/web/client/release/`), before the form that names them. */
export function releaseUploadPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const sessions = uploadSessionsOf(forge);

  return [
    page("POST", "/:owner/:repo/releases/uploads", sends, ({ visit: { form }, doer, repository: access }) =>
      asJson(() =>
        told(sessions.begin(uploadPlace(doer, access), { name: form.text("name"), size: Number(form.text("size")) })),
      ),
    ),
    page("GET", "/:owner/:repo/releases/uploads/:id", writesReleases, ({ visit, actor, repository: access }) =>
      asJson(() => told(sessions.get(uploadPlace({ actor }, access), visit.params["id"] ?? ""))),
    ),
    page("POST", "/:owner/:repo/releases/uploads/:id", sends, ({ visit, doer, repository: access }) =>
      asJson(async () => {
        const { form } = visit;
        const session = sessions.get(uploadPlace(doer, access), visit.params["id"] ?? "");
        const [part] = form.files;
        const sha256 = form.text("sha256");
        if (part === undefined || !/^\d{1,16}$/.test(form.text("offset"))) {
          throw new InvalidInput("A part has a file and the offset at which it begins", "offset");
        }
        await session.append(Number(form.text("offset")), part.content, sha256 === "" ? null : sha256);
        return told(session);
      }),
    ),
    page("POST", "/:owner/:repo/releases/uploads/:id/remove", sends, ({ visit, doer, repository: access }) =>
      asJson(async () => {
        await sessions.end(sessions.get(uploadPlace(doer, access), visit.params["id"] ?? "").id);
        return json(200, {});
      }),
    ),
  ];
}
