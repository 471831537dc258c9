import { eq } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { serverSecret } from "../../../db/schema/secrets.ts";

const secretBytes = 32;

function randomKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(secretBytes));
}

/** The server's own key of this name, made when it is first asked for: of random bytes, where nothing else makes it. */
export async function ensureServerKey(
  tx: Transaction,
  name: string,
  make: () => Uint8Array | Promise<Uint8Array> = randomKey,
): Promise<Uint8Array> {
  const known = await findServerKey(tx, name);
  if (known !== null) {
    return known;
  }
  await insertServerKey(tx, name, await make());
  // Another process may have been first.
  const made = await findServerKey(tx, name);
  if (made === null) {
    throw new Error("A secret is gone in the moment it was made");
  }
  return made;
}

/** The key of this name; null when there is none. */
export async function findServerKey(db: Reader, name: string): Promise<Uint8Array | null> {
  const [row] = await db.select({ value: serverSecret.value }).from(serverSecret).where(eq(serverSecret.name, name));
  return row?.value ?? null;
}

/** Leaves a key of this name that is there as it is. */
export async function insertServerKey(tx: Transaction, name: string, value: Uint8Array): Promise<void> {
  await tx.insert(serverSecret).values({ name, value }).onConflictDoNothing();
}

export async function deleteServerKey(tx: Transaction, name: string): Promise<void> {
  await tx.delete(serverSecret).where(eq(serverSecret.name, name));
}
