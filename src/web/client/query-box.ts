import { make } from "./dom.ts";

/** The server is asked when nothing was typed for so long. */
const pauseMs = 150;

/**
 * `<query-box data-filters>` around a search box: completes filters and their values as one types. The address of the filters answers a page with
 * links, whose `data-value` is what they stand for.
 */
class QueryBox extends HTMLElement {
  private asked = new AbortController();
  private timer = 0;
  private readonly list = make("ul", {
    class: "menu-like options",
    role: "listbox",
    id: "query-options",
    "aria-label": "Completions",
  });
  private field: HTMLInputElement | null = null;

  connectedCallback(): void {
    const field = (this.field = this.querySelector("input"));
    if (field === null) {
      return;
    }
    this.list.hidden = true;
    this.append(this.list);
    for (const [name, value] of Object.entries({
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-controls": this.list.id,
      "aria-expanded": "false",
    })) {
      field.setAttribute(name, value);
    }
    field.addEventListener("input", () => this.later());
    field.addEventListener("keydown", (event) => this.press(event));
    field.addEventListener("blur", () => this.close());
    this.list.addEventListener("pointerdown", (event) => {
      // The field keeps the focus.
      event.preventDefault();
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option !== null) {
        this.choose(option);
      }
    });
  }

  /** The word before the caret, which may have blanks in quotes. */
  private word(): { text: string; from: number; to: number } {
    const to = this.field?.selectionStart ?? 0;
    const before = this.field?.value.slice(0, to) ?? "";
    const text = /(?:[^\s"]|"[^"]*"?)*$/.exec(before)?.[0] ?? "";
    return { text, from: to - text.length, to };
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), pauseMs);
  }

  private async ask(): Promise<void> {
    const { text } = this.word();
    const colon = text.indexOf(":");
    this.asked.abort();
    if (text === "") {
      this.close();
      return;
    }
    const by = colon < 0 ? "" : text.slice(0, colon);
    const find = text.slice(colon + 1).replaceAll('"', "");
    const { signal } = (this.asked = new AbortController());
    try {
      const query = new URLSearchParams({ by, find });
      const answer = await fetch(`${this.dataset["filters"] ?? ""}?${query.toString()}`, { signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const links = [...page.querySelectorAll<HTMLElement>("[data-refs] [data-value]")];
      // Of no filter of this name, all are offered.
      this.show(links.filter((link) => colon < 0 || link.dataset["value"]?.startsWith(`${by}:`)));
    } catch {
      // A later key asks again.
    }
  }

  private show(links: readonly HTMLElement[]): void {
    const options = links.map((link, index) => {
      const option = make("li", {
        role: "option",
        id: `query-option-${index}`,
        "aria-selected": "false",
        "data-value": link.dataset["value"] ?? "",
      });
      link.querySelector(".count")?.remove();
      option.append(...link.childNodes);
      return option;
    });
    this.list.replaceChildren(...options);
    this.list.hidden = options.length === 0;
    this.field?.setAttribute("aria-expanded", String(options.length > 0));
    this.field?.removeAttribute("aria-activedescendant");
  }

  private close(): void {
    clearTimeout(this.timer);
    this.asked.abort();
    this.show([]);
  }

  private choose(option: HTMLElement): void {
    const value = option.dataset["value"] ?? "";
    const { from, to } = this.word();
    const isWhole = !value.endsWith(":");
    this.field?.setRangeText(value + (isWhole ? " " : ""), from, to, "end");
    this.close();
    if (!isWhole) {
      this.later();
    }
  }

  private press(event: KeyboardEvent): void {
    const options = [...this.list.children] as HTMLElement[];
    const at = options.findIndex((option) => option.ariaSelected === "true");
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (options.length === 0) {
      return;
    }
    if (step !== 0) {
      event.preventDefault();
      const next = options[(at + step + options.length) % options.length];
      options[at]?.setAttribute("aria-selected", "false");
      next?.setAttribute("aria-selected", "true");
      next?.scrollIntoView({ block: "nearest" });
      this.field?.setAttribute("aria-activedescendant", next?.id ?? "");
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.close();
    } else if ((event.key === "Enter" || event.key === "Tab") && options[at] !== undefined) {
      event.preventDefault();
      this.choose(options[at]);
    }
  }
}

export function startQueryBox(): void {
  customElements.define("query-box", QueryBox);
}
