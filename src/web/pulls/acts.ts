import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { editIssue } from "../../domain/work/issues/edit-issue.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { cancelScheduledMerge, mergeWhenChecksSucceed } from "../../domain/work/merges/auto-merge.ts";
import { mergePull } from "../../domain/work/merges/merge-pull.ts";
import { updatePull } from "../../domain/work/merges/update-pull.ts";
import { placeComments } from "../../domain/work/reviews/place-comments.ts";
import { findReviewedPull } from "../../domain/work/reviews/queries.ts";
import { requestReviews } from "../../domain/work/reviews/request-reviews.ts";
import { createReview, type ReviewVerdict } from "../../domain/work/reviews/write-review.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { issueLink } from "../links.ts";
import { discussionPage, readNumber } from "../issues/discussion.ts";
import { movesPulls, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { allowedStyles } from "./merge-box.ts";
import { readyTitle } from "../../domain/work/pulls/draft.ts";

const participates = { may: { on: "repository", do: "participate", unit: "pulls" }, signedIn: true } as const;

const verdicts: readonly ReviewVerdict[] = ["comment", "approve", "request-changes"];

/** The forms on the pages of a pull request. */
export function pullActPages(forge: Forge, page: DeclarePage): PageRoute[] {
  /** Does an act, and leads back to the pull request, with what `act` says. A refusal shows its page with the reason. */
  async function run(
    visit: Visit,
    access: RepositoryAccess,
    act: (number: number) => Promise<string | void>,
  ): Promise<Page | Redirect> {
    const row = await getIssueRow(forge, access, readNumber(visit));
    if (!row.isPull) {
      throw new NotFound("pull request", String(row.number));
    }
    return tryForm(
      async () => {
        const said = await act(row.number);
        return new Redirect(issueLink(visit.root, access, row), said ?? null);
      },
      async (refused) => {
        const now = await getIssueRow(forge, access, row.number);
        return discussionPage(forge, visit, access, now, {
          text: visit.form.text("body"),
          refused: { ...refused, field: null },
          preview: null,
        });
      },
    );
  }

  async function merge(visit: Visit, doer: UserDoer, access: RepositoryAccess, number: number): Promise<string> {
    const { form } = visit;
    const when = form.text("when");
    if (when === "never") {
      await forge.change(doer, (work) => cancelScheduledMerge(work, access, number));
      return "The scheduled merge is taken back.";
    }
    const [style] = allowedStyles(access).find(([name]) => name === form.text("style")) ?? [];
    if (style === undefined) {
      throw new InvalidInput(`The repository does not merge as "${clip(form.text("style"), 40)}"`, "style");
    }
    const request = {
      style,
      title: form.text("title"),
      message: form.lines("message"),
      headCommitId: form.text("head"),
      mergeCommitId: "",
      deleteBranch: form.text("delete") !== "",
      force: form.text("force") !== "",
    };
    if (when !== "checks") {
      await mergePull(forge, doer, access, number, request);
      return "The pull request is merged.";
    }
    const outcome = await mergeWhenChecksSucceed(forge, doer, access, number, request);
    return outcome === "merged" ? "The pull request is merged." : "It is merged as soon as all checks succeed.";
  }

  async function review(visit: Visit, doer: UserDoer, access: RepositoryAccess, number: number): Promise<string> {
    const { form } = visit;
    const verdict = verdicts.find((one) => one === form.text("verdict"));
    if (verdict === undefined) {
      throw new InvalidInput("Choose whether you comment, approve or ask for changes", "verdict");
    }
    const pulled = await findReviewedPull(forge.database.db, access.repository.id, number);
    if (pulled === null) {
      throw new NotFound("pull request", String(number));
    }
    const commit = form.text("head") === "" ? null : form.text("head");
    const placed = await placeComments(forge, access.repository, pulled, { commit, comments: [] });
    const body = form.lines("body");
    await forge.change(doer, (work) => createReview(work, access, number, { verdict, body, placed }));
    return "The review is sent.";
  }

  async function makeReady(doer: UserDoer, access: RepositoryAccess, number: number): Promise<void> {
    const { title, contentVersion } = await getIssueRow(forge, access, number);
    const ready = readyTitle(title, forge.config.pulls.draft_prefixes);
    if (ready !== title) {
      await forge.change(doer, (work) => editIssue(work, access, number, { title: ready, contentVersion }));
    }
  }

  return [
    page(
      "POST",
      "/:owner/:repo/pulls/:index/merge",
      { ...movesPulls, longForm: true },
      ({ visit, doer, repository: access }) => run(visit, access, (number) => merge(visit, doer, access, number)),
    ),
    page("POST", "/:owner/:repo/pulls/:index/update", movesPulls, ({ visit, doer, repository: access }) =>
      run(visit, access, async (number) => {
        await updatePull(forge, doer, access, number, access.repository.defaultUpdateStyle);
        return "The branch has what its base has.";
      }),
    ),
    page(
      "POST",
      "/:owner/:repo/pulls/:index/review",
      { ...movesPulls, longForm: true },
      ({ visit, doer, repository: access }) => run(visit, access, (number) => review(visit, doer, access, number)),
    ),
    page("POST", "/:owner/:repo/pulls/:index/reviewers", participates, ({ visit, doer, repository: access }) =>
      run(visit, access, async (number) => {
        const users = [visit.form.text("reviewer").trim()];
        await forge.change(doer, (work) => requestReviews(work, access, number, { users, teams: [] }));
      }),
    ),
    page("POST", "/:owner/:repo/pulls/:index/ready", participates, ({ visit, doer, repository: access }) =>
      run(visit, access, (number) => makeReady(doer, access, number)),
    ),
  ];
}
