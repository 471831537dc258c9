import { randomBytes } from "node:crypto";
import { hashToken } from "../../../auth/access-token.ts";
import { DeletedMeanwhile, NotFound } from "../../spine/errors.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import { InvalidApplication } from "./errors.ts";
import { deleteApplicationRow, insertApplication, listApplications, updateApplication } from "./application-queries.ts";
import type { ApplicationRow } from "./queries.ts";
import { checkRedirectUri } from "./redirect-uri.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

const maxApplications = 100;
const maxRedirectUris = 20;

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
  if (redirectUris.length === 0 || redirectUris.length > maxRedirectUris) {
    throw new InvalidApplication(
      `An application needs between 1 and ${maxRedirectUris} redirect addresses`,
      "redirect_uris",
    );
  }
  redirectUris.forEach(checkRedirectUri);
}

/** Registers an application of a user. Throws InvalidApplication, and DeletedMeanwhile when the user is gone. */
export async function createApplication(
  work: Work,
  user: NamedOwner,
  fields: ApplicationFields,
): Promise<MadeApplication> {
  const { tx } = work;
  checkFields(fields);
  if (!(await lockAccount(tx, user.id))) {
    throw new DeletedMeanwhile("user", user.name);
  }
  const { total } = await listApplications(tx, user.id, { size: 0, offset: 0 });
  if (total >= maxApplications) {
    throw new InvalidApplication(`A user has at most ${maxApplications} applications`, "name");
  }
  const { secret, clientSecretHash } = newSecret();
  const { name, redirectUris, confidential } = fields;
  const row = await insertApplication(tx, {
    userId: user.id,
    name,
    redirectUris: [...redirectUris],
    confidential,
    clientId: crypto.randomUUID(),
    clientSecretHash,
  });
  return { row, secret };
}

/** Changes a user's application and gives it a new secret; the one before is void. Throws NotFound, InvalidApplication. */
export async function editApplication(
  work: Work,
  user: NamedOwner,
  id: number,
  fields: ApplicationFields,
): Promise<MadeApplication> {
  const { tx } = work;
  checkFields(fields);
  const { secret, clientSecretHash } = newSecret();
  const { name, redirectUris, confidential } = fields;
  const row = await updateApplication(tx, user.id, id, {
    name,
    redirectUris: [...redirectUris],
    confidential,
    clientSecretHash,
  });
  if (row === null) {
    throw new NotFound("application", String(id));
  }
  return { row, secret };
}

/** Deletes a user's application; everything that was granted to it ends. Throws NotFound. */
export async function deleteApplication(work: Work, user: NamedOwner, id: number): Promise<void> {
  const { tx } = work;
  if (!(await deleteApplicationRow(tx, user.id, id))) {
    throw new NotFound("application", String(id));
  }
}
