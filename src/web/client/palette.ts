import { drawing, make } from "./dom.ts";
import { root } from "./root.ts";

interface Goal {
  readonly text: string;
  readonly about?: string;
  readonly icon: string;
  readonly href: string;
}

interface Goals {
  readonly title: string;
  readonly goals: readonly Goal[];
}

/** The server is asked when nothing was typed for so long. */
const pauseMs = 90;
const label = "Search or jump to";
/** Keys that the foot of the palette explains. */
const hints = [
  ["↑ ↓", "move"],
  ["Enter", "open"],
  [">", "commands"],
  ["#", "issues"],
  ["/", "files"],
] as const;

/** The sides of the repository that the page shows: its tabs. */
function sides(typed: string): Goals {
  const here = document.querySelector(".crumbs [aria-current]")?.textContent ?? "";
  const goals = [...document.querySelectorAll<HTMLAnchorElement>(".bar .tabs a")].map((tab) => ({
    text: `${tab.firstChild?.textContent?.trim() ?? ""} of ${here}`,
    icon: "book",
    href: tab.href,
  }));
  const words = typed.toLowerCase().split(/\s+/);
  return {
    title: "Here",
    goals: goals.filter(({ text }) => typed !== "" && words.every((word) => text.toLowerCase().includes(word))),
  };
}

class Palette {
  private readonly input = make("input", {
    type: "text",
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-label": label,
    placeholder: `${label}…`,
  });
  private readonly list = make("div", { id: "palette-list", role: "listbox", "aria-label": "What was found" });
  private readonly dialog: HTMLDialogElement;
  private asked = new AbortController();
  private timer = 0;

  constructor() {
    const foot = make("div", { class: "foot-keys", "aria-hidden": "true" });
    for (const [keys, about] of hints) {
      foot.append(make("span", {}, make("kbd", {}, keys), ` ${about}`));
    }
    const field = make("div", { class: "line" }, drawing("search"), this.input);
    this.dialog = make("dialog", { class: "palette", "aria-label": label }, field, this.list, foot);
    document.body.append(this.dialog);
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.ask(), pauseMs);
    });
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    this.dialog.addEventListener("click", ({ target }) => {
      if (target === this.dialog) {
        this.dialog.close();
      }
    });
  }

  open(text: string): void {
    this.input.value = text;
    if (!this.dialog.open) {
      this.dialog.showModal();
    }
    this.input.focus();
    void this.ask();
  }

  private press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const options = this.options();
      this.select((options.indexOf(this.chosen() as HTMLElement) + step + options.length) % options.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.chosen()?.click();
    }
  }

  private options(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>("[role=option]")];
  }

  private chosen(): HTMLElement | null {
    return this.list.querySelector("[aria-selected=true]");
  }

  private select(index: number): void {
    this.chosen()?.setAttribute("aria-selected", "false");
    const option = this.options()[index];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  private async ask(): Promise<void> {
    this.asked.abort();
    this.asked = new AbortController();
    const typed = this.input.value.trim();
    const place = document.body.dataset["repository"] ?? root;
    try {
      const answer = await fetch(`${place}/-/jump?${new URLSearchParams({ q: typed }).toString()}`, {
        signal: this.asked.signal,
      });
      const found = answer.ok ? ((await answer.json()) as { groups: Goals[] }).groups : [];
      this.show([sides(typed), ...found]);
    } catch (error) {
      if (!(error instanceof DOMException)) {
        this.show([sides(typed)]);
      }
    }
  }

  private show(groups: readonly Goals[]): void {
    const shown = groups.filter(({ goals }) => goals.length > 0);
    this.list.replaceChildren();
    let count = 0;
    for (const { title, goals } of shown) {
      const group = make("div", { role: "group", "aria-label": title }, make("div", { "aria-hidden": "true" }, title));
      for (const { text, about = "", icon, href } of goals) {
        const name = make("span", { class: "cut", dir: "auto" }, text);
        const more = make("span", { class: "cut soft small", dir: "auto" }, about);
        const id = `palette-${count++}`;
        group.append(
          make("a", { id, href, role: "option", tabindex: "-1", "aria-selected": "false" }, drawing(icon), name, more),
        );
      }
      this.list.append(group);
    }
    if (count === 0) {
      this.list.append(
        make(
          "div",
          { role: "option", "aria-disabled": "true", "aria-selected": "false", class: "soft" },
          "Nothing was found",
        ),
      );
    }
    this.select(0);
  }
}

let palette: Palette | null = null;

/** Opens the palette with a text in it: `>`, `#` and `/` narrow what it finds. */
export function openPalette(text = ""): void {
  palette ??= new Palette();
  palette.open(text);
}

/** The search of the bar opens the palette; without script it searches repositories. */
export function startPalette(): void {
  document.querySelector(".top .seek")?.addEventListener("click", (event) => {
    event.preventDefault();
    openPalette();
  });
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
    }
  });
}
