const saidMs = 1500;

/** `<copy-button data-text>` or `<copy-button data-from>`: a button that copies a text, or that of an element, and says so. */
class CopyButton extends HTMLElement {
  connectedCallback(): void {
    const button = this.querySelector("button");
    // Without the clipboard, as on plain HTTP, its place stays empty: what appeared later would move the page.
    this.classList.toggle("useless", !("clipboard" in navigator));
    if ("clipboard" in navigator && button !== null) {
      button.addEventListener("click", () => void this.copy(button));
    }
  }

  private async copy(button: HTMLButtonElement): Promise<void> {
    const { text, from } = this.dataset;
    await navigator.clipboard.writeText(text ?? document.getElementById(from ?? "")?.textContent ?? "");
    const label = button.getAttribute("aria-label") ?? "";
    button.setAttribute("aria-label", "Copied");
    button.classList.add("on");
    setTimeout(() => {
      button.setAttribute("aria-label", label);
      button.classList.remove("on");
    }, saidMs);
  }
}

export function startCopying(): void {
  customElements.define("copy-button", CopyButton);
}
