import { hashPassword } from "../../../auth/password.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Transaction } from "../../../db/client.ts";
import type { Visibility } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { accountOpens, demandToOpen } from "../../spine/demand-to-open.ts";
import { DeletedMeanwhile } from "../../spine/errors.ts";
import { checkProfile, type Profile } from "../owners/profile.ts";
import { lockOwner, updateOwner } from "../owners/queries.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { checkPassword } from "./check-password.ts";
import { deleteResetTokens } from "./email-queries.ts";
import { lastAdministrator } from "./errors.ts";
import { lockAdministrators, updateAccount, type AccountColumns } from "./queries.ts";
import { setPrimaryEmail } from "./verify-email.ts";
import type { Work } from "../../spine/work.ts";
import { namedOwner, type NamedOwner } from "../../spine/events/names.ts";

/** Everything about a user that may be changed; absent fields stay as they are. */
export interface UserPatch extends Profile {
  visibility?: Visibility;
  keepEmailPrivate?: boolean;
  keepPronounsPrivate?: boolean;
  password?: string;
  /** Becomes the primary address, and a verified one: only an administrator may give it. */
  email?: string;
  account?: Partial<AccountColumns>;
}

const largestLimit = 2_147_483_647;

/** Whether the user can no longer administer the site; `field` is the input that does it. */
function findDemotion({ isAdmin, active, suspended }: Partial<AccountColumns>): string | null {
  return isAdmin === false ? "admin" : active === false ? "active" : suspended === true ? "prohibit_login" : null;
}

/**
 * Keeps the site from losing its last administrator, until the transaction ends. To be called before anything of the
 * user is locked. Throws InvalidInput naming the field.
 */
export async function checkAdministratorLeft(
  tx: Transaction,
  user: { id: number; name: string },
  field: string,
): Promise<void> {
  const administrators = await lockAdministrators(tx);
  if (administrators.length === 1 && administrators[0] === user.id) {
    throw lastAdministrator(user.name, field);
  }
}

/** Checks one patch and writes it. Throws InvalidInput naming the field, EmailTaken, DeletedMeanwhile, and what `demandToOpen` throws. */
export async function editUser(
  work: Work,
  user: { id: number; name: string },
  patch: UserPatch,
  passwordMinimum: number,
): Promise<OwnerRow> {
  const { tx } = work;
  const { account = {}, password, email, ...columns } = patch;
  if (password !== undefined || email !== undefined || account.isAdmin === true) {
    // An account that is opened so is as good as a token for all that it may.
    demandToOpen(work.doer, { categories: accountOpens, level: "write" });
  }
  checkProfile(columns);
  const limit = account.maxRepositories ?? 0;
  if (limit < -1 || limit > largestLimit) {
    throw new InvalidInput(
      `max_repo_creation must be a number of repositories, or -1, not ${limit}`,
      "max_repo_creation",
    );
  }
  if (password !== undefined) {
    checkPassword(password, passwordMinimum);
  }
  const passwordHash = password === undefined ? {} : { passwordHash: await hashPassword(password) };
  const demotion = findDemotion(account);
  if (demotion !== null) {
    await checkAdministratorLeft(tx, user, demotion);
  }
  if ((await lockOwner(tx, user.id)) === null) {
    throw new DeletedMeanwhile("user", user.name);
  }
  if (Object.keys(account).length > 0 || password !== undefined) {
    await updateAccount(tx, user.id, { ...account, ...passwordHash });
  }
  if (password !== undefined) {
    await deleteSessions(tx, user.id, null);
    await deleteResetTokens(tx, user.id);
  }
  if (email !== undefined) {
    await setPrimaryEmail(work, user, email);
  }
  const row = await updateOwner(tx, user.id, columns);
  if (row === null) {
    throw new DeletedMeanwhile("user", user.name);
  }
  tellEdited(work, namedOwner(row), patch);
  return row;
}

function tellEdited({ tell }: Work, user: NamedOwner, { account = {}, ...columns }: UserPatch): void {
  const changed = [...Object.keys(columns), ...Object.keys(account)];
  if (changed.length > 0) {
    tell({ kind: "user.edited", user, changed });
  }
}
