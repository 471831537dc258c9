import type { Forge } from "../domain/spine/forge.ts";
import { claimLfs, presentLfsToken } from "../domain/git/lfs/lfs-token.ts";
import { findSignInStamp } from "../domain/git/lfs/queries.ts";
import { planBatch, type PlannedObject } from "../domain/git/lfs/plan-batch.ts";
import { findRoomFor } from "../domain/identity/quota/hold-quota.ts";
import type { LfsRequest } from "./open-request.ts";
import type { BatchInput } from "./read-input.ts";
import { LfsRefusal } from "./refusals.ts";
import type { Static } from "typebox";

const errorCodes = { absent: 404, invalid: 422, "too-large": 413 } as const;

/**
 * Answers what is to be done about each object (Git LFS Batch API). Transfers go to this server with the `basic`
 * adapter, each with a token of short life. Throws LfsRefusal for an adapter or a hash that is not spoken here, and for
 * too many objects.
 */
export async function answerBatch(
  forge: Forge,
  opened: LfsRequest,
  input: Static<typeof BatchInput>,
  base: string,
): Promise<unknown> {
  const { lfs } = forge.config;
  const { operation, transfers, objects, hash_algo: hash = "sha256" } = input;
  if (hash !== "sha256") {
    throw new LfsRefusal(409, `Objects are named by sha256 here, not by "${hash.slice(0, 50)}"`);
  }
  if (transfers != null && transfers.length > 0 && !transfers.includes("basic")) {
    throw new LfsRefusal(422, "The only transfer adapter here is basic");
  }
  if (objects.length > lfs.objects_per_batch) {
    throw new LfsRefusal(
      413,
      `${objects.length} objects are too many for one batch; ${lfs.objects_per_batch} are the most`,
    );
  }
  const planned = await planBatch(forge.database.db, {
    repositoryId: opened.access.repository.id,
    operation,
    objects,
    objectLimitBytes: lfs.object_limit_bytes,
    room: await findRoomFor(forge.database.db, forge.config, opened.access, "lfs"),
  });
  const claims = opened.claims ?? claimLfs(forge, { ...opened, operation }, await stampOf(forge, opened));
  const access = claims === null ? {} : presentLfsToken(forge, claims);
  const action = (path: string) => ({ href: `${base}/${path}`, ...access });
  return {
    transfer: "basic",
    objects: planned.map((object) => presentObject(object, operation, action, claims !== null)),
    hash_algo: "sha256",
  };
}

async function stampOf(forge: Forge, { actor }: LfsRequest): Promise<string> {
  return actor === null ? "" : ((await findSignInStamp(forge.database.db, actor.id)) ?? "");
}

function presentObject(
  object: PlannedObject,
  operation: "upload" | "download",
  action: (path: string) => object,
  authenticated: boolean,
) {
  const { oid, size } = object;
  switch (object.plan) {
    case "nothing":
      return { oid, size };
    case "refuse":
      return { oid, size, error: { code: errorCodes[object.reason], message: object.message } };
    case "transfer": {
      const content = action(`objects/${oid}`);
      const actions = operation === "download" ? { download: content } : { upload: content, verify: action("verify") };
      return { oid, size, ...(authenticated ? { authenticated } : {}), actions };
    }
  }
}
