import { placeForm, swapFile } from "../swap-file.ts";

/*
 * The review of a pull request in place. Each form and link works without this script, on a page of its own; here it is sent with fetch, and what
 * it changed is taken from the page that answers.
 */

/** The address of one file alone, with the lines that were opened around its changes. */
function addressOf(file: HTMLElement | null, on = ""): string {
  const query = new URLSearchParams(file?.dataset["at"] ?? location.search);
  if (on !== "") {
    query.set("on", on);
  }
  return `${location.pathname}?${query.toString()}`;
}

async function read(address: string, init: RequestInit = {}): Promise<{ page: Document; answer: Response }> {
  const answer = await fetch(address, init);
  return { page: new DOMParser().parseFromString(await answer.text(), "text/html"), answer };
}

const fileOf = (element: Element): HTMLElement | null => element.closest<HTMLElement>("section.file");

/** Takes the bar and the tree from another page, as far as they differ. */
function swapFrame(page: Document): void {
  for (const selector of [".toolbar .review:not(.batch)", "#viewed-count", ".diff-tree > ul", ".flash"]) {
    const [old, next] = [document.querySelector(selector), page.querySelector(selector)];
    if (old !== null && next !== null) {
      old.replaceWith(next);
    } else if (selector === ".flash" && next !== null) {
      document.querySelector("main")?.prepend(next);
    }
  }
  const [bar, nextBar] = [document.querySelector("progress"), page.querySelector("progress")];
  if (bar !== null && nextBar !== null) {
    bar.value = nextBar.value;
  }
}

/** Opens a form where its link stands, and puts the cursor into it. */
async function open(link: HTMLAnchorElement, on: string): Promise<void> {
  const file = fileOf(link);
  const { page } = await read(addressOf(file, on));
  const form = page.getElementById("on");
  const next = file === null ? null : page.getElementById(file.id);
  if (form === null || file === null || next === null) {
    location.assign(link.href);
    return;
  }
  const thread = form.closest(".thread");
  const old = link.closest(".thread");
  if (on.startsWith("edit") && old !== null && thread !== null) {
    old.replaceWith(thread);
  } else if (!placeForm(file, form)) {
    swapFile(file, next);
  }
  focusOn(form);
}

function focusOn(form: HTMLElement): void {
  // The next one that is opened has the name.
  form.removeAttribute("id");
  form.querySelector<HTMLElement>("textarea")?.focus();
  form.scrollIntoView({ block: "nearest" });
}

/** Sends a form of the page, and shows what became of it. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const from = submitter ?? form;
  const file = fileOf(from);
  const data = new FormData(form, submitter);
  submitter?.setAttribute("disabled", "");
  const body = new URLSearchParams([...data].map(([name, value]) => [name, String(value)]));
  const isMark = form.id === "viewed";
  const address = isMark ? form.action : addressOf(file);
  if (isMark) {
    body.set("back", addressOf(file));
  }
  const { page, answer } = await read(address, { method: "POST", body });
  const next = file === null ? null : page.getElementById(file.id);
  if (file === null || next === null || (answer.redirected && !answer.url.includes(location.pathname))) {
    // What the form did is on another page.
    location.assign(answer.redirected ? answer.url : location.href);
    return;
  }
  swapFile(file, next, form);
  swapFrame(page);
  const opened = file.querySelector<HTMLElement>("#on");
  const problem = page.querySelector("main > .note.bad");
  if (opened !== null) {
    focusOn(opened);
  } else if (problem !== null) {
    document.querySelector("main")?.prepend(problem);
    problem.scrollIntoView({ block: "center" });
  } else if (isMark) {
    file.querySelector<HTMLElement>("button.viewed")?.focus({ preventScroll: true });
    file.scrollIntoView({ block: "nearest" });
  }
}

/* Lines: a click comments on one, a drag or a click with Shift on several. */

let begun: { file: HTMLElement; side: "L" | "R"; line: number } | null = null;
let active: Element | null = null;

function numberAt(
  target: EventTarget | null,
): { file: HTMLElement; side: "L" | "R"; line: number; link: HTMLAnchorElement } | null {
  const cell =
    target instanceof Element ? target.closest<HTMLTableCellElement>(".diff > tbody > tr > td[data-n]") : null;
  const file = cell === null ? null : fileOf(cell);
  const link =
    cell?.querySelector("a") ?? cell?.parentElement?.querySelector<HTMLAnchorElement>("td[data-n] > a") ?? null;
  if (cell === null || file === null || link === null) {
    return null;
  }
  return { file, side: cell.cellIndex === 0 ? "L" : "R", line: Number(cell.dataset["n"]), link };
}

function mark(from: { file: HTMLElement; side: "L" | "R"; line: number } | null, to: number): void {
  document.querySelectorAll(".diff tr.picked").forEach((row) => row.classList.remove("picked"));
  if (from === null) {
    return;
  }
  const [first, last] = [Math.min(from.line, to), Math.max(from.line, to)];
  for (const cell of from.file.querySelectorAll<HTMLTableCellElement>(".diff > tbody > tr > td[data-n]")) {
    const line = Number(cell.dataset["n"]);
    if ((cell.cellIndex === 0) === (from.side === "L") && line >= first && line <= last) {
      cell.parentElement?.classList.add("picked");
    }
  }
}

function comment(link: HTMLAnchorElement, file: HTMLElement, side: "L" | "R", from: number, to: number): void {
  const [first, last] = [Math.min(from, to), Math.max(from, to)];
  const on = `${file.dataset["key"]}${side}${first === last ? "" : `${first}-`}${last}`;
  mark(null, 0);
  void open(link, on).catch(() => location.assign(link.href));
}

function startLines(): void {
  let last: { file: HTMLElement; side: "L" | "R"; line: number } | null = null;
  document.addEventListener("pointerdown", (event) => {
    const at = event.button === 0 && !event.shiftKey ? numberAt(event.target) : null;
    begun = at;
    if (at !== null) {
      mark(at, at.line);
    }
  });
  document.addEventListener("pointerover", (event) => {
    active = event.target instanceof Element ? (event.target.closest(".diff > tbody > tr") ?? active) : active;
    const at = begun === null ? null : numberAt(event.target);
    if (begun !== null && at !== null && at.file === begun.file && at.side === begun.side) {
      mark(begun, at.line);
    }
  });
  document.addEventListener("pointerup", (event) => {
    const at = begun === null ? null : numberAt(event.target);
    if (begun !== null && at !== null && at.file === begun.file && at.side === begun.side && at.line !== begun.line) {
      comment(at.link, at.file, at.side, begun.line, at.line);
    } else if (at === null) {
      mark(null, 0);
    }
    begun = null;
  });
  document.addEventListener("dragstart", (event) => {
    if (numberAt(event.target) !== null) {
      event.preventDefault();
    }
  });
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const at = event.ctrlKey || event.metaKey ? null : numberAt(target);
    const link = target?.closest<HTMLAnchorElement>("a[data-on]") ?? null;
    const cancel = target?.closest<HTMLAnchorElement>("a[data-cancel]") ?? null;
    if (at !== null) {
      event.preventDefault();
      const isMore = event.shiftKey && last?.file === at.file && last.side === at.side;
      comment(at.link, at.file, at.side, isMore && last !== null ? last.line : at.line, at.line);
      last = at;
    } else if (link !== null && fileOf(link) !== null && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const on = new URL(link.href).searchParams.get("on") ?? "";
      void open(link, on).catch(() => location.assign(link.href));
    } else if (cancel !== null && fileOf(cancel) !== null) {
      event.preventDefault();
      void close(cancel);
    }
  });
}

/** Closes a form without sending it. */
async function close(cancel: HTMLAnchorElement): Promise<void> {
  const file = fileOf(cancel);
  const form = cancel.closest("form");
  const row = form?.closest("tr.t");
  if (form?.classList.contains("thread") === true) {
    form.remove();
    if (row?.querySelector(".thread") === null) {
      row.remove();
    }
    return;
  }
  const { page } = await read(addressOf(file));
  const next = file === null ? null : page.getElementById(file.id);
  if (file !== null && next !== null) {
    swapFile(file, next, form);
  }
}

/* Keys: main has the table, and tells which one was pressed. */

function stepThread(by: 1 | -1): void {
  const threads = [...document.querySelectorAll<HTMLElement>(".thread")].filter((one) => one.offsetParent !== null);
  const at = threads.findLastIndex((one) => one.getBoundingClientRect().top < innerHeight / 3 + 1);
  const next = threads[by === 1 ? at + 1 : Math.max(0, at - 1)];
  next?.scrollIntoView({ block: "start" });
  const place = next?.querySelector<HTMLElement>("footer a") ?? next?.querySelector<HTMLElement>("summary, textarea");
  place?.focus({ preventScroll: true });
}

function commentOnRow(): void {
  const focused = document.activeElement?.closest(".diff > tbody > tr") ?? active;
  const cell = focused?.querySelector<HTMLElement>("td[data-n] > a")?.parentElement ?? null;
  const at = numberAt(cell ?? document.querySelector(".diff > tbody > tr.a > td[data-n] > a"));
  if (at !== null) {
    comment(at.link, at.file, at.side, at.line, at.line);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented) {
    return;
  }
  const submitter = event.submitter;
  const file = fileOf(submitter ?? form);
  if (file !== null && form.method === "post") {
    event.preventDefault();
    void send(form, submitter).catch(() => {
      submitter?.removeAttribute("disabled");
      form.submit();
    });
  }
});
document.addEventListener("review-key", (event) => {
  const key = event instanceof CustomEvent ? String(event.detail) : "";
  if (key === "]" || key === "[") {
    stepThread(key === "]" ? 1 : -1);
  } else if (key === "c") {
    commentOnRow();
  }
});
startLines();
