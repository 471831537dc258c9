import { t, type Static } from "elysia";
import { InvalidInput } from "../../lib/errors.ts";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { generateRepository } from "../../domain/repos/templates/generate-repository.ts";
import { getRepositoryCounts } from "../../domain/repos/queries.ts";
import type { Api } from "../common/api.ts";
import { created } from "../common/reply.ts";
import { conflict, made } from "../common/responses.ts";
import { presentOne } from "./present-repositories.ts";
import { Repository } from "./schema.ts";

const GenerateRepoOption = t.Object(
  {
    owner: t.String({ minLength: 1, description: "Name of the user or organization that will own it" }),
    name: t.String({ minLength: 1, maxLength: 100, description: "Letters, digits, -, _ and ." }),
    description: t.Optional(t.String({ maxLength: 2048 })),
    private: t.Optional(t.Boolean()),
    default_branch: t.Optional(
      t.String({ maxLength: 100, description: "Name of the branch with the commit; the template's own if absent" }),
    ),
    git_content: t.Optional(
      t.Boolean({ description: "Take over the files of the default branch, with their variables replaced" }),
    ),
    topics: t.Optional(t.Boolean({ description: "Take over the topics" })),
    avatar: t.Optional(t.Boolean({ description: "Take over the picture" })),
    protected_branch: t.Optional(t.Boolean({ description: "Take over the rules for branches" })),
    labels: t.Optional(t.Boolean({ description: "Take over its own labels" })),
    webhooks: t.Optional(t.Boolean({ description: "Take over the webhooks, for administrators of the template" })),
    git_hooks: t.Optional(t.Boolean({ description: "Take over the git hooks, which no repository has" })),
  },
  { $id: "GenerateRepoOption" },
);

const notThere = {
  git_hooks: "git hooks",
} as const;

/** Throws InvalidInput for parts that templates do not have here: a client that asks for them must not believe it got them. */
function refuseMissingParts(body: Static<typeof GenerateRepoOption>): void {
  for (const [field, what] of Object.entries(notThere)) {
    if (body[field as keyof typeof notThere] === true) {
      throw new InvalidInput(`${field} cannot be taken over: templates have no ${what} here`, field);
    }
  }
}

/** Repositories are made of others that are templates. */
export function generateRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
    signedIn: true,
    // The template is only read.
    onArchived: "allowed",
  }).post(
    "/generate",
    {
      operationId: "generateRepo",
      summary: "Create a repository from a template",
      description:
        "The template's files `.forgejo/template` or `.gitea/template` name the files in which variables are replaced.",
      also: { into: { may: { on: "owner", do: "create-repository" }, named: { owner: "owner" }, in: "body" } },
      body: GenerateRepoOption,
      responses: { ...made(Repository, "The repository"), ...conflict },
    },
    async ({ doer, also: { into }, repository: template, body }) => {
      refuseMissingParts(body);
      const ownsOwner = doer.actor.isAdmin || into.owner.kind === "user" || into.membership === accessModes.owner;
      const row = await generateRepository(
        forge,
        doer,
        template,
        { owner: into.owner, ownsOwner },
        {
          name: body.name,
          description: body.description ?? "",
          private: body.private ?? false,
          defaultBranch: body.default_branch ?? "",
          gitContent: body.git_content ?? false,
          topics: body.topics ?? false,
          avatar: body.avatar ?? false,
          protections: body.protected_branch ?? false,
          labels: body.labels ?? false,
          webhooks: body.webhooks ?? false,
        },
      );
      const counts = await getRepositoryCounts(forge.database.db, row.id);
      const mode = ownsOwner ? accessModes.owner : accessModes.admin;
      return created(await presentOne(forge, repositoryAccess(row, into.owner, counts, sameInEveryUnit(mode)), doer));
    },
  );
}
