import type { MilestoneMoment } from "../../domain/work/milestones/queries.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { wholeNumber } from "../parts/size.ts";
import { dayOf } from "../parts/time.ts";

/** Units of the drawing; it is stretched to the width of its place. */
const [width, height] = [600, 100];

/**
 * Draws how the issues of a milestone became more, and how many of them were closed, over time. `dueAt` is a line. The sentence below says the
 * same.
 */
export function burnUp(reader: Reader, course: readonly MilestoneMoment[], dueAt: Date | null): Html | null {
  const [first, last] = [course[0], course.at(-1)];
  if (first === undefined || last === undefined) {
    return null;
  }
  const most = Math.max(1, ...course.map(({ all }) => all));
  const start = first.at.getTime();
  const end = Math.max(last.at.getTime(), dueAt?.getTime() ?? 0);
  const x = (at: Date) => Math.round((10 * (width * (at.getTime() - start))) / Math.max(1, end - start)) / 10;
  const y = (value: number) => Math.round(10 * (height - (height * Math.max(0, value)) / most)) / 10;
  const line = (value: (moment: MilestoneMoment) => number) =>
    course.map((moment, index) => `${index === 0 ? "M" : "L"}${x(moment.at)} ${y(value(moment))}`).join("");
  const area = (value: (moment: MilestoneMoment) => number) => `${line(value)}V${height}H0z`;
  const due = dueAt !== null && dueAt.getTime() > start;
  const words = `${wholeNumber(last.closed)} of ${wholeNumber(last.all)} were closed by ${dayOf(reader, last.at)}, since ${dayOf(reader, first.at)}`;
  return html`<figure class="burn-up"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${words}"><path class="all" d="${area(({ all }) => all)}"/><path class="closed" d="${area(({ closed }) => closed)}"/><path class="all line" d="${line(({ all }) => all)}"/><path class="closed line" d="${line(({ closed }) => closed)}"/>${due && html`<path class="due" d="M${x(dueAt)} 0V${height}"/>`}</svg>
    <figcaption class="meta"><span>${dayOf(reader, first.at)}</span><span class="grow"></span><span class="soft">all</span><span class="violet">closed</span>${due && html`<span class="red">due</span>`}<span class="grow"></span><span>${dayOf(reader, new Date(end))}</span></figcaption></figure>`;
}
