import { make } from "../dom.ts";
import { openWord } from "../../writing/marks.ts";
import { selectedIn, write } from "./write.ts";

/** One that a word can be completed to, as `src/web/issues/complete.ts` answers it. */
interface Choice {
  /** What takes the place of the word. */
  readonly put: string;
  readonly text: string;
  readonly about: string;
}

/** The server is asked when nothing was typed for so long. */
const pauseMs = 100;
let count = 0;

/** Where the caret is in a field, in pixels from its corner: measured in a copy that has the same lines. */
function caretOf(field: HTMLTextAreaElement): { left: number; top: number } {
  const style = getComputedStyle(field);
  const copy = make("div", { "aria-hidden": "true" });
  for (const name of ["font", "letterSpacing", "lineHeight", "padding", "border", "boxSizing", "direction"] as const) {
    copy.style[name] = style[name];
  }
  Object.assign(copy.style, {
    position: "absolute",
    visibility: "hidden",
    whiteSpace: "pre-wrap",
    overflowWrap: "break-word",
    width: `${field.offsetWidth}px`,
  });
  const caret = make("span", {}, "\u200b");
  copy.append(field.value.slice(0, field.selectionStart), caret);
  field.after(copy);
  const place = {
    left: caret.offsetLeft,
    top: caret.offsetTop + caret.offsetHeight - field.scrollTop,
  };
  copy.remove();
  return place;
}

/** Completes `@users`, `#issues`, `!pulls` and `:emoji:` in a field: a list that arrows walk through, and that Enter or Tab takes from. */
export class Completion {
  private readonly list: HTMLElement;
  private choices: readonly Choice[] = [];
  private asked = new AbortController();
  private timer = 0;

  constructor(private readonly field: HTMLTextAreaElement) {
    const id = `completion-${++count}`;
    this.list = make("div", { class: "completion", id, role: "listbox", "aria-label": "Completions" });
    this.list.hidden = true;
    field.setAttribute("aria-autocomplete", "list");
    field.after(this.list);
    field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.ask(), pauseMs);
    });
    field.addEventListener("blur", () => this.close());
    // The field keeps the focus.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", ({ target }) => {
      const option = target instanceof Element ? target.closest("[role=option]") : null;
      if (option !== null) {
        this.take([...this.list.children].indexOf(option));
      }
    });
  }

  /** Returns whether the key was for the list. */
  press({ key }: KeyboardEvent): boolean {
    if (this.list.hidden) {
      return false;
    }
    const at = [...this.list.children].findIndex((option) => option.ariaSelected === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined) {
      this.select((at + step + this.choices.length) % this.choices.length);
    } else if (key === "Enter" || key === "Tab") {
      this.take(at);
    } else if (key === "Escape") {
      this.close();
    } else {
      return false;
    }
    return true;
  }

  private async ask(): Promise<void> {
    this.asked.abort();
    const { signal } = (this.asked = new AbortController());
    const word = openWord(selectedIn(this.field));
    const repository = document.body.dataset["repository"];
    if (word === null || repository === undefined) {
      this.close();
      return;
    }
    try {
      const query = new URLSearchParams({ q: word.sign + word.typed }).toString();
      const answer = await fetch(`${repository}/-/complete?${query}`, { signal });
      const { choices } = (await answer.json()) as { choices: Choice[] };
      if (!signal.aborted) {
        this.show(choices);
      }
    } catch {
      // A later key asks again.
    }
  }

  private show(choices: readonly Choice[]): void {
    this.choices = choices;
    if (choices.length === 0 || document.activeElement !== this.field) {
      this.close();
      return;
    }
    const options = choices.map(({ text, about }, index) =>
      make(
        "div",
        { role: "option", id: `${this.list.id}-${index}`, "aria-selected": "false" },
        make("b", {}, text),
        make("span", { class: "soft cut", dir: "auto" }, about),
      ),
    );
    this.list.replaceChildren(...options);
    this.list.hidden = false;
    const { left, top } = caretOf(this.field);
    this.list.style.left = `${Math.max(0, Math.min(left, this.field.offsetWidth - this.list.offsetWidth)) + this.field.offsetLeft}px`;
    this.list.style.top = `${Math.min(top, this.field.offsetHeight) + this.field.offsetTop}px`;
    this.field.setAttribute("aria-controls", this.list.id);
    this.select(0);
  }

  private select(index: number): void {
    for (const [at, option] of [...this.list.children].entries()) {
      option.ariaSelected = String(at === index);
    }
    const chosen = this.list.children[index];
    chosen?.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", chosen?.id ?? "");
  }

  private take(index: number): void {
    const word = openWord(selectedIn(this.field));
    const choice = this.choices[index];
    this.close();
    if (word !== null && choice !== undefined) {
      const put = `${choice.put} `;
      const end = word.at + put.length;
      write(this.field, { from: word.at, to: this.field.selectionStart, put, select: [end, end] });
      this.close();
    }
  }

  private close(): void {
    clearTimeout(this.timer);
    this.asked.abort();
    this.list.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
    this.field.removeAttribute("aria-controls");
  }
}
