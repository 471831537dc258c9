/** Rows that are marked for a change of several: with the shift key, all between two. */
function startRanges(): void {
  let last: HTMLInputElement | null = null;
  addEventListener("click", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || !box.matches(".mark")) {
      return;
    }
    const all = [...document.querySelectorAll<HTMLInputElement>(".mark")];
    const [from, to] = [last === null ? -1 : all.indexOf(last), all.indexOf(box)];
    if (event.shiftKey && from >= 0) {
      for (const other of all.slice(Math.min(from, to), Math.max(from, to) + 1)) {
        other.checked = box.checked;
      }
    }
    last = box;
  });
}

/** `<pin-order>` around a list of forms: a row that is dragged sends its form with the place that it was dropped at. */
class PinOrder extends HTMLElement {
  connectedCallback(): void {
    const rows = [...this.querySelectorAll("li")];
    let dragged: HTMLElement | null = null;
    for (const [index, row] of rows.entries()) {
      row.draggable = true;
      row.addEventListener("dragstart", () => (dragged = row));
      row.addEventListener("dragover", (event) => event.preventDefault());
      row.addEventListener("drop", (event) => {
        event.preventDefault();
        const form = dragged?.querySelector("form");
        if (form != null && dragged !== row) {
          const place = document.createElement("input");
          Object.assign(place, { type: "hidden", name: "position", value: String(index + 1) });
          form.append(place);
          form.requestSubmit();
        }
      });
    }
  }
}

export function startMarks(): void {
  startRanges();
  customElements.define("pin-order", PinOrder);
}
