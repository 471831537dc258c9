import type { Database } from "../db/client.ts";
import { NotFound } from "../domain/spine/errors.ts";
import { findUserByName } from "../domain/identity/users/queries.ts";

/** The user of this name, in any case. Throws NotFound. */
export async function getUser(db: Database, name: string): Promise<{ id: number; name: string }> {
  const user = await findUserByName(db, name);
  if (user === null) {
    throw new NotFound("user", name);
  }
  return user;
}
