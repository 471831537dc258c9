import type { ShownStatus } from "../../domain/repos/statuses/queries.ts";
import type { WantedCheck } from "../../domain/git/protections/decide-change.ts";
import { durationInWords } from "../../lib/duration.ts";
import { html, type Html } from "../html.ts";
import { checkMark } from "../parts/check-mark.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";

/** A check that is shown: its latest status, or the name of one that is wanted and has not come. */
export interface ShownCheck {
  readonly context: string;
  /** null: nothing has reported it. */
  readonly latest: ShownStatus | null;
  readonly isRequired: boolean;
}

/** The checks of a commit, those first that a rule wants; of these, those that nothing has reported are there, too. */
export function withRequired(statuses: readonly ShownStatus[], wanted: readonly WantedCheck[]): ShownCheck[] {
  const required = new Set(wanted.flatMap(({ counted }) => counted.map(({ context }) => context)));
  const missing = wanted.flatMap(({ wanted: context, counted }) =>
    context !== null && counted.length === 0 ? [{ context, latest: null, isRequired: true }] : [],
  );
  const known = statuses.map((latest) => {
    const { context } = latest.status;
    return { context, latest, isRequired: required.has(context) };
  });
  return [...missing, ...known.filter((one) => one.isRequired), ...known.filter((one) => !one.isRequired)];
}

/** A name, as a link where it is given an address of the web. */
export function linkedCheck(context: string, url: string): Html {
  return /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="nofollow noopener" dir="auto">${context}</a>`
    : html`<span dir="auto">${context}</span>`;
}

/** What a check says, in a line: its state, its name and its words, and when that was. */
export function checkLine(visit: Visit, { context, latest, isRequired }: ShownCheck): Html {
  const { targetUrl = "", description = "", state = "pending" } = latest?.status ?? {};
  const words = latest === null ? "Nothing has reported it yet" : description;
  return html`${checkMark(visit, state)}<span class="grow"><b>${linkedCheck(context, targetUrl)}</b> <span class="soft" dir="auto">${words}</span></span>${isRequired && html`<span class="tag">Required</span>`}${latest !== null && html`<span class="faint small">${ago(visit, latest.status.createdAt)}</span>`}`;
}

/** How long a check took, from its first report to its latest; null where it reported once. */
export function tookWords(first: Date, latest: Date): string | null {
  const seconds = Math.round((latest.getTime() - first.getTime()) / 1000);
  return seconds < 1 ? null : durationInWords(seconds);
}
