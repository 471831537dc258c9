import base from "../style/base.css" with { type: "text" };
import code from "../style/code.css" with { type: "text" };
import edit from "../style/edit.css" with { type: "text" };
import find from "../style/find.css" with { type: "text" };
import diff from "../style/diff.css" with { type: "text" };
import files from "../style/files.css" with { type: "text" };
import issues from "../style/issues.css" with { type: "text" };
import frame from "../style/frame.css" with { type: "text" };
import front from "../style/front.css" with { type: "text" };
import history from "../style/history.css" with { type: "text" };
import lists from "../style/lists.css" with { type: "text" };
import palette from "../style/palette.css" with { type: "text" };
import parts from "../style/parts.css" with { type: "text" };
import releases from "../style/releases.css" with { type: "text" };
import settings from "../style/settings.css" with { type: "text" };
import text from "../style/text.css" with { type: "text" };
import review from "../style/review.css" with { type: "text" };
import tokens from "../style/tokens.css" with { type: "text" };

/** The one style sheet of all pages. The tokens are first, because they declare the order of the layers. */
export const style = [
  // One a line, so that two that are added at once do not meet.
  tokens,
  base,
  parts,
  frame,
  palette,
  code,
  edit,
  files,
  find,
  front,
  history,
  diff,
  review,
  issues,
  releases,
  settings,
  text,
  lists,
]
  .join("")
  .replaceAll(/\/\*[^]*?\*\//g, "")
  .replaceAll(/\n\s*/g, "");
