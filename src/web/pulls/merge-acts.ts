import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { checkLength } from "../../domain/work/issues/create-issue.ts";
import { cancelScheduledMerge, mergeWhenChecksSucceed } from "../../domain/work/merges/auto-merge.ts";
import { longestMergeText, longestMergeTitle } from "../../domain/work/merges/merge-message.ts";
import { mergePull } from "../../domain/work/merges/merge-pull.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { movesPulls, writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import type { Visit } from "../visit.ts";
import { loadPull } from "./load-pull.ts";
import { mergePage } from "./merge-page.ts";
import { allowedStyles } from "./merge-styles.ts";
import { getPullRow, runAct } from "./run-act.ts";

/** The form that merges, and the page that shows what that makes. */
export function mergePages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function merge(visit: Visit, doer: UserDoer, access: RepositoryAccess, number: number): Promise<string> {
    const { form } = visit;
    const when = form.text("when");
    if (when === "never") {
      await forge.change(doer, (work) => cancelScheduledMerge(work, access, number));
      return "The scheduled merge is taken back.";
    }
    const asked = form.text("style");
    const [title, message] = [form.text("title"), form.lines("message")];
    checkLength(title, longestMergeTitle, "A title", "title");
    checkLength(message, longestMergeText, "A message", "message");
    const request = {
      title,
      message,
      headCommitId: form.text("head"),
      ...(form.has("base") ? { baseBranch: form.text("base") } : {}),
      mergeCommitId: form.text("commit").trim(),
      deleteBranch: form.text("delete") !== "",
      force: form.text("force") !== "",
    };
    if (asked === "manually-merged") {
      await mergePull(forge, doer, access, number, { ...request, style: asked, deleteBranch: false });
      return "It is noted that the pull request was merged by hand.";
    }
    const style = allowedStyles(access).find((one) => one.style === asked)?.style;
    if (style === undefined) {
      throw new InvalidInput(`The repository does not merge as "${clip(asked, 40)}"`, "style");
    }
    if (when !== "checks") {
      await mergePull(forge, doer, access, number, { ...request, style });
      return "The pull request is merged.";
    }
    const outcome = await mergeWhenChecksSucceed(forge, doer, access, number, { ...request, style });
    return outcome === "merged" ? "The pull request is merged." : "It is merged as soon as all checks succeed.";
  }

  return [
    page(
      "GET",
      "/:owner/:repo/pulls/:index/merge",
      { ...writesCode, past: true },
      async ({ visit, actor, repository: access }) => {
        const issue = await getPullRow(forge, visit, access);
        const loaded = await loadPull(forge, visit, access, issue);
        if (loaded === null) {
          throw new NotFound("pull request", String(issue.number));
        }
        return mergePage(forge, visit, actor, access, { issue, loaded }, null);
      },
    ),
    page(
      "POST",
      "/:owner/:repo/pulls/:index/merge",
      { ...movesPulls, longForm: true },
      ({ visit, doer, actor, repository: access }) =>
        runAct(
          forge,
          visit,
          access,
          (number) => merge(visit, doer, access, number),
          visit.form.text("page") === ""
            ? null
            : async (issue, refused) => {
                const loaded = await loadPull(forge, visit, access, issue);
                if (loaded === null) {
                  throw new NotFound("pull request", String(issue.number));
                }
                return mergePage(forge, visit, actor, access, { issue, loaded }, refused);
              },
        ),
    ),
  ];
}
