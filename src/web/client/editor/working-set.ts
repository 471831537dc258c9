/** A file of the set: `from` is empty for a new one. `edit` is the address of its page. */
interface Kept {
  readonly from: string;
  readonly path: string;
  readonly text: string;
  readonly seen: string;
  readonly edit: string;
}

interface WorkingSet {
  readonly files: readonly Kept[];
  /** The commit of the branch when the set was sent; empty before. */
  readonly sentAt: string;
}

const none: WorkingSet = { files: [], sentAt: "" };

function read(key: string): WorkingSet {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? "null") as WorkingSet | null) ?? none;
  } catch {
    return none;
  }
}

function write(key: string, set: WorkingSet): boolean {
  try {
    sessionStorage.setItem(key, JSON.stringify(set));
    return true;
  } catch {
    return false;
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  text: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function fieldOf(form: HTMLFormElement, name: string): string {
  return form.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[name=${name}]`)?.value ?? "";
}

/** Lists the set in its page, and puts it into the form. */
function list(form: HTMLFormElement, key: string): void {
  const { files } = read(key);
  const field = form.querySelector<HTMLInputElement>("[name=changes]");
  const rows = form.querySelector("ul");
  if (files.length === 0 || field === null || rows === null) {
    return;
  }
  field.value = JSON.stringify(files.map(({ from, path, text, seen }) => ({ from, path, text, seen })));
  rows.replaceChildren(
    ...files.map((file) => {
      const item = document.createElement("li");
      const link = make("a", "grow", file.path);
      link.href = file.edit;
      link.dir = "auto";
      const kind = file.from === "" ? "new" : file.from === file.path ? "changed" : "moved";
      const remove = make("button", "button s bare", "Remove");
      remove.type = "button";
      remove.setAttribute("aria-label", `Remove ${file.path}`);
      remove.addEventListener("click", () => {
        write(key, { files: files.filter((other) => other !== file), sentAt: "" });
        location.reload();
      });
      item.append(link, make("span", "tag", kind), remove);
      return item;
    }),
  );
}

/** Adds to the page of a file what puts it into the set, and says how many are there. */
function offer(form: HTMLFormElement, key: string, address: string): void {
  const line = form.querySelector(".button.main")?.parentElement;
  const add = make("button", "button", "Add to a set of files");
  add.type = "button";
  const link = make("a", "small", "");
  link.href = address;
  const show = (): void => {
    const { length } = read(key).files;
    link.hidden = length === 0;
    link.textContent = `${length} ${length === 1 ? "file" : "files"} in the set: look and commit`;
  };
  add.addEventListener("click", () => {
    if (!form.reportValidity()) {
      return;
    }
    const isNew = form.action.includes("/_new/");
    const path = fieldOf(form, "tree_path");
    const from = isNew ? "" : (form.querySelector<HTMLElement>("code-editor")?.dataset["from"] ?? "");
    const seen = fieldOf(form, "last_commit");
    const file = { from, path, text: fieldOf(form, "content"), seen, edit: location.href };
    const others = read(key).files.filter((one) => (isNew ? one.path !== path : one.from !== from));
    if (!write(key, { files: [...others, file], sentAt: "" })) {
      link.hidden = false;
      link.textContent = "The browser has no room for more files: look and commit";
      return;
    }
    show();
    link.focus();
  });
  line?.append(add, link);
  show();
}

/** Keeps a set of edited files in this tab until they are committed together. */
export function startSet(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-set], form.edit[data-address]");
  if (form === null) {
    return;
  }
  const isList = "set" in form.dataset;
  const address = isList ? (form.getAttribute("action") ?? "") : (form.dataset["address"] ?? "");
  const key = `set:${address}`;
  const { sentAt } = read(key);
  const tip = fieldOf(form, "last_commit");
  if (sentAt !== "" && sentAt !== tip) {
    // The branch has another commit since: the set arrived.
    sessionStorage.removeItem(key);
  }
  if (isList) {
    list(form, key);
    form.addEventListener("submit", () => write(key, { ...read(key), sentAt: tip }));
  } else {
    offer(form, key, address);
  }
}
