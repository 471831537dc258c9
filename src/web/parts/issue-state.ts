import type { IconName } from "../assets/icons.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "./icon.ts";

/** What decides how the state of an issue or a pull request is shown. */
export interface ShownState {
  readonly isPull: boolean;
  readonly isClosed: boolean;
  readonly isMerged: boolean;
  readonly isDraft: boolean;
}

interface Look {
  readonly words: string;
  readonly colour: "green" | "violet" | "red" | "soft";
  readonly icon: IconName;
}

function lookOf({ isPull, isClosed, isMerged, isDraft }: ShownState): Look {
  if (!isPull) {
    return isClosed
      ? { words: "Closed", colour: "violet", icon: "circle-check" }
      : { words: "Open", colour: "green", icon: "circle-dot" };
  }
  if (isMerged) {
    return { words: "Merged", colour: "violet", icon: "git-merge" };
  }
  if (isClosed) {
    return { words: "Closed", colour: "red", icon: "git-pull-request-closed" };
  }
  return isDraft
    ? { words: "Draft", colour: "soft", icon: "git-pull-request-draft" }
    : { words: "Open", colour: "green", icon: "git-pull-request" };
}

/** The state as a drawing, with its word for those who hear the page. */
export function stateIcon(reader: Reader, state: ShownState): Html {
  const { words, colour, icon: name } = lookOf(state);
  return html`<span class="${colour}" title="${words}">${icon(reader, name)}<span class="sr">${words}</span></span>`;
}

/** The state as a word on its colour. */
export function statePill(reader: Reader, state: ShownState): Html {
  const { words, colour, icon: name } = lookOf(state);
  return html`<span class="pill ${colour}">${icon(reader, name)}${words}</span>`;
}
