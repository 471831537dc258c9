import { Elysia } from "elysia";
import type { Forge } from "../domain/spine/forge.ts";
import { pullSource } from "../domain/work/git-access/pull-source.ts";
import { pushableRefs, pushTarget } from "../domain/work/git-access/push-target.ts";
import {
  advertiseCommands,
  advertiseRefs,
  protocolVersion,
  smartHttpPreamble,
  type Service,
} from "../git/transport/advertise.ts";
import { receivePush } from "../git/transport/serve-receive-pack.ts";
import { readParams } from "../http/read-params.ts";
import { extendTimeLimit, withoutTimeLimit } from "../http/time-limit.ts";
import { releaseBytes } from "../lib/release-bytes.ts";
import { inTurns } from "../lib/turns.ts";
import { answerBody } from "./answer-body.ts";
import { gitBody } from "./body.ts";
import { GitRefusal, gitErrorResponse } from "./refusals.ts";
import { openRepositoryRequest } from "./repository-request.ts";
import { pullStream } from "./streams.ts";
import { uploadPack } from "./upload-pack.ts";

const services: ReadonlyMap<string | null, Service> = new Map([
  ["git-upload-pack", "git-upload-pack"],
  ["git-receive-pack", "git-receive-pack"],
] as const);

const nothing = new Uint8Array(0);

interface GitContext {
  request: Request;
  params: { owner: string; repo: string };
}

function gitResponse(body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>, contentType: string): Response {
  return new Response(body, {
    headers: {
      "content-type": contentType,
      "cache-control": "no-cache, max-age=0, must-revalidate",
      expires: "Fri, 01 Jan 1980 00:00:00 GMT",
      pragma: "no-cache",
    },
  });
}

/** Git over smart HTTP (gitprotocol-http(5)) at `/{owner}/{repo}.git/` and without the ending. */
export function gitHttpRoutes(forge: Forge) {
  /** Everything a git request has in common: how its path is read, and one mapper for what goes wrong. */
  const gitRoute = (answer: (context: GitContext) => Promise<Response>) => async (context: GitContext) => {
    try {
      return await answer({ ...context, params: readParams(context.request, context.params) });
    } catch (error) {
      return gitErrorResponse(forge, context.request, error);
    }
  };

  return new Elysia({ name: "githttp", prefix: "/:owner/:repo" })
    .get(
      "/info/refs",
      gitRoute(async ({ request, params }) => {
        const service = services.get(new URL(request.url).searchParams.get("service"));
        if (service === undefined) {
          throw new GitRefusal(403, "Only the smart HTTP protocol is spoken here: use git 1.6.6 or newer");
        }
        const { access } = await openRepositoryRequest(
          forge,
          request,
          params,
          service === "git-upload-pack" ? "fetch" : "propose",
        );
        const source = pullSource(forge, access, request.signal);
        const asked = protocolVersion(request.headers.get("git-protocol"));
        const contentType = `application/x-${service}-advertisement`;
        if (asked === 2 && service === "git-upload-pack") {
          return gitResponse(Buffer.from(advertiseCommands(source)), contentType);
        }
        const refs = await source.listRefs();
        const advertisement = advertiseRefs({
          ...source,
          version: asked === 0 ? 0 : 1,
          service,
          refs: service === "git-receive-pack" ? pushableRefs(refs) : refs,
        });
        return gitResponse(pullStream(startingWith(smartHttpPreamble(service), inTurns(advertisement))), contentType);
      }),
      { parse: "none" },
    )
    .post(
      "/git-upload-pack",
      gitRoute(async ({ request, params }) => {
        const { access } = await openRepositoryRequest(forge, request, params, "fetch");
        const version = protocolVersion(request.headers.get("git-protocol"));
        const answer = await uploadPack(
          pullSource(forge, access, request.signal),
          gitBody(request, "git-upload-pack"),
          version,
        );
        extendTimeLimit(request);
        return gitResponse(await answerBody(answer), "application/x-git-upload-pack-result");
      }),
      { parse: "none" },
    )
    .post(
      "/git-receive-pack",
      gitRoute(async ({ request, params }) => {
        const opened = await openRepositoryRequest(forge, request, params, "propose");
        if (opened.actor === null) {
          throw new GitRefusal(401, "Sign in to push");
        }
        withoutTimeLimit(request);
        const answer = await receivePush(
          gitBody(request, "git-receive-pack"),
          pushTarget(forge, opened),
          "ends",
          releaseBytes,
        );
        return gitResponse(answer === null ? nothing : pullStream(answer), "application/x-git-receive-pack-result");
      }),
      { parse: "none" },
    );
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
