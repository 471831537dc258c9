import { randomBytes } from "node:crypto";
import { hashToken } from "../../auth/access-token.ts";
import type { Transaction } from "../../db/client.ts";
import { DeletedMeanwhile, NotFound } from "../errors.ts";
import { lockUser } from "../keys/queries.ts";
import { InvalidApplication } from "./errors.ts";
import { deleteApplicationRow, insertApplication, listApplications, updateApplication } from "./application-queries.ts";
import type { ApplicationRow } from "./queries.ts";
import { checkRedirectUri } from "./redirect-uri.ts";

const mostApplications = 100;
const mostRedirectUris = 20;

/** An application's row, and its secret where it was just made: only its hash is kept. */
export interface MadeApplication {
  row: ApplicationRow;
  secret: string;
}

export interface ApplicationFields {
  name: string;
  redirectUris: readonly string[];
  /** It runs where nobody else reads its secret; else PKCE alone proves who it is. */
  confidential: boolean;
}

/** The beginning of every client secret, so that secret scanners find leaked ones. */
const secretPrefix = "sto_";

function newSecret(): { secret: string; clientSecretHash: Uint8Array } {
  const secret = secretPrefix + randomBytes(32).toString("hex");
  return { secret, clientSecretHash: hashToken(secret) };
}

function checkFields({ name, redirectUris }: ApplicationFields): void {
  if (name.trim() === "" || name.length > 255) {
    throw new InvalidApplication("An application needs a name of at most 255 characters", "name");
  }
  if (redirectUris.length === 0 || redirectUris.length > mostRedirectUris) {
    throw new InvalidApplication(`An application needs between 1 and ${mostRedirectUris} redirect addresses`, "redirect_uris");
  }
  redirectUris.forEach(checkRedirectUri);
}

/** Registers an application of a user. Throws InvalidApplication, and DeletedMeanwhile when the user is gone. */
export async function createApplication(tx: Transaction, userId: number, fields: ApplicationFields): Promise<MadeApplication> {
  checkFields(fields);
  if (!(await lockUser(tx, userId))) {
    throw new DeletedMeanwhile("user", String(userId));
  }
  const { total } = await listApplications(tx, userId, { size: 0, offset: 0 });
  if (total >= mostApplications) {
    throw new InvalidApplication(`A user has at most ${mostApplications} applications`, "name");
  }
  const { secret, clientSecretHash } = newSecret();
  const { name, redirectUris, confidential } = fields;
  const row = await insertApplication(tx, { userId, name, redirectUris: [...redirectUris], confidential, clientId: crypto.randomUUID(), clientSecretHash });
  return { row, secret };
}

/** Changes a user's application and gives it a new secret; the one before is void. Throws NotFound, InvalidApplication. */
export async function editApplication(tx: Transaction, userId: number, id: number, fields: ApplicationFields): Promise<MadeApplication> {
  checkFields(fields);
  const { secret, clientSecretHash } = newSecret();
  const { name, redirectUris, confidential } = fields;
  const row = await updateApplication(tx, userId, id, { name, redirectUris: [...redirectUris], confidential, clientSecretHash });
  if (row === null) {
    throw new NotFound("application", String(id));
  }
  return { row, secret };
}

/** Deletes a user's application; everything that was granted to it ends. Throws NotFound. */
export async function deleteApplication(tx: Transaction, userId: number, id: number): Promise<void> {
  if (!(await deleteApplicationRow(tx, userId, id))) {
    throw new NotFound("application", String(id));
  }
}
