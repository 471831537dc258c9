import { quoted } from "../../writing/marks.ts";
import { write } from "./write.ts";

/** What is selected within an element. */
function selectionIn(element: Element): string {
  const selection = getSelection();
  const isInside = selection?.anchorNode != null && element.contains(selection.anchorNode);
  return isInside ? selection.toString().trim() : "";
}

/** Adds a text to an answer as a quotation; an empty one: that at an address. */
async function quote(field: HTMLTextAreaElement, selected: string, source: string): Promise<void> {
  const text = selected === "" ? await (await fetch(source)).text() : selected;
  const at = field.value.length;
  const put = `${at === 0 || field.value.endsWith("\n") ? "" : "\n\n"}${quoted(text)}`;
  write(field, { from: at, to: at, put, select: [at + put.length, at + put.length] });
  field.scrollIntoView({ block: "center" });
}

/** Quotes a comment, or what is selected of it, in the answer: in its place instead of on a page of its own. */
export function startQuoting(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-quote]") : null;
    const field = document.querySelector<HTMLTextAreaElement>("#answer textarea");
    if (link === null || field === null || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const comment = link.closest(".comment");
    const selected = comment === null ? "" : selectionIn(comment);
    link.closest<HTMLElement>("[popover]")?.hidePopover();
    void quote(field, selected, link.dataset["quote"] ?? "").catch(() => location.assign(link.href));
  });
}
