import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import type { Holder } from "./holder.ts";
import { deleteVariableRow, findVariable, insertVariable, lockVariable, updateVariable } from "./queries.ts";
import { checkSecretValue, readSecretName } from "./secret-name.ts";

function taken(name: string): Conflict {
  return new Conflict(`There is a variable "${name}" already`);
}

/** Makes a variable. Throws BadSecretName, and Conflict where there is one of this name. */
export async function createVariable(
  work: Work,
  holder: Holder,
  { name: given, value, description }: { name: string; value: string; description: string | undefined },
): Promise<void> {
  const name = readSecretName(given);
  checkSecretValue(value, "value");
  if (!(await insertVariable(work.tx, holder, { name, value, description }))) {
    throw taken(name);
  }
}

/** Changes a variable; an undefined or empty `rename` leaves its name, an undefined description what there is. Throws BadSecretName, NotFound, and Conflict where another one has the name. */
export async function editVariable(
  work: Work,
  holder: Holder,
  given: string,
  { value, description, rename }: { value: string; description: string | undefined; rename: string | undefined },
): Promise<void> {
  const name = readSecretName(given);
  const newName = rename === undefined || rename === "" ? name : readSecretName(rename);
  checkSecretValue(value, "value");
  const row = await lockVariable(work.tx, holder, name);
  if (row === null) {
    throw new NotFound("variable", name);
  }
  if (newName !== name && (await findVariable(work.tx, holder, newName)) !== null) {
    throw taken(newName);
  }
  await updateVariable(work.tx, row.id, { name: newName, value, description });
}

/** Deletes a variable. Throws NotFound and BadSecretName. */
export async function deleteVariable(work: Work, holder: Holder, given: string): Promise<void> {
  const name = readSecretName(given);
  if (!(await deleteVariableRow(work.tx, holder, name))) {
    throw new NotFound("variable", name);
  }
}
