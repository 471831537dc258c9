import { clip } from "../../lib/show-value.ts";

/** The most UTF-16 code units that a page shows of a title. */
const shownTitle = 500;

/** The first line of a commit's message. */
export function commitTitle(message: string): string {
  const end = message.indexOf("\n");
  return clip((end < 0 ? message : message.slice(0, end)).trim() || "(no message)", shownTitle);
}
