/** A range of lines, both ends included. */
interface Range {
  readonly from: number;
  readonly to: number;
}

function readRange(hash: string): Range | null {
  const [, first, last] = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash) ?? [];
  if (first === undefined) {
    return null;
  }
  const ends = [Number(first), Number(last ?? first)];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

/** `<code-lines>`: the lines of a file. The address names a range of them, which a click and a click with Shift choose. */
class CodeLines extends HTMLElement {
  private readonly follow = () => this.mark(true);

  connectedCallback(): void {
    this.addEventListener("click", (event) => this.choose(event));
    addEventListener("hashchange", this.follow);
    this.mark(true);
  }

  disconnectedCallback(): void {
    removeEventListener("hashchange", this.follow);
  }

  /** Goes to a line, or to the nearest one that is there. */
  goTo(line: number): void {
    if (this.querySelector(`#L${line}`) !== null) {
      location.hash = `L${line}`;
    }
  }

  private choose(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a[data-n]") : null;
    if (link === null || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const line = Number(link.getAttribute("data-n"));
    const before = event.shiftKey ? readRange(location.hash) : null;
    const hash =
      before === null || before.from === line
        ? `#L${line}`
        : `#L${Math.min(before.from, line)}-L${Math.max(before.from, line)}`;
    getSelection()?.removeAllRanges();
    // The page stays where it is: the line is in sight.
    history.replaceState(null, "", hash);
    this.mark(false);
  }

  private mark(scrolls: boolean): void {
    for (const line of this.querySelectorAll(".on")) {
      line.classList.remove("on");
    }
    const range = readRange(location.hash);
    for (let line = range?.from ?? 1; line <= (range?.to ?? 0); line++) {
      const found = this.querySelector(`#L${line}`);
      if (found === null) {
        break;
      }
      found.classList.add("on");
    }
    if (scrolls && range !== null && range.to > range.from) {
      this.querySelector(`#L${range.from}`)?.scrollIntoView({ block: "center" });
    }
    // A link to the same lines of this commit, of the source or of who wrote it.
    for (const link of document.querySelectorAll<HTMLAnchorElement>("[data-key=y], [data-key=b]")) {
      link.hash = range === null ? "" : location.hash;
    }
  }
}

/** Asks for a line and goes there. */
export function askForLine(): void {
  const lines = document.querySelector<CodeLines>("code-lines");
  if (lines === null) {
    return;
  }
  const dialog = document.createElement("dialog");
  dialog.className = "ask";
  const form = document.createElement("form");
  form.method = "dialog";
  const label = document.createElement("label");
  label.textContent = "Go to line";
  const input = document.createElement("input");
  input.inputMode = "numeric";
  input.autocomplete = "off";
  label.append(input);
  form.append(label);
  dialog.append(form);
  form.addEventListener("submit", () => lines.goTo(Number.parseInt(input.value, 10)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const wrapName = "wrap-lines";

/** Remembers whether long lines are wrapped. The box does that by itself, with a rule of the style sheet. */
function keepWrap(): void {
  const box = document.querySelector<HTMLInputElement>(".wrap-lines input");
  if (box !== null) {
    box.checked = localStorage.getItem(wrapName) === "1";
    box.addEventListener("change", () => localStorage.setItem(wrapName, box.checked ? "1" : "0"));
  }
}

/** Shows where the file is in the tree beside it. */
function showInTree(): void {
  const tree = document.querySelector<HTMLElement>(".beside .tree");
  const current = tree?.querySelector<HTMLElement>("[aria-current=page]");
  if (tree !== null && current != null) {
    tree.scrollTop = current.offsetTop - tree.offsetTop - tree.clientHeight / 2;
  }
}

export function startLines(): void {
  customElements.define("code-lines", CodeLines);
  keepWrap();
  showInTree();
}
