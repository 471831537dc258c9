import { hashPassword } from "../../../auth/password.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import type { Visibility } from "../../../db/schema/owners.ts";
import { NameTaken } from "../../spine/errors.ts";
import { checkEmail, checkOwnerName } from "../owners/names.ts";
import { checkProfile } from "../owners/profile.ts";
import { deleteOwnerRedirect } from "../owners/queries.ts";
import { checkPassword } from "./check-password.ts";
import { EmailTaken } from "./errors.ts";
import { insertUser, type UserRows } from "./queries.ts";
import type { Work } from "../../spine/work.ts";

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

/** Makes the rows of a user whose password was hashed already, and tells it. Returns the id. Throws NameTaken, EmailTaken. */
export async function addUser(work: Work, rows: UserRows): Promise<number> {
  const { tx } = work;
  try {
    const id = await insertUser(tx, rows);
    await deleteOwnerRedirect(tx, rows.name);
    return id;
  } catch (error) {
    throw violatesUnique(error, "owner_lower_name")
      ? new NameTaken(rows.name)
      : violatesUnique(error, "email_address_verified")
        ? new EmailTaken(rows.email)
        : error;
  }
}

/** Creates a user and answers their id. Throws InvalidInput, NameTaken, EmailTaken. */
export async function createUser(work: Work, user: NewUser, passwordMinimum: number): Promise<number> {
  checkOwnerName(user.username);
  checkPassword(user.password, passwordMinimum);
  const email = user.email ?? `${user.username.toLowerCase()}@localhost`;
  checkEmail(email);
  checkProfile({ fullName: user.fullName ?? "" });
  const passwordHash = await hashPassword(user.password);
  return addUser(work, {
    name: user.username,
    email,
    fullName: user.fullName ?? "",
    isAdmin: user.isAdmin ?? false,
    mustChangePassword: user.mustChangePassword ?? false,
    passwordHash,
    owner: {
      visibility: user.visibility ?? "public",
      ...(user.createdAt === undefined ? {} : { createdAt: user.createdAt }),
    },
    account: { restricted: user.restricted ?? false, loginName: user.loginName ?? "" },
  });
}
