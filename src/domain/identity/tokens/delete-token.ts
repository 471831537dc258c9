import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { findTokensByIdOrName, removeAccessToken } from "./queries.ts";
import type { NamedOwner } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";

/**
 * Deletes a user's token, named by its id or its name. Throws NotFound; and InvalidInput when one token has this id and
 * another this name, because deleting the wrong one cannot be undone.
 */
export async function deleteToken(work: Work, user: NamedOwner, idOrName: string): Promise<void> {
  const { tx } = work;
  const [token, other] = await findTokensByIdOrName(tx, user.id, idOrName);
  if (token === undefined) {
    throw new NotFound("token", idOrName);
  }
  if (other !== undefined) {
    throw new InvalidInput(
      `"${idOrName}" is the id of the token "${token.name}" and the name of another: delete that one by its id, ${other.id}`,
      "token",
    );
  }
  await removeAccessToken(tx, token.id);
}
