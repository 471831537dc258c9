import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { openPullText, preparePullRanges } from "../../domain/work/pulls/range.ts";
import { stream } from "../common/reply.ts";
import { oneOf, rowId } from "../common/schema.ts";

/**
 * The changes of a pull request as text. It is declared in the group of `/:index`, where the suffix tells the two
 * apart.
 */
export const pullText = {
  operationId: "repoDownloadPullDiffOrPatch",
  may: { on: "repository", do: "read", unit: "code-of-pulls" },
  summary: "Get what a pull request changes, as a diff or as mails",
  params: {
    index: rowId("Number of the pull request"),
    diffType: oneOf(["diff", "patch"], "diff: what git diff prints; patch: mails that git am takes, one a commit"),
  },
  query: {
    binary: t.Optional(
      t.Boolean({ description: "A diff also has what became of binary files (default false); mails always do" }),
    ),
  },
  responses: {
    200: {
      description: "The text, which is cut after a whole file when it is too large",
      contentType: "text/plain",
    },
  },
} as const;

interface Asked {
  repository: RepositoryAccess;
  params: { index: number; diffType: "diff" | "patch" };
  query: { binary?: boolean };
  signal: AbortSignal;
}

export function prepareAnswerPullText(forge: Forge) {
  const ranges = preparePullRanges(forge);
  return async ({ repository, params, query, signal }: Asked) => {
    const range = await ranges.get(repository, params.index, signal);
    const text = { kind: params.diffType, binary: query.binary ?? false };
    const commits = [range.before ?? "nothing", ...range.not, range.after].join(".");
    const name = `${commits}.${text.kind}${text.binary ? ".binary" : ""}`;
    const open = () => openPullText(forge, range, text, signal);
    return stream(open, "text/plain;charset=utf-8", name, { "x-content-type-options": "nosniff" });
  };
}
