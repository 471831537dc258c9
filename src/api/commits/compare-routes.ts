import { Elysia, t } from "elysia";
import { compareRevisions } from "../../domain/commits/compare.ts";
import type { Api } from "../common/api.ts";
import { notFound, ok } from "../common/responses.ts";
import { readSpreadName, spreadName, undocumented } from "../common/rest-of-path.ts";
import { repositoryParams } from "../common/schema.ts";
import { prepareFindPeople } from "./people.ts";
import { placeOf, presentCommit } from "./present.ts";
import { Compare } from "./schema.ts";

/** What one branch, tag or commit has that another has not. */
export function compareRoutes({ forge, endpoint }: Api) {
  const people = prepareFindPeople(forge);
  const [compare, options] = endpoint(
    {
      operationId: "repoCompareDiff",
      tag: "repository",
      summary: "Compare two branches, tags or commits",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "code" },
      params: t.Object({ ...repositoryParams, ...spreadName("basehead", "base...head: what head has since the two parted; base..head: what differs between them. A name alone is compared with the default branch") }),
      responses: { ...ok(Compare, "Commits that only head has, latest first, and the files that changed"), ...notFound },
    },
    async ({ actor, repository, params, signal }) => {
      const { commits, total, files } = await compareRevisions(forge, repository.repository, readSpreadName(params, "basehead"), signal);
      const found = await people.ofCommits(commits, actor);
      const place = placeOf(forge.addresses, repository);
      return { total_commits: total, commits: commits.map((commit) => presentCommit(place, commit, found, actor, true)), files };
    },
  );
  return new Elysia({ prefix: "/repos/:owner/:repo" }).get("/compare/:basehead", compare, options).get("/compare/*", undocumented(compare), options);
}
