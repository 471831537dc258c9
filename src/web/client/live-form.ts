/** The server is asked when nothing was typed for so long. */
const pauseMs = 250;

/** `<live-form>`: asks the server what its form, as it is typed now, would do, and shows that in `[data-live]`. Nothing is changed: `preview` is sent. */
class LiveForm extends HTMLElement {
  private asked = new AbortController();
  private timer = 0;

  connectedCallback(): void {
    this.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.ask(), pauseMs);
    });
  }

  private async ask(): Promise<void> {
    const form = this.querySelector("form");
    const shown = this.querySelector("[data-live]");
    if (form === null || shown === null) {
      return;
    }
    this.asked.abort();
    const { signal } = (this.asked = new AbortController());
    const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    body.set("preview", "1");
    try {
      const answer = await fetch(form.action, { method: "POST", body, signal });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-live]");
      if (found !== null) {
        shown.replaceChildren(...found.childNodes);
      }
    } catch {
      // A later key asks again.
    }
  }
}

export function startLiveForms(): void {
  customElements.define("live-form", LiveForm);
}
