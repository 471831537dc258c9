import { eq } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { serverSecret } from "../../db/schema/secrets.ts";

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
  const read = () => tx.select({ value: serverSecret.value }).from(serverSecret).where(eq(serverSecret.name, name));
  const [known] = await read();
  if (known !== undefined) {
    return known.value;
  }
  await tx
    .insert(serverSecret)
    .values({ name, value: await make() })
    .onConflictDoNothing();
  // Another process may have been first.
  const [made] = await read();
  if (made === undefined) {
    throw new Error("A secret is gone in the moment it was made");
  }
  return made.value;
}
