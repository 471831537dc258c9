import { findRepositoryByName } from "../../src/domain/repos/queries.ts";
import type { TestApp } from "../support/test-app.ts";

export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

/** The row of a repository; throws when there is none. */
export async function repositoryByName(app: TestApp, owner: string, name: string) {
  const row = await findRepositoryByName(app.forge.database.db, owner, name);
  if (row === null) {
    throw new Error(`There is no repository ${owner}/${name}`);
  }
  return row;
}

/** Makes a user a collaborator who may write. */
export async function letWrite(app: TestApp, user: { id: number }, owner: string, name: string): Promise<void> {
  const { id } = await repositoryByName(app, owner, name);
  await app.forge.database.sql`insert into collaborator (repository_id, user_id, mode) values (${id}, ${user.id}, 2)`;
}
