import { generatePassword } from "../../../lib/generate-password.ts";
import { createUser } from "./create-user.ts";
import { hasUsers } from "./queries.ts";
import type { Work } from "../../spine/work.ts";

/**
 * Creates an administrator when there is no user at all; null when there is one. Without a name it is `root`; without
 * a password one is generated and part of the answer. Throws InvalidInput.
 */
export async function createFirstAdministrator(
  work: Work,
  wanted: { username: string; password: string | null } | null,
  passwordMinimum: number,
): Promise<{ username: string; generatedPassword: string | null } | null> {
  const { tx } = work;
  if (await hasUsers(tx)) {
    return null;
  }
  const username = wanted?.username ?? "root";
  const generatedPassword = wanted?.password == null ? generatePassword() : null;
  await createUser(
    work,
    { username, password: wanted?.password ?? generatedPassword ?? "", isAdmin: true },
    passwordMinimum,
  );
  return { username, generatedPassword };
}
