import type { LaneRow } from "../../git/log/lanes.ts";
import { html, type Html } from "../html.ts";

/** Units of the drawing: between lanes, and between rows. A row is as high as one of the list beside it (history.css). */
const step = 14;
const rowHeight = 40;
/** Lanes further out are drawn in this one, so that the list stays readable. */
const mostLanes = 24;
/** As many as there are classes. */
const colours = 8;

const x = (lane: number) => Math.min(lane, mostLanes - 1) * step + step / 2;

function path(from: number, to: number, row: number): string {
  const [start, end] = [x(from), x(to)];
  const y = row * rowHeight + rowHeight / 2;
  return start === end
    ? `M${start} ${y}v${rowHeight}`
    : `M${start} ${y}c0 ${rowHeight / 2} ${end - start} ${rowHeight / 2} ${end - start} ${rowHeight}`;
}

/** Draws the lanes of rows, one path for each colour. The list beside it says the same in words. */
export function laneDrawing(rows: readonly LaneRow[]): Html {
  const paths = Array.from({ length: colours }, () => "");
  const dots: Html[] = [];
  let lanes = 1;
  rows.forEach(({ lane, colour, lines }, row) => {
    for (const { from, to, colour: own } of lines) {
      paths[own % colours] += path(from, to, row);
      lanes = Math.max(lanes, from + 1, to + 1);
    }
    lanes = Math.max(lanes, lane + 1);
    dots.push(
      html`<circle class="lane${colour % colours}" cx="${x(lane)}" cy="${row * rowHeight + rowHeight / 2}" r="4"/>`,
    );
  });
  const [width, height] = [Math.min(lanes, mostLanes) * step, rows.length * rowHeight];
  const drawn = paths.flatMap((d, colour) => (d === "" ? [] : [html`<path class="lane${colour}" d="${d}"/>`]));
  return html`<svg class="lanes" width="${width / 16}rem" height="${height / 16}rem" viewBox="0 0 ${width} ${height}" aria-hidden="true">${drawn}${dots}</svg>`;
}
