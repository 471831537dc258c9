import { Elysia } from "elysia";
import type { Forge } from "../domain/spine/forge.ts";
import { readParams } from "../http/read-params.ts";
import { FairShare } from "../lib/fair-share.ts";
import { answerBatch } from "./batch.ts";
import { listLocks, lock, unlock, verifyLocks } from "./locks.ts";
import { receiveObject, sendObject, verifyObject } from "./objects.ts";
import { openForLocks, openLfsRequest } from "./open-request.ts";
import {
  BatchInput,
  checkAccept,
  LockInput,
  readInput,
  UnlockInput,
  VerifyInput,
  VerifyLocksInput,
} from "./read-input.ts";
import { lfsErrorResponse, lfsJson, LfsRefusal } from "./refusals.ts";

interface LfsContext {
  request: Request;
  params: { owner: string; repo: string; oid?: string; id?: string };
}

type Answer = (request: Request, params: LfsContext["params"]) => Promise<Response>;

/** Room for an object's line in the body of a batch. */
const bytesPerObject = 250;

/**
 * Git LFS (its server API, with the `basic` transfer adapter) at `/{owner}/{repo}.git/info/lfs` and without the ending:
 * batches, objects and locks.
 */
export function lfsRoutes(forge: Forge) {
  const { api, lfs } = forge.config;
  const uploads = new FairShare({
    what: "uploads",
    places: lfs.concurrent_uploads,
    placesEach: lfs.concurrent_uploads,
    waiting: 0,
    waitingEach: 0,
  });
  const bodyLimit = Math.max(api.body_limit_bytes, lfs.objects_per_batch * bytesPerObject);

  /** Everything a request of LFS has in common: how its path is read, and one mapper for what goes wrong. */
  const route = (answer: Answer) => async (context: LfsContext) => {
    try {
      if (!lfs.enabled) {
        throw new LfsRefusal(404, "LFS is turned off on this server");
      }
      return await answer(context.request, readParams(context.request, context.params));
    } catch (error) {
      return lfsErrorResponse(forge, context.request, error);
    }
  };
  /** A route whose answer is JSON. */
  const jsonRoute = (answer: Answer) =>
    route(async (request, params) => {
      checkAccept(request);
      return answer(request, params);
    });
  const send = route(async (request, params) =>
    sendObject(forge, request, await openLfsRequest(forge, request, params, "read", "download"), params.oid ?? ""),
  );
  const raw = { parse: "none" } as const;

  return new Elysia({ name: "lfs", prefix: "/:owner/:repo/info/lfs" })
    .post(
      "/objects/batch",
      jsonRoute(async (request, params) => {
        // A reader may ask. The kind of operation is in the body, which is not read for strangers.
        const reader = await openLfsRequest(forge, request, params, "read", null);
        const input = await readInput(forge, request, BatchInput, bodyLimit);
        const opened =
          input.operation === "upload" || reader.claims !== null
            ? await openLfsRequest(
                forge,
                request,
                params,
                input.operation === "upload" ? "edit" : "read",
                input.operation,
              )
            : reader;
        const { owner, repository } = opened.access;
        return lfsJson(
          await answerBatch(forge, opened, input, `${forge.addresses.clone(owner.name, repository.name)}/info/lfs`),
        );
      }),
      raw,
    )
    .put(
      "/objects/:oid",
      route(async (request, params) => {
        await receiveObject(
          forge,
          request,
          await openLfsRequest(forge, request, params, "edit", "upload"),
          params.oid ?? "",
          uploads,
        );
        return new Response(null, { status: 200 });
      }),
      raw,
    )
    .get("/objects/:oid", send, raw)
    .head("/objects/:oid", send, raw)
    .post(
      "/verify",
      jsonRoute(async (request, params) => {
        const opened = await openLfsRequest(forge, request, params, "edit", "upload");
        await verifyObject(forge, opened, await readInput(forge, request, VerifyInput, bodyLimit));
        return lfsJson({});
      }),
      raw,
    )
    .get(
      "/locks",
      jsonRoute(async (request, params) =>
        lfsJson(
          await listLocks(
            forge,
            await openForLocks(forge, request, params, "read", null),
            new URL(request.url).searchParams,
          ),
        ),
      ),
      raw,
    )
    .post(
      "/locks",
      jsonRoute(async (request, params) => {
        const opened = await openForLocks(forge, request, params, "write", "upload");
        return lfsJson(await lock(forge, opened, await readInput(forge, request, LockInput, bodyLimit)), 201);
      }),
      raw,
    )
    .post(
      "/locks/verify",
      jsonRoute(async (request, params) => {
        const opened = await openForLocks(forge, request, params, "edit", "upload");
        return lfsJson(await verifyLocks(forge, opened, await readInput(forge, request, VerifyLocksInput, bodyLimit)));
      }),
      raw,
    )
    .post(
      "/locks/:id/unlock",
      jsonRoute(async (request, params) => {
        const opened = await openForLocks(forge, request, params, "write", "upload");
        return lfsJson(
          await unlock(forge, opened, params.id ?? "", await readInput(forge, request, UnlockInput, bodyLimit)),
        );
      }),
      raw,
    );
}
