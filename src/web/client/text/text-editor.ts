import { Completion } from "./completion.ts";
import { startFiles } from "./files.ts";
import { keepTexts } from "./kept.ts";
import { indent, nextItem, tools, type Edit } from "../../writing/marks.ts";
import { selectedIn, write } from "./write.ts";

const letters: Readonly<Record<string, string>> = { b: "bold", i: "italic", k: "link", e: "code" };

/** `<text-editor>` around a field for Markdown: its tools, its keys, completion, and the preview in place. */
class TextEditor extends HTMLElement {
  private started = false;
  /** Escape was the last key: the next Tab leaves the field. */
  private leaves = false;

  connectedCallback(): void {
    const field = this.querySelector("textarea");
    if (field === null || this.started) {
      return;
    }
    this.started = true;
    const completion = new Completion(field);
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-tool]") : null;
      const tool = tools[button?.dataset["tool"] ?? ""];
      if (tool !== undefined) {
        this.show(false);
        write(field, tool(selectedIn(field)));
      }
    });
    field.addEventListener("keydown", (event) => {
      if (!event.isComposing && completion.press(event)) {
        event.preventDefault();
        event.stopPropagation();
      } else {
        this.press(event, field);
      }
    });
    this.startToolbar();
    this.startPreview(field);
    keepTexts(this);
    if (field.form !== null && this.querySelector(".files") !== null) {
      startFiles(field, field.form, this);
    }
  }

  private press(event: KeyboardEvent, field: HTMLTextAreaElement): void {
    const { key, shiftKey, isComposing } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const selected = selectedIn(field);
    let edit: Edit | null = null;
    if (key === "Tab" && !this.leaves && !isCommand && !event.altKey) {
      edit = indent(selected, shiftKey);
    } else if (key === "Enter" && !isCommand && !shiftKey && !isComposing) {
      edit = nextItem(selected);
    } else if (isCommand && !event.altKey && !shiftKey) {
      edit = tools[letters[key] ?? ""]?.(selected) ?? null;
    }
    this.leaves = key === "Escape" || (this.leaves && key === "Shift");
    if (edit !== null) {
      event.preventDefault();
      event.stopPropagation();
      write(field, edit);
    }
  }

  /** One tool is a tab stop; arrows go to the others (ARIA Authoring Practices, "Toolbar"). */
  private startToolbar(): void {
    const buttons = [...this.querySelectorAll<HTMLElement>("[data-tool]")];
    const stop = (at: number): void => {
      for (const [index, button] of buttons.entries()) {
        button.tabIndex = index === at ? 0 : -1;
      }
    };
    stop(0);
    this.querySelector(".format")?.addEventListener("keydown", (event) => {
      const { key } = event as KeyboardEvent;
      const at = buttons.indexOf(document.activeElement as HTMLElement);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[key];
      if (next !== undefined && at !== -1) {
        event.preventDefault();
        const to = (next + buttons.length) % buttons.length;
        stop(to);
        buttons[to]?.focus();
      }
    });
  }

  private startPreview(field: HTMLTextAreaElement): void {
    const button = this.querySelector<HTMLButtonElement>("[name=preview]");
    this.querySelector(".segments a")?.addEventListener("click", (event) => {
      event.preventDefault();
      this.show(false);
      field.focus();
    });
    button?.addEventListener("click", (event) => {
      event.preventDefault();
      void this.preview(button);
    });
  }

  private show(isPreview: boolean): void {
    const preview = this.querySelector<HTMLElement>(".preview");
    this.classList.toggle("previews", isPreview);
    if (preview !== null) {
      preview.hidden = !isPreview;
    }
    this.querySelector(".segments [aria-current]")?.removeAttribute("aria-current");
    this.querySelector(isPreview ? "[name=preview]" : ".segments a")?.setAttribute("aria-current", "true");
  }

  /** Sends the form as the button would, and shows of the page that answers it what it has of the preview. */
  private async preview(button: HTMLButtonElement): Promise<void> {
    const place = this.querySelector(".preview .document");
    const { form } = button;
    if (form === null || place === null) {
      return;
    }
    const fields = [...new FormData(form, button)].flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const action = button.hasAttribute("formaction") ? button.formAction : form.action;
    place.textContent = "…";
    this.show(true);
    try {
      const answer = await fetch(action, { method: "POST", body: new URLSearchParams(fields) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const id = this.querySelector(".preview")?.id ?? "";
      const found = page.getElementById(id)?.querySelector(".document");
      if (found == null) {
        throw new Error("The page has no preview");
      }
      place.replaceChildren(...found.childNodes);
    } catch {
      place.textContent = "The preview could not be made. Your text is as it was.";
    }
  }
}

export function startTextEditors(): void {
  customElements.define("text-editor", TextEditor);
}
