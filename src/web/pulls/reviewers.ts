import type { IconName } from "../assets/icons.ts";
import type { FoundReview } from "../../domain/work/reviews/queries.ts";
import { html, type Html } from "../html.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

interface Verdict {
  readonly words: string;
  readonly icon: IconName;
  readonly colour: string;
}

/** What a review says, in a word and a drawing. */
function verdictOf({ kind, stale, dismissed }: FoundReview["review"]): Verdict | null {
  if (dismissed) {
    return null;
  }
  switch (kind) {
    case "approve":
      return {
        words: stale ? "approved an earlier state" : "approved",
        icon: "circle-check",
        colour: stale ? "faint" : "green",
      };
    case "request-changes":
      return { words: "asked for changes", icon: "circle-alert", colour: "red" };
    case "request":
      return { words: "is asked for a review", icon: "clock", colour: "amber" };
    case "comment":
      return { words: "commented", icon: "message-square", colour: "faint" };
    case "pending":
      return null;
  }
}

/** The last word of each reviewer. A later comment does not take an approval back. */
export function lastOfEach(reviews: readonly FoundReview[]): FoundReview[] {
  const last = new Map<string, FoundReview>();
  for (const one of reviews) {
    const key = one.team === null ? `user ${one.review.reviewerId}` : `team ${one.team.team.id}`;
    const before = last.get(key);
    const keeps = before !== undefined && one.review.kind === "comment" && before.review.kind !== "comment";
    if (verdictOf(one.review) !== null && !keeps) {
      last.set(key, one);
    }
  }
  return [...last.values()];
}

/** The user or the team that a review is of. */
export function reviewerName({ reviewer, team }: FoundReview): string {
  return reviewer?.name ?? team?.team.name ?? "Ghost";
}

/** Who was asked for a review, and what those who gave one say. `address`: where reviewers are asked; null: not by the visitor. */
export function reviewersPart(visit: Visit, reviews: readonly FoundReview[], address: string | null): Html {
  const rows = lastOfEach(reviews).map((one) => {
    const verdict = verdictOf(one.review);
    return html`<li>${one.reviewer !== null && avatar(visit, one.reviewer)}<span class="cut grow">${reviewerName(one)}</span>${verdict !== null && html`<span class="${verdict.colour}" title="${verdict.words}">${icon(visit, verdict.icon)}<span class="sr">${verdict.words}</span></span>`}</li>`;
  });
  const form =
    address === null
      ? null
      : html`<details class="change"><summary class="small"><span class="link">${icon(visit, "pencil")}Ask somebody</span></summary><form class="stack s" method="post" action="${address}">${visit.formField()}<input type="text" name="reviewer" placeholder="Name of a user" aria-label="Name of a user to ask for a review" autocapitalize="none" spellcheck="false" maxlength="100" required><button class="button s">Ask for a review</button></form></details>`;
  return html`<section><h2>Reviewers</h2>${rows.length === 0 ? html`<p class="faint">Nobody yet</p>` : html`<ul class="facts">${rows}</ul>`}${form}</section>`;
}

/** What a review in the timeline did. */
export function reviewWords({ kind, dismissed }: FoundReview["review"]): string {
  const words =
    kind === "approve" ? "approved these changes" : kind === "request-changes" ? "asked for changes" : "reviewed";
  return dismissed ? `${words} (dismissed since)` : words;
}

/** The head that a user has reviewed last; null: they have not. Oids are hexadecimal. */
export function reviewedHead(
  { reviews }: { readonly reviews: readonly FoundReview[] },
  userId: number | null,
): string | null {
  const last = reviews.findLast(
    ({ review }) =>
      userId !== null && review.reviewerId === userId && review.kind !== "request" && review.kind !== "pending",
  );
  const oid = last?.review.commitOid ?? null;
  return oid === null ? null : Buffer.from(oid).toString("hex");
}
