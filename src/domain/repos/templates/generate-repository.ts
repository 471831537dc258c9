import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import { EditConflict, InvalidEdit } from "../../../git/edit/errors.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { identityOf } from "../../git/commits/identity.ts";
import { actorOf, type Doer } from "../../spine/doer.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { copyObjects } from "../../git/lfs/queries.ts";
import { copyBranchProtections } from "../../git/protections/copy-protections.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { writeObjects } from "../../git/refs/write-objects.ts";
import { createEmpty, readNewRepository, type Creation } from "../create-repository.ts";
import { copyLabels } from "../first-label-queries.ts";
import { getRepository } from "../queries.ts";
import type { Work } from "../../spine/work.ts";
import { TemplateRefused } from "./errors.ts";
import { expandFiles } from "./expand-files.ts";
import { templateVariables } from "./variables.ts";

/** A repository to make from a template, with at least one of its parts. */
export interface FromTemplate {
  name: string;
  description: string;
  private: boolean;
  /** Empty: as the template has it. */
  defaultBranch: string;
  /** The files of the default branch, and the LFS objects. */
  gitContent: boolean;
  topics: boolean;
  avatar: boolean;
  /** The rules for branches. */
  protections: boolean;
  /** Its own, not those of its organization. */
  labels: boolean;
  webhooks: boolean;
}

/**
 * Makes a repository of a template: with one commit of the files of its default branch, in which variables are replaced,
 * or none if it has no commit. Nothing else of its history is in it. Throws InvalidInput naming the field, TemplateRefused,
 * Conflict when the owner has a repository of the name, Forbidden.
 */
export async function generateRepository(
  forge: Forge,
  doer: Doer,
  { repository: template, owner, units, mode }: RepositoryAccess,
  creation: Creation,
  asked: FromTemplate,
): Promise<RepositoryRow> {
  if (!template.template) {
    throw new InvalidInput(
      `"${owner.name}/${template.name}" is not a template: make it one in its settings`,
      "template_repo",
    );
  }
  if (!(asked.gitContent || asked.topics || asked.avatar || asked.protections || asked.labels || asked.webhooks)) {
    throw new InvalidInput(
      "Name at least one part of the template to take over: git_content, topics, avatar, labels, webhooks or protected_branch",
      "git_content",
    );
  }
  if (asked.labels && Math.max(units.issues, units.pulls) < accessModes.read) {
    throw new InvalidInput("labels cannot be taken over: you may not read the issues of the template", "labels");
  }
  if (asked.webhooks && mode < accessModes.admin) {
    throw new InvalidInput("webhooks cannot be taken over: you do not administer the template", "webhooks");
  }
  const columns = {
    ...readNewRepository(forge, doer, creation, {
      name: asked.name,
      description: asked.description,
      private: asked.private,
      defaultBranch: asked.defaultBranch || template.defaultBranch,
      objectFormat: template.objectFormat,
    }),
    ...(asked.topics ? { topics: template.topics } : {}),
    ...(asked.avatar ? { avatarSha256: template.avatarSha256 } : {}),
  };
  const tip = asked.gitContent
    ? await forge.git.refs.findRef(template.id, `refs/heads/${template.defaultBranch}`)
    : null;
  // Behind the first commit: rules are for those that come after it.
  const complete = async (work: Work, row: RepositoryRow) => {
    if (asked.labels) {
      await copyLabels(work.tx, template.id, row.id);
    }
    if (asked.protections) {
      await copyBranchProtections(work, template, row);
    }
    work.tell({
      kind: "repository.generated",
      repository: namedRepository({ repository: row, owner: creation.owner }),
      templateId: template.id,
      webhooks: asked.webhooks,
    });
  };
  if (tip === null) {
    return forge.change(doer, async (work) => {
      const row = await createEmpty(work, creation, columns);
      await complete(work, row);
      return row;
    });
  }
  const view = await forge.git.views.view({ ...template, generation: tip.generation });
  const now = new Date();
  const variables = templateVariables(
    forge.addresses.own,
    { owner, name: template.name, description: template.description },
    { owner: creation.owner, name: asked.name, description: asked.description },
    now,
  );
  const changes = await expandFiles(forge, view, tip.oid, variables);
  const signature = {
    ...identityOf(forge.addresses, actorOf(doer)),
    seconds: Math.floor(now.getTime() / 1000),
    offsetMinutes: 0,
  };
  return writeObjects(
    forge,
    doer,
    (destination) =>
      forge.git.engine
        .write(view, "commitCopy", {
          commit: tip.oid,
          changes,
          author: signature,
          committer: signature,
          message: "Initial commit\n",
          destination,
        })
        .catch((error: unknown) => {
          throw error instanceof EditConflict || error instanceof InvalidEdit
            ? new TemplateRefused(error.message)
            : error;
        }),
    async (work, { commit }, packs) => {
      const row = await createEmpty(work, creation, columns);
      await moveRefs(work, {
        repository: namedRepository({ repository: row, owner: creation.owner }),
        changes: [{ name: `refs/heads/${row.defaultBranch}`, oldOid: null, newOid: commit, peeled: null }],
        reason: "initial commit",
        packs,
      });
      await copyObjects(work.tx, template.id, row);
      await complete(work, row);
      return getRepository(work.tx, row.id);
    },
  );
}
