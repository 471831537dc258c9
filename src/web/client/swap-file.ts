/** The row of the table that a form for these lines stands below, such as "k3f9aR8-12". */
function rowOf(file: HTMLElement, on: string): Element | null {
  const [, side, line] = /([LR])(?:\d+-)?(\d+)$/.exec(on) ?? [];
  const cells = file.querySelectorAll<HTMLTableCellElement>(`.diff > tbody > tr > td[data-n="${line}"]`);
  return [...cells].find((one) => (one.cellIndex === 0) === (side === "L"))?.parentElement ?? null;
}

/** Puts a form where it belongs: below the lines that it is for, or into its conversation. Returns false where these are not there. */
export function placeForm(file: HTMLElement, form: HTMLElement): boolean {
  const on = form.dataset["on"] ?? "";
  if (on.startsWith("reply")) {
    const foot = file.querySelector(`a[data-on][href*="on=${on}#"]`)?.closest("footer");
    foot?.replaceWith(form);
    return foot !== undefined;
  }
  let last = rowOf(file, on);
  while (last?.nextElementSibling?.classList.contains("t") === true) {
    last = last.nextElementSibling;
  }
  const row = document.createElement("tr");
  row.className = "t";
  const cell = document.createElement("td");
  cell.colSpan = last?.closest(".split-rows") == null ? 3 : 4;
  cell.append(form);
  row.append(cell);
  last?.after(row);
  return last !== null;
}

/** Shows a file anew, as another answer of the server has it. Forms that something was typed into stay. `sent`: the one that need not. */
export function swapFile(file: HTMLElement, next: Element, sent: Element | null = null): void {
  const kept = [...file.querySelectorAll<HTMLElement>("form.line-form")].filter((form) => {
    const field = form.querySelector("textarea");
    return form !== sent && field !== null && field.value !== field.defaultValue;
  });
  const at = next instanceof HTMLElement ? next.dataset["at"] : undefined;
  if (at !== undefined) {
    file.dataset["at"] = at;
  }
  file.replaceChildren(...next.children);
  for (const form of kept) {
    if (!placeForm(file, form)) {
      file.querySelector("header")?.after(form);
    }
  }
}
