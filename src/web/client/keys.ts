import { stepFile, toggleViewed } from "./diff.ts";
import { askForLine } from "./code-lines.ts";
import { openPalette } from "./palette.ts";
import { root } from "./root.ts";

/** What a key, or two in a row, does. The list that `?` shows is made from this table. */
interface Key {
  readonly keys: string;
  readonly about: string;
  readonly run: () => void;
}

/** The second key of two has to follow within this time. */
const pairMs = 1200;

function go(path: string): void {
  location.href = root + path;
}

/** Rows of the lists that keys walk through. */
function rows(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(".rows.links > *, .files tbody tr")].filter(
    (row) => row.offsetParent !== null,
  );
}

function step(by: number): void {
  const all = rows();
  const at = all.findIndex((row) => row.classList.contains("selected"));
  all[at]?.classList.remove("selected");
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
  next?.classList.add("selected");
  next?.scrollIntoView({ block: "nearest" });
  next?.querySelector("a")?.focus({ preventScroll: true });
}

function press(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

/** Follows the tab of the repository whose address ends so. */
function goTab(end: string): void {
  press(`.bar .tabs a[href$="${end}"]`);
}

/** Marks the selected row for what is done with several. */
function mark(): void {
  document.querySelector<HTMLInputElement>(".selected input[type=checkbox]")?.click();
}

/** Edits the file; in a list, is done with what is chosen, or with the row. */
function editOrFinish(): void {
  const isChosen = document.querySelector(".rows input:checked") !== null;
  const row = document.querySelector<HTMLElement>(".selected [data-key=e]");
  press(isChosen ? "[data-chosen=e]" : row === null ? "[data-key=e]:not(.rows *)" : ".selected [data-key=e]");
}

/** The script of reviews is on their pages only. */
function tellReview(key: string): void {
  document.dispatchEvent(new CustomEvent("review-key", { detail: key }));
}

/** Quotes the comment that has the selection or the focus, or that the address names. */
function quote(): void {
  const at = getSelection()?.anchorNode?.parentElement?.closest(".comment");
  const comment = at ?? document.activeElement?.closest(".comment") ?? document.querySelector("li:target .comment");
  comment?.querySelector<HTMLElement>("[data-quote]")?.click();
}

const table: readonly Key[] = [
  { keys: "/", about: "Search or jump to", run: () => openPalette() },
  { keys: "Ctrl K", about: "Search or jump to, also in a field", run: () => openPalette() },
  { keys: "g h", about: "Go to the front page", run: () => go("/") },
  { keys: "g n", about: "Go to your notifications", run: () => go("/notifications") },
  { keys: "g s", about: "Go to your settings", run: () => go("/user/settings") },
  { keys: "g c", about: "Go to the code", run: () => press(".bar .tabs a:first-child") },
  { keys: "g i", about: "Go to the issues", run: () => goTab("/issues") },
  { keys: "g p", about: "Go to the pull requests", run: () => goTab("/pulls") },
  { keys: "t", about: "Go to a file", run: () => press("[data-key=t]") },
  { keys: "w", about: "Choose a branch or tag", run: () => press("[popovertarget=ref-menu]") },
  { keys: "j", about: "Next row", run: () => step(1) },
  { keys: "k", about: "Row before", run: () => step(-1) },
  { keys: "o", about: "Open the row", run: () => press(".selected a") },
  { keys: "x", about: "Mark the row", run: mark },
  { keys: "n", about: "Next file of a diff", run: () => stepFile(1) },
  { keys: "p", about: "File before", run: () => stepFile(-1) },
  { keys: "v", about: "Mark the file as viewed", run: toggleViewed },
  { keys: "]", about: "Next conversation of a review", run: () => tellReview("]") },
  { keys: "[", about: "Conversation before", run: () => tellReview("[") },
  { keys: "c", about: "Comment on the line", run: () => tellReview("c") },
  { keys: "a", about: "Finish the review", run: () => press("[data-key=a]") },
  { keys: "y", about: "Address of this commit", run: () => press("[data-key=y]") },
  { keys: "b", about: "Who wrote the lines of a file", run: () => press("[data-key=b]") },
  { keys: "l", about: "Go to a line", run: askForLine },
  { keys: "e", about: "Edit the file; in the inbox, mark as read", run: editOrFinish },
  { keys: "r", about: "Quote the selected comment", run: quote },
  { keys: "?", about: "Show these keys", run: showKeys },
];

let dialog: HTMLDialogElement | null = null;

function showKeys(): void {
  if (dialog === null) {
    dialog = document.createElement("dialog");
    dialog.setAttribute("aria-labelledby", "keys-title");
    const title = document.createElement("h2");
    title.id = "keys-title";
    title.className = "keys-title";
    title.textContent = "Keyboard shortcuts";
    const list = document.createElement("div");
    list.className = "keys";
    list.append(...table.map(lineOf));
    dialog.append(title, list);
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog) {
        dialog?.close();
      }
    });
    document.body.append(dialog);
  }
  dialog.showModal();
}

function lineOf({ keys, about }: Key): HTMLElement {
  const line = document.createElement("div");
  const text = document.createElement("span");
  text.textContent = about;
  const shown = document.createElement("kbd");
  shown.textContent = keys;
  line.append(text, shown);
  return line;
}

function isTyping(event: KeyboardEvent): boolean {
  // Where it really happened: for the page, all that happens in a shadow tree happens at its host.
  const [target] = event.composedPath();
  return (
    target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog[open]") !== null
  );
}

export function startKeys(): void {
  let first = "";
  let firstAt = 0;
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && event.target instanceof HTMLTextAreaElement) {
      event.target.form?.requestSubmit();
      return;
    }
    if (document.body.dataset["keys"] === "off" || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const pair = performance.now() - firstAt < pairMs ? `${first} ${event.key}` : "";
    const found = table.find(({ keys }) => keys === pair) ?? table.find(({ keys }) => keys === event.key);
    [first, firstAt] = [event.key, performance.now()];
    if (found !== undefined) {
      event.preventDefault();
      found.run();
    }
  });
  for (const link of document.querySelectorAll<HTMLElement>("[data-keys]")) {
    link.hidden = false;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showKeys();
    });
  }
}
