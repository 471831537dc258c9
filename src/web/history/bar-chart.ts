import type { Buckets } from "../../git/operations/contributions.ts";
import { html, type Html } from "../html.ts";

/** Units of the drawing; it is stretched to the width of its place. */
const [height, step] = [100, 10];

/** Draws numbers as bars from one bucket to another; `label` says what they are. */
export function barChart(buckets: Buckets, from: number, to: number, most: number, label: string): Html {
  const width = (to - from + 1) * step;
  const bars = buckets
    .filter(([bucket, count]) => bucket >= from && bucket <= to && count > 0)
    .map(([bucket, count]) => {
      const tall = Math.max(2, Math.round((height * count) / most));
      return `M${(bucket - from) * step + 1} ${height}v-${tall}h${step - 2}v${tall}z`;
    });
  return html`<svg class="bars" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${bars.join("")}"/></svg>`;
}
