/** The server is asked when nothing was typed for so long. */
const pauseMs = 120;

/** `<ref-search>`: a form that searches branches and tags, and `[data-refs]`, which gets the links of the page that answers it. */
class RefSearch extends HTMLElement {
  private asked = new AbortController();
  private timer = 0;

  connectedCallback(): void {
    const form = this.querySelector("form");
    const field = form?.querySelector<HTMLInputElement>("input[type=search]");
    field?.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.ask(form), pauseMs);
    });
    this.addEventListener("toggle", (event) => {
      if ((event as ToggleEvent).newState === "open") {
        field?.focus();
      }
    });
    this.addEventListener("keydown", (event) => this.press(event));
  }

  private async ask(form: HTMLFormElement | null | undefined): Promise<void> {
    if (form == null) {
      return;
    }
    this.asked.abort();
    const { signal } = (this.asked = new AbortController());
    const query = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    try {
      const answer = await fetch(`${form.action}?${query.toString()}`, { signal });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-refs]");
      if (found !== null) {
        this.querySelector("[data-refs]")?.replaceChildren(...found.childNodes);
      }
    } catch {
      // A later key asks again.
    }
  }

  private press(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const links = [...this.querySelectorAll<HTMLElement>("input[type=search], a")];
    const at = links.indexOf(document.activeElement as HTMLElement);
    if (step !== 0) {
      event.preventDefault();
      links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
    }
  }
}

export function startRefSearch(): void {
  customElements.define("ref-search", RefSearch);
}
