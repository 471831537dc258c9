import { asc, eq, gt, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { twoFactor } from "../../db/schema/credentials.ts";
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

/** The sealed secrets of all second factors, in the order of their users, some at a time. */
export async function* twoFactorPages(
  tx: Transaction,
  size: number,
): AsyncGenerator<{ userId: number; sealedSecret: Uint8Array }[]> {
  for (let last = 0; ;) {
    const page = await tx
      .select({ userId: twoFactor.userId, sealedSecret: twoFactor.sealedSecret })
      .from(twoFactor)
      .where(gt(twoFactor.userId, last))
      .orderBy(asc(twoFactor.userId))
      .limit(size);
    const newest = page.at(-1);
    if (newest === undefined) {
      return;
    }
    yield page;
    last = newest.userId;
  }
}

export async function setSealedSecrets(
  tx: Transaction,
  secrets: readonly { userId: number; sealedSecret: Uint8Array }[],
): Promise<void> {
  const users = secrets.map(({ userId }) => userId);
  const sealed = secrets.map(({ sealedSecret }) => Buffer.from(sealedSecret).toString("hex"));
  await tx.execute(sql`
    update two_factor set sealed_secret = decode(anew.sealed, 'hex')
    from unnest(${sql.param(users)}::bigint[], ${sql.param(sealed)}::text[]) as anew (user_id, sealed)
    where two_factor.user_id = anew.user_id`);
}
