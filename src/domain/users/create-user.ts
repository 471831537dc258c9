import { hashPassword } from "../../auth/password.ts";
import type { Transaction } from "../../db/client.ts";
import { violatesUnique } from "../../db/pg-errors.ts";
import type { Visibility } from "../../db/schema/owners.ts";
import { NameTaken } from "../errors.ts";
import { checkEmail, checkOwnerName } from "../names.ts";
import { checkProfile } from "../owners/profile.ts";
import { deleteOwnerRedirect } from "../owners/queries.ts";
import { checkPassword } from "./check-password.ts";
import { EmailTaken } from "./errors.ts";
import { insertUser } from "./queries.ts";

export interface NewUser {
  username: string;
  password: string;
  /** Empty: `<username>@localhost`, which no mail reaches. */
  email?: string;
  fullName?: string;
  isAdmin?: boolean;
  mustChangePassword?: boolean;
  restricted?: boolean;
  visibility?: Visibility;
  loginName?: string;
  createdAt?: Date;
}

/** Creates a user and answers their id. Throws InvalidInput, NameTaken, EmailTaken. */
export async function createUser(tx: Transaction, user: NewUser, passwordMinimum: number): Promise<number> {
  checkOwnerName(user.username);
  checkPassword(user.password, passwordMinimum);
  const email = user.email ?? `${user.username.toLowerCase()}@localhost`;
  checkEmail(email);
  checkProfile({ fullName: user.fullName ?? "" });
  const passwordHash = await hashPassword(user.password);
  try {
    const id = await insertUser(tx, {
      name: user.username,
      email,
      fullName: user.fullName ?? "",
      isAdmin: user.isAdmin ?? false,
      mustChangePassword: user.mustChangePassword ?? false,
      passwordHash,
      owner: { visibility: user.visibility ?? "public", ...(user.createdAt === undefined ? {} : { createdAt: user.createdAt }) },
      account: { restricted: user.restricted ?? false, loginName: user.loginName ?? "" },
    });
    await deleteOwnerRedirect(tx, user.username);
    return id;
  } catch (error) {
    throw violatesUnique(error, "owner_lower_name") ? new NameTaken(user.username) : violatesUnique(error, "email_address_verified") ? new EmailTaken(email) : error;
  }
}
