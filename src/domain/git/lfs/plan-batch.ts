import type { Reader } from "../../../db/client.ts";
import { isLfsOid } from "./oid.ts";
import type { LfsOperation } from "./lfs-token.ts";
import { findObjects } from "./queries.ts";

export interface AskedObject {
  oid: string;
  /** Bytes. */
  size: number;
}

/** The plan for one object of a batch: transfer it, do nothing, or refuse it. */
export type PlannedObject = AskedObject &
  (
    | { plan: "transfer" }
    | { plan: "nothing" }
    | { plan: "refuse"; reason: "absent" | "invalid" | "too-large"; message: string }
  );

/**
 * Decides for each object, in the order asked, what the client has to do. Only what this repository has counts: whether
 * another one has the object is neither told nor used.
 */
export async function planBatch(
  db: Reader,
  request: {
    repositoryId: number;
    operation: LfsOperation;
    objects: readonly AskedObject[];
    objectLimitBytes: number;
    /** How many more bytes may come, and the error if a caller asks for more. */
    room: { readonly bytes: number; refusal(asked: number): Error };
  },
): Promise<PlannedObject[]> {
  const wellNamed = request.objects.map(({ oid }) => oid).filter(isLfsOid);
  const known = await findObjects(db, request.repositoryId, wellNamed);
  let declared = 0;
  return request.objects.map((object) => {
    const planned = planObject(object, known.get(object.oid) ?? null, request);
    if (planned.plan !== "transfer" || request.operation === "download") {
      return planned;
    }
    if (declared + object.size > request.room.bytes) {
      const { message } = request.room.refusal(declared + object.size);
      return { ...object, plan: "refuse", reason: "too-large", message };
    }
    declared += object.size;
    return planned;
  });
}

function planObject(
  object: AskedObject,
  knownBytes: number | null,
  request: { operation: LfsOperation; objectLimitBytes: number },
): PlannedObject {
  const { oid, size } = object;
  const invalid = (message: string): PlannedObject => ({ ...object, plan: "refuse", reason: "invalid", message });
  if (!isLfsOid(oid)) {
    return invalid("The oid is not a SHA-256 in hexadecimal");
  }
  if (!Number.isSafeInteger(size) || size < 0) {
    return invalid("The size is not a number of bytes");
  }
  if (knownBytes !== null && knownBytes !== size) {
    return invalid(`The object has ${knownBytes} bytes, not ${size}`);
  }
  if (request.operation === "download") {
    return knownBytes === null
      ? { ...object, plan: "refuse", reason: "absent", message: "The repository does not have this object" }
      : { ...object, plan: "transfer" };
  }
  if (knownBytes !== null) {
    return { ...object, plan: "nothing" };
  }
  return size > request.objectLimitBytes
    ? invalid(`An object of more than ${request.objectLimitBytes} bytes is not accepted`)
    : { ...object, plan: "transfer" };
}
