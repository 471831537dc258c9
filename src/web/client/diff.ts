import { swapFile } from "./swap-file.ts";

/** How many files a browser remembers as viewed in a repository. */
const mostViewed = 2000;

function filesOf(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("section.file")];
}

function storageKey(): string {
  return `viewed:${document.body.dataset["repository"] ?? ""}`;
}

function readViewed(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey()) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

/** What was looked at: a file in just these two versions. One that changes is new again. */
function nameOf(file: HTMLElement): string {
  return `${file.id} ${file.dataset["version"]}`;
}

function showViewed(file: HTMLElement, isViewed: boolean): void {
  const fold = file.querySelector("details");
  if (fold !== null) {
    fold.open = !isViewed;
  }
  document.querySelector(`.diff-tree a[href="#${file.id}"]`)?.classList.toggle("seen", isViewed);
}

function countViewed(): void {
  const files = filesOf();
  const viewed = files.filter((file) => file.querySelector<HTMLInputElement>(".viewed input")?.checked === true);
  const count = document.querySelector(".viewed-count");
  if (count !== null) {
    count.textContent = viewed.length === 0 ? "" : `${viewed.length} of ${files.length} viewed`;
  }
}

function addBox(file: HTMLElement, isViewed: boolean): void {
  const label = document.createElement("label");
  label.className = "button s viewed";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = isViewed;
  label.append(box, "Viewed");
  file.querySelector("header .counts")?.after(label);
  box.addEventListener("change", () => {
    const others = readViewed().filter((one) => one !== nameOf(file));
    localStorage.setItem(
      storageKey(),
      JSON.stringify((box.checked ? [...others, nameOf(file)] : others).slice(-mostViewed)),
    );
    showViewed(file, box.checked);
    countViewed();
  });
  if (isViewed) {
    showViewed(file, true);
  }
}

/** Puts what a link leads to in the place of its file: the same, with more lines. */
async function load(link: HTMLAnchorElement, file: HTMLElement): Promise<void> {
  const answer = await fetch(link.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = answer.ok ? page.getElementById(file.id) : null;
  if (next === null) {
    location.assign(link.href);
    return;
  }
  const [header, nextHeader] = [file.querySelector("header"), next.querySelector("header")];
  if (header !== null) {
    // The box of the browser's own mark is in it.
    nextHeader?.replaceWith(header);
  }
  swapFile(file, next);
}

/** `<diff-files>`: the files of a diff. Lines come in their place, and files that were viewed are folded. */
class DiffFiles extends HTMLElement {
  connectedCallback(): void {
    // The server keeps the marks of pull requests.
    if (document.getElementById("viewed-count") === null) {
      const viewed = new Set(readViewed());
      for (const file of filesOf()) {
        addBox(file, viewed.has(nameOf(file)));
      }
      countViewed();
    }
    this.watch();
    this.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(".g a, a.load") : null;
      const file = link?.closest<HTMLElement>("section.file");
      if (link != null && file != null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        void load(link, file).catch(() => location.assign(link.href));
      }
    });
  }

  /** Loads the next files before the reader comes to the end. */
  private watch(): void {
    const link = this.querySelector<HTMLAnchorElement>(':scope > nav a[rel~="next"]');
    if (link === null) {
      return;
    }
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) {
          seen.disconnect();
          void append(link).then(() => this.watch());
        }
      },
      { rootMargin: "1200px" },
    );
    seen.observe(link);
  }
}

/** Adds the next files of a long diff below those that are here. */
async function append(link: HTMLAnchorElement): Promise<void> {
  const answer = await fetch(link.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const more = answer.ok ? page.querySelector("diff-files") : null;
  if (more !== null) {
    link.closest("nav")?.replaceWith(...more.children);
  }
}

/** `<tree-filter>`: hides files whose path has not the words that are typed. */
class TreeFilter extends HTMLElement {
  connectedCallback(): void {
    this.hidden = false;
    this.querySelector("input")?.addEventListener("input", ({ currentTarget }) => {
      const words = currentTarget instanceof HTMLInputElement ? currentTarget.value.toLowerCase() : "";
      const items = [...(this.parentElement?.querySelectorAll("li") ?? [])].toReversed();
      for (const item of items) {
        const path = item.querySelector<HTMLElement>(":scope > a")?.title;
        item.hidden =
          path === undefined ? item.querySelector("li:not([hidden])") === null : !path.toLowerCase().includes(words);
      }
    });
  }
}

/** `<picture-diff>`: two pictures, and one above the other that a slider uncovers. */
class PictureDiff extends HTMLElement {
  connectedCallback(): void {
    const [before, after] = this.querySelectorAll("img");
    if (before === undefined || after === undefined) {
      return;
    }
    const slider = document.createElement("input");
    slider.type = "range";
    slider.value = "0";
    slider.setAttribute("aria-label", "Swipe from the old picture to the new one");
    const cover = after.cloneNode() as HTMLImageElement;
    const place = before.parentElement;
    place?.classList.add("swipe");
    place?.prepend(cover);
    cover.classList.add("cover");
    const show = (): void => {
      cover.style.clipPath = `inset(0 ${100 - Number(slider.value)}% 0 0)`;
    };
    show();
    slider.addEventListener("input", show);
    this.append(slider);
  }
}

/** Goes to the next file of a diff, or the one before. */
export function stepFile(by: 1 | -1): void {
  const files = filesOf();
  const at = files.findLastIndex((file) => file.getBoundingClientRect().top < 80);
  files[Math.max(0, Math.min(files.length - 1, at + by))]?.scrollIntoView();
}

/** Marks the file at the top of the window as viewed, or as not. */
export function toggleViewed(): void {
  const file = filesOf().findLast((one) => one.getBoundingClientRect().top < 80) ?? filesOf()[0];
  file?.querySelector<HTMLElement>(".viewed input, button.viewed")?.click();
}

export function startDiffs(): void {
  customElements.define("diff-files", DiffFiles);
  customElements.define("tree-filter", TreeFilter);
  customElements.define("picture-diff", PictureDiff);
}
