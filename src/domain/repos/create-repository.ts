import { isPublicOnly, isRestricted } from "../../auth/authorize.ts";
import type { OwnerRow, RepositoryRow } from "../../auth/subject.ts";
import type { objectFormats, trustModels } from "../../db/schema/repositories.ts";
import { isBranchName } from "../../git/refs/ref-name.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { actorOf, type Doer } from "../spine/doer.ts";
import { Forbidden } from "../spine/errors.ts";
import { namedRepository } from "../spine/events/names.ts";
import type { Forge } from "../spine/forge.ts";
import { checkRepositoryName } from "../identity/owners/names.ts";
import { checkRepositoryLimit } from "./check-limit.ts";
import { moveRefs } from "../git/refs/move-refs.ts";
import { writeObjects } from "../git/refs/write-objects.ts";
import { insertWatch } from "../identity/social/queries.ts";
import { findLabelTemplate, listLabelTemplates, type LabelTemplate } from "./label-templates.ts";
import { insertFirstLabels } from "./first-label-queries.ts";
import { writeFirstCommit } from "./first-commit.ts";
import { planFirstFiles, type FirstFilesOptions } from "./first-files.ts";
import type { Work } from "../spine/work.ts";
import { makeRepository } from "./make-repository.ts";
import { getRepository, insertAdminCollaborator, type RepositoryColumns } from "./queries.ts";

/** A repository to create. Absent or empty texts mean the default. */
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
  /** The content of the first commit. */
  first?: FirstFilesOptions;
}

/** The owner of a new repository. */
export interface Creation {
  owner: OwnerRow;
  /** The actor runs the owner: it is them, an organization whose owner they are, or they administer the site. */
  ownsOwner: boolean;
}

export const longestDescription = 2048;
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
export async function createRepository(
  forge: Forge,
  doer: Doer,
  creation: Creation,
  options: NewRepository,
): Promise<RepositoryRow> {
  const columns = readNewRepository(forge, doer, creation, options);
  const labels = readLabels(options.issueLabels ?? "");
  const files = options.autoInit === true ? planFirstFiles(creation.owner, options, options.first ?? {}) : null;
  if (options.autoInit !== true && (options.first?.gitignores || options.first?.license)) {
    throw new InvalidInput(
      "gitignores and license are parts of the first commit, which is made with auto_init",
      "auto_init",
    );
  }
  if (files === null) {
    return forge.change(doer, async (work) => {
      const row = await createEmpty(work, creation, columns);
      await insertFirstLabels(work.tx, row.id, labels);
      return row;
    });
  }
  return writeObjects(
    forge,
    doer,
    (destination) => writeFirstCommit(forge, actorOf(doer), columns.objectFormat ?? "sha1", files, destination),
    async (work, { commit }, packs) => {
      const row = await createEmpty(work, creation, columns);
      await moveRefs(work, {
        repository: namedRepository({ repository: row, owner: creation.owner }),
        changes: [{ name: `refs/heads/${row.defaultBranch}`, oldOid: null, newOid: commit, peeled: null }],
        reason: "initial commit",
        packs,
      });
      await insertFirstLabels(work.tx, row.id, labels);
      return getRepository(work.tx, row.id);
    },
  );
}

/** The labels of the set of this name; none for an empty name. Throws InvalidInput. */
function readLabels(set: string): readonly LabelTemplate[] {
  const labels = set === "" ? [] : findLabelTemplate(set);
  if (labels === null) {
    throw new InvalidInput(
      `issue_labels must be one of ${listLabelTemplates().join(", ")}, not "${clip(set, 80)}"`,
      "issue_labels",
    );
  }
  return labels;
}

/** Throws Forbidden where the doer's token creates no repositories, or none that is private or of this owner. */
export function checkMayCreate(doer: Doer, owner: Pick<OwnerRow, "visibility">, isPrivate: boolean): void {
  if (doer.kind === "user" && isRestricted(doer.credential)) {
    throw new Forbidden("The token is restricted to repositories and cannot create others");
  }
  const publicOnly = doer.kind === "user" && isPublicOnly(doer.credential);
  if (publicOnly && (isPrivate || owner.visibility !== "public")) {
    throw new Forbidden("The token is for public repositories only and cannot create one that is not");
  }
}

/** Returns the columns of a new repository. Throws InvalidInput naming the field, and Forbidden for a token that may not make it. */
export function readNewRepository(
  forge: Pick<Forge, "config">,
  doer: Doer,
  { owner }: Creation,
  options: NewRepository,
): Omit<RepositoryColumns, "ownerId"> {
  checkRepositoryName(options.name);
  checkDescription(options.description ?? "");
  const defaultBranch = options.defaultBranch || forge.config.repository.default_branch;
  checkBranchSetting(defaultBranch, "default_branch");
  checkMayCreate(doer, owner, options.private === true);
  return {
    name: options.name,
    description: options.description ?? "",
    private: options.private ?? false,
    template: options.template ?? false,
    defaultBranch,
    objectFormat: options.objectFormat ?? "sha1",
    trustModel: options.trustModel ?? "default",
  };
}

/**
 * Makes the repository's row and what belongs to it, without any content. Returns the row as it is when everything has been
 * written: triggers and other writes count in it. Throws Conflict when the owner has one of the name, and Forbidden.
 */
export async function createEmpty(
  work: Work,
  { owner, ownsOwner }: Creation,
  columns: Omit<RepositoryColumns, "ownerId">,
): Promise<RepositoryRow> {
  const { tx } = work;
  const actor = actorOf(work.doer);
  if (!actor.isAdmin) {
    await checkRepositoryLimit(tx, owner, work.config.users.repositories);
  }
  const { id } = await makeRepository(work, owner, columns);
  await insertWatch(tx, owner.kind === "user" ? owner.id : actor.id, id);
  if (!ownsOwner) {
    await insertAdminCollaborator(tx, id, actor.id);
  }
  return getRepository(tx, id);
}
