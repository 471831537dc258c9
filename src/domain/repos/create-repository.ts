import { isPublicOnly, isRestricted } from "../../auth/authorize.ts";
import type { Actor, Credential, OwnerRow, RepositoryRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { violatesUnique } from "../../db/pg-errors.ts";
import type { objectFormats, trustModels } from "../../db/schema/repositories.ts";
import { isBranchName } from "../../git/refs/ref-name.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { ScratchDirectory } from "../../lib/scratch-directory.ts";
import { recordCreatedRepository } from "../activities/record.ts";
import { Conflict, Forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { checkRepositoryName } from "../names.ts";
import { namePacks } from "../packs/name-packs.ts";
import { checkRepositoryLimit } from "./check-limit.ts";
import { changeRefs } from "../refs/change-refs.ts";
import { insertWatch } from "../social/queries.ts";
import { writeFirstCommit } from "./first-commit.ts";
import { planFirstFiles, type FirstFilesOptions } from "./first-files.ts";
import { deleteRedirect, insertAdminCollaborator, insertRepository, type RepositoryColumns } from "./queries.ts";

/** What a repository is made from. Texts that are absent or empty mean the default. */
export interface NewRepository {
  name: string;
  description?: string;
  private?: boolean;
  template?: boolean;
  /** Short name of the branch that HEAD is. */
  defaultBranch?: string;
  objectFormat?: (typeof objectFormats)[number];
  trustModel?: (typeof trustModels)[number];
  /** The name of a set of labels. */
  issueLabels?: string;
  /** Whether a first commit is made. */
  autoInit?: boolean;
  /** What the first commit holds. */
  first?: FirstFilesOptions;
}

/** Who makes it, for whom. */
export interface Creation {
  actor: Actor;
  credential: Credential;
  owner: OwnerRow;
  /** The actor runs the owner: it is them, an organization whose owner they are, or they administer the site. */
  ownsOwner: boolean;
}

const longestDescription = 2048;
const longestBranch = 100;

/** Throws InvalidInput when this cannot be the name of a branch that is a setting of a repository. */
export function checkBranchSetting(name: string, field: "default_branch" | "wiki_branch"): void {
  if (name.length > longestBranch || !isBranchName(name)) {
    throw new InvalidInput(`${field} must be the name of a branch, not "${name.slice(0, longestBranch)}"`, field);
  }
}

/** Throws InvalidInput when it is too long. */
export function checkDescription(description: string): void {
  if (description.length > longestDescription) {
    throw new InvalidInput(`The description must have at most ${longestDescription} characters`, "description");
  }
}

/**
 * Creates a repository, with its first commit if one is asked for: both or neither.
 * Throws InvalidInput naming the field, Conflict when the owner has one of the name, Forbidden.
 */
export async function createRepository(forge: Forge, creation: Creation, options: NewRepository): Promise<RepositoryRow> {
  const columns = readOptions(forge, creation, options);
  const files = options.autoInit === true ? planFirstFiles(creation.owner, options, options.first ?? {}) : null;
  if (options.autoInit !== true && (options.first?.gitignores || options.first?.license)) {
    throw new InvalidInput("gitignores and license are parts of the first commit, which is made with auto_init", "auto_init");
  }
  await using scratch = files === null ? null : await ScratchDirectory.make(forge.temporaryDirectory);
  const commit = files === null || scratch === null ? null : await writeFirstCommit(forge, creation.actor, columns.objectFormat ?? "sha1", files, scratch.path);
  const packs = commit === null ? [] : [commit.pack];
  return await namePacks(forge.database.db, packs, async (tx) => {
    if (!creation.actor.isAdmin) {
      await checkRepositoryLimit(tx, creation.owner, forge.config.users.repositories);
    }
    const row = await insertFor(tx, creation, columns);
    if (commit === null) {
      return row;
    }
    await changeRefs(tx, {
      repositoryId: row.id,
      repositoryName: row.name,
      actorId: creation.actor.id,
      policy: forge.config.git,
      reason: "initial commit",
      changes: [{ name: `refs/heads/${row.defaultBranch}`, oldOid: null, newOid: commit.oid, peeled: null }],
      packs,
      atomic: true,
    });
    return { ...row, empty: false, gitBytes: commit.pack.bytes };
  });
}

function readOptions(forge: Forge, { credential, owner }: Creation, options: NewRepository): RepositoryColumns {
  checkRepositoryName(options.name);
  checkDescription(options.description ?? "");
  const defaultBranch = options.defaultBranch || forge.config.repository.default_branch;
  checkBranchSetting(defaultBranch, "default_branch");
  if (options.issueLabels) {
    throw new InvalidInput(`There is no set of labels named "${options.issueLabels.slice(0, 60)}"`, "issue_labels");
  }
  if (isRestricted(credential)) {
    throw new Forbidden("The token is restricted to repositories and cannot create others");
  }
  if (isPublicOnly(credential) && (options.private === true || owner.visibility !== "public")) {
    throw new Forbidden("The token is for public repositories only and cannot create one that is not");
  }
  return {
    ownerId: owner.id,
    name: options.name,
    description: options.description ?? "",
    private: options.private ?? false,
    template: options.template ?? false,
    defaultBranch,
    objectFormat: options.objectFormat ?? "sha1",
    trustModel: options.trustModel ?? "default",
  };
}

async function insertFor(tx: Transaction, { actor, owner, ownsOwner }: Creation, columns: RepositoryColumns): Promise<RepositoryRow> {
  try {
    const row = await insertRepository(tx, columns);
    await deleteRedirect(tx, owner.id, row.name);
    await recordCreatedRepository(tx, actor.id, row.id);
    await insertWatch(tx, owner.kind === "user" ? owner.id : actor.id, row.id);
    if (!ownsOwner) {
      await insertAdminCollaborator(tx, row.id, actor.id);
    }
    return { ...row, watchers: 1 };
  } catch (error) {
    throw violatesUnique(error, "repository_owner_name") ? new Conflict(`The repository "${owner.name}/${columns.name}" already exists`) : error;
  }
}
