import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { wholeNumber } from "../parts/size.ts";

/** The most values that the tree shows, how deep it goes, and the most UTF-16 code units of a text. */
const most = { values: 5000, depth: 40, text: 2000 } as const;
/** So deep the tree is open. */
const openDepth = 2;

/** A number as the text has it, with all of its digits. */
class NumberText {
  constructor(readonly source: string) {}
}

/** The reviver's third argument, which TypeScript does not know yet. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

class Tree {
  private left: number = most.values;

  value(value: unknown, depth: number): Html {
    this.left--;
    if (typeof value === "string") {
      return html`<i class="s">${JSON.stringify(clip(value, most.text))}</i>`;
    }
    if (value instanceof NumberText) {
      return html`<i class="n">${value.source}</i>`;
    }
    if (typeof value !== "object" || value === null) {
      return html`<i class="k">${String(value)}</i>`;
    }
    const isList = Array.isArray(value);
    const [open, close] = isList ? "[]" : "{}";
    const entries: [string, unknown][] = Object.entries(value);
    if (entries.length === 0) {
      return html`${open}${close}`;
    }
    const count = `${wholeNumber(entries.length)} ${isList ? (entries.length === 1 ? "item" : "items") : entries.length === 1 ? "key" : "keys"}`;
    const items: Html[] = [];
    if (depth < most.depth) {
      for (const [key, inner] of entries) {
        if (this.left <= 0) {
          break;
        }
        items.push(
          html`<li>${isList ? null : html`<i class="f">${clip(key, most.text)}</i>: `}${this.value(inner, depth + 1)}</li>`,
        );
      }
    }
    const rest = entries.length - items.length;
    return html`<details${depth < openDepth ? html` open` : null}><summary>${open} <span class="faint small">${count}</span></summary><ul>${items}${rest > 0 && html`<li class="soft">and ${wholeNumber(rest)} more, which only the lines have</li>`}</ul>${close}</details>`;
  }
}

/** JSON as a tree whose branches fold; null for a text that is none, or nests too deeply. */
export function jsonTree(text: string): Html | null {
  try {
    const value = (JSON.parse as ParseWithSource)(text, (_, inner, { source }) =>
      typeof inner === "number" ? new NumberText(source ?? String(inner)) : inner,
    );
    return html`<div class="body code json">${new Tree().value(value, 0)}</div>`;
  } catch {
    return null;
  }
}
