import { rankPaths, type RankedPath } from "../find/rank-paths.ts";
import { drawing, make } from "./dom.ts";

const shownFiles = 100;

function marked({ path, ranges }: RankedPath): HTMLElement {
  const text = make("span", { class: "mono", dir: "auto" });
  let at = 0;
  for (const [from, to] of ranges) {
    text.append(path.slice(at, from), make("b", {}, path.slice(from, to)));
    at = to;
  }
  text.append(path.slice(at));
  return text;
}

/** `<file-finder data-paths data-files>` around a list of files: filters all paths, which it loads once, while one types. */
class FileFinder extends HTMLElement {
  private paths: Promise<readonly string[]> | null = null;

  connectedCallback(): void {
    const field = document.querySelector<HTMLInputElement>("#file-query");
    field?.addEventListener("input", () => void this.filter(field.value));
    field?.addEventListener("keydown", (event) => this.press(event));
  }

  private async filter(query: string): Promise<void> {
    this.paths ??= fetch(this.dataset["paths"] ?? "").then((answer) => answer.json() as Promise<string[]>);
    const paths = await this.paths;
    const field = document.querySelector<HTMLInputElement>("#file-query");
    if (field?.value !== query) {
      return;
    }
    const rows = rankPaths(paths, query, shownFiles).map((ranked) => this.row(ranked));
    this.querySelector("ul")?.replaceChildren(
      ...(rows.length > 0 ? rows : [make("li", { class: "soft" }, "No such file")]),
    );
    this.select(0);
  }

  private row(ranked: RankedPath): HTMLElement {
    const path = ranked.path.split("/").map(encodeURIComponent).join("/");
    const href = `${this.dataset["files"] ?? ""}/${path}`;
    return make("li", {}, make("a", { class: "plain grow line", href }, drawing("file"), marked(ranked)));
  }

  private select(index: number): void {
    this.querySelector(".selected")?.classList.remove("selected");
    const row = this.querySelectorAll("li")[index];
    row?.classList.add("selected");
    row?.scrollIntoView({ block: "nearest" });
  }

  private press(event: KeyboardEvent): void {
    const rows = [...this.querySelectorAll("li")];
    const at = rows.findIndex((row) => row.classList.contains("selected"));
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      this.select(Math.max(0, Math.min(rows.length - 1, at + (event.key === "ArrowDown" ? 1 : -1))));
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      rows[at]?.querySelector("a")?.click();
    }
  }
}

export function startFileFinder(): void {
  customElements.define("file-finder", FileFinder);
}
