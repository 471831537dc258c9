import { seal } from "../../../lib/sealed-box.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import type { Holder } from "./holder.ts";
import { deleteSecretRow, putSecret } from "./queries.ts";
import { checkSecretValue, readSecretName } from "./secret-name.ts";

/** The context in which a secret's value is sealed. It opens nowhere else. */
export function secretContext({ owner, repository }: Holder, name: string): string {
  return repository === null ? `secret of owner ${owner.id} ${name}` : `secret of repository ${repository.id} ${name}`;
}

/** Stores a secret, sealed with `key`, in place of the one of this name. Returns whether there was none. Throws BadSecretName and InvalidInput. */
export async function setSecret(
  work: Work,
  key: Uint8Array,
  holder: Holder,
  { name: given, value, description }: { name: string; value: string; description: string | undefined },
): Promise<boolean> {
  const name = readSecretName(given);
  checkSecretValue(value, "data");
  const sealedValue = seal(key, Buffer.from(value), secretContext(holder, name));
  return putSecret(work.tx, holder, { name, sealedValue, description });
}

/** Deletes a secret. Throws NotFound and BadSecretName. */
export async function deleteSecret(work: Work, holder: Holder, given: string): Promise<void> {
  const name = readSecretName(given);
  if (!(await deleteSecretRow(work.tx, holder, name))) {
    throw new NotFound("secret", name);
  }
}
