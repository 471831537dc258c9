import { accessModes } from "../../../db/schema/owners.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { StithyError } from "../../../lib/errors.ts";
import { isWikiStore } from "../../git/wiki-stores/wiki-store.ts";

/** Settings of the repository that a push may change along with the refs. */
export interface PushedSettings {
  private?: boolean;
  template?: boolean;
}

/** A push option cannot be carried out. The push is refused as a whole. */
export class PushOptionRefused extends StithyError {
  constructor(message: string) {
    super("invalid", "push-option-refused", message);
  }
}

const names: ReadonlyMap<string, keyof PushedSettings> = new Map([
  ["repo.private", "private"],
  ["repo.template", "template"],
] as const);
const yes = new Set(["", "true", "1"]);
const no = new Set(["false", "0"]);

/**
 * Reads what `git push -o` says of the repository, in the words of the family's servers: `repo.private` and
 * `repo.template`, alone or with `=true` or `=false`; the last of several counts. Options of other names are for others
 * and mean nothing here. Throws PushOptionRefused for another value, for a wiki, and for someone who may not change settings.
 */
export function readPushOptions(
  options: readonly string[],
  { mode, repository }: RepositoryAccess,
  isPublicOnly: boolean,
): PushedSettings {
  const settings: PushedSettings = {};
  for (const option of options) {
    const [name = "", ...rest] = option.split("=");
    const value = rest.join("=").toLowerCase();
    const setting = names.get(name);
    if (setting === undefined) {
      continue;
    }
    if (isWikiStore(repository.id)) {
      throw new PushOptionRefused(`The push option ${name} is for the repository: push it there, not to its wiki`);
    }
    if (mode < accessModes.admin) {
      throw new PushOptionRefused(`The push option ${name} is for administrators of the repository`);
    }
    if (!yes.has(value) && !no.has(value)) {
      throw new PushOptionRefused(`The push option ${name} must be true or false, not "${value.slice(0, 40)}"`);
    }
    settings[setting] = yes.has(value);
  }
  if (settings.private === true && isPublicOnly) {
    throw new PushOptionRefused("The token is for public repositories only and cannot make one private");
  }
  return settings;
}
