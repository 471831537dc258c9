import { hashPassword } from "../../auth/password.ts";
import type { Transaction } from "../../db/client.ts";
import { violatesUnique } from "../../db/pg-errors.ts";
import { StithyError } from "../../lib/errors.ts";
import { checkEmail, checkOwnerName } from "../names.ts";
import { checkPassword } from "./check-password.ts";
import { insertUser } from "./queries.ts";

export interface NewUser {
  username: string;
  password: string;
  /** Empty: `<username>@localhost`, which no mail reaches. */
  email?: string;
  fullName?: string;
  isAdmin?: boolean;
  mustChangePassword?: boolean;
}

/** A user or organization has the name already. */
export class NameTaken extends StithyError {
  constructor(name: string) {
    super("name-taken", `The name "${name}" is taken`, { name });
  }
}

/** Creates a user and answers their id. Throws InvalidInput, NameTaken. */
export async function createUser(tx: Transaction, user: NewUser, passwordMinimum: number): Promise<number> {
  checkOwnerName(user.username);
  checkPassword(user.password, passwordMinimum);
  const email = user.email ?? `${user.username.toLowerCase()}@localhost`;
  checkEmail(email);
  const passwordHash = await hashPassword(user.password);
  try {
    return await insertUser(tx, {
      name: user.username,
      email,
      fullName: user.fullName ?? "",
      isAdmin: user.isAdmin ?? false,
      mustChangePassword: user.mustChangePassword ?? false,
      passwordHash,
    });
  } catch (error) {
    throw violatesUnique(error, "owner_lower_name") ? new NameTaken(user.username) : error;
  }
}
