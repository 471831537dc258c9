const saidMs = 1500;

/** `<copy-button>`: a button that copies `data-text`, the text of the element `data-from`, or the file at `data-file`, and says so. */
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
    const { text, from, file } = this.dataset;
    if (file === undefined) {
      await navigator.clipboard.writeText(text ?? document.getElementById(from ?? "")?.textContent ?? "");
    } else {
      // A promise: the click counts as the reason although the bytes come later.
      const content = fetch(file).then(async (answer) => new Blob([await answer.text()], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": content })]);
    }
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
