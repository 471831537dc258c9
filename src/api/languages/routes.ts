import { t } from "elysia";
import { findLanguages } from "../../domain/git/languages/queries.ts";
import type { Api } from "../common/api.ts";
import { ok } from "../common/responses.ts";
import { integer } from "../common/schema.ts";

/** Which languages a repository is written in. */
export function languageRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/languages", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  }).get(
    "",
    {
      operationId: "repoGetLanguages",
      summary: "Get the bytes of each language in a repository",
      description:
        "Of the default branch, as Linguist counts them, the most first. They are counted soon after a push; until then the answer is of the commit before it, and empty if there was none.",
      responses: ok(t.Record(t.String(), integer()), "Bytes by the name of the language"),
    },
    ({ repository: { repository } }) => findLanguages(forge.database.db, repository.id),
  );
}
