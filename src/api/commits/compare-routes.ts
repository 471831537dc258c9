import { t } from "elysia";
import { compareRevisions } from "../../domain/git/commits/compare.ts";
import type { Api } from "../common/api.ts";
import { ok } from "../common/responses.ts";
import { prepareFindPeople } from "./people.ts";
import { placeOf, presentCommit } from "./present.ts";
import { Compare } from "./schema.ts";

/** Compares two branches, tags or commits. */
export function compareRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  }).get(
    "/compare/:basehead+",
    {
      operationId: "repoCompareDiff",
      summary: "Compare two branches, tags or commits",
      params: {
        basehead: t.String({
          description:
            "base...head: what head has since the two parted; base..head: what differs between them. A name alone is compared with the default branch",
        }),
      },
      responses: ok(Compare, "Commits that only head has, latest first, and the files that changed"),
    },
    async ({ actor, credential, repository, params, signal }) => {
      const { commits, total, files } = await compareRevisions(forge, repository.repository, params.basehead, signal);
      const found = await people.ofCommits(commits, { actor, credential });
      const place = placeOf(forge.addresses, repository);
      return {
        total_commits: total,
        commits: commits.map((commit) => presentCommit(place, commit, found, actor, true)),
        files,
      };
    },
  );
}
