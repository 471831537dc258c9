import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { addFlag, removeFlag, replaceFlags } from "../../domain/repos/flags/edit-flags.ts";
import { listFlags } from "../../domain/repos/flags/queries.ts";
import type { Api } from "../common/api.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { done, invalid, no, ok } from "../common/responses.ts";
import { nullable, sparseList } from "../common/schema.ts";

const ReplaceFlagsOption = t.Object(
  { flags: t.Optional(nullable(sparseList(t.String(), "Names"))) },
  { $id: "ReplaceFlagsOption" },
);

/** The repository of the path, which a site administrator may always read. */
const named = {
  repository: { may: { on: "repository", do: "read", unit: "any" }, named: { owner: "owner", repo: "repo" } },
} as const;
const params = { flag: t.String({ description: "Name of the flag" }) };

/** Flags that site administrators set on repositories for their own tools. The server ignores them. */
export function repositoryFlagRoutes({ forge, group }: Api) {
  const { config, database } = forge;

  /** Throws NotFound where flags are switched off. */
  function demandFlags(): void {
    if (!config.repository.flags) {
      throw new NotFound("operation for flags, as the setting repository.flags is off", "flags");
    }
  }

  return group("/repos/:owner/:repo/flags", {
    tag: "repository",
    scopes: ["repository", "admin"],
    may: { on: "instance", do: "administer" },
  })
    .get(
      "",
      {
        operationId: "repoListFlags",
        summary: "List a repository's flags",
        also: named,
        responses: ok(t.Array(t.String()), "The flags, by name"),
      },
      ({ also }) => {
        demandFlags();
        return listFlags(database.db, also.repository.repository.id);
      },
    )
    .put(
      "",
      {
        operationId: "repoReplaceAllFlags",
        summary: "Replace a repository's flags",
        also: named,
        body: ReplaceFlagsOption,
        responses: done,
      },
      async ({ doer, also, body }) => {
        demandFlags();
        await forge.change(doer, (work) => replaceFlags(work, also.repository, body.flags ?? []));
        return empty();
      },
    )
    .delete(
      "",
      {
        operationId: "repoDeleteAllFlags",
        summary: "Take all flags from a repository",
        also: named,
        responses: done,
      },
      async ({ doer, also }) => {
        demandFlags();
        await forge.change(doer, (work) => replaceFlags(work, also.repository, []));
        return empty();
      },
    )
    .get(
      "/:flag",
      {
        operationId: "repoCheckFlag",
        summary: "Tell whether a repository has a flag",
        also: named,
        params,
        responses: { ...done, ...no },
      },
      async ({ also, params: { flag } }) => {
        demandFlags();
        return yesOrNo((await listFlags(database.db, also.repository.repository.id)).includes(flag));
      },
    )
    .put(
      "/:flag",
      {
        operationId: "repoAddFlag",
        summary: "Put a flag on a repository",
        also: named,
        params,
        responses: { ...done, ...invalid },
      },
      async ({ doer, also, params: { flag } }) => {
        demandFlags();
        await forge.change(doer, (work) => addFlag(work, also.repository, flag));
        return empty();
      },
    )
    .delete(
      "/:flag",
      {
        operationId: "repoDeleteFlag",
        summary: "Take a flag from a repository",
        also: named,
        params,
        responses: { ...done, ...invalid },
      },
      async ({ doer, also, params: { flag } }) => {
        demandFlags();
        await forge.change(doer, (work) => removeFlag(work, also.repository, flag));
        return empty();
      },
    );
}
