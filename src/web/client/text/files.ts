import { make } from "../dom.ts";
import { replaceIn, selectedIn, write } from "./write.ts";

/** What the server answers to a file (`src/web/issues/sent-files.ts`). */
interface Kept {
  readonly name: string;
  readonly address: string;
  readonly isPicture: boolean;
}

let count = 0;

/** Files that are pasted, dropped or chosen go to the server at once, and the text says where they will be shown. */
class Files {
  private readonly list = make("div", { class: "uploads", role: "status" });
  private waiting = 0;

  constructor(
    private readonly field: HTMLTextAreaElement,
    private readonly form: HTMLFormElement,
    private readonly editor: HTMLElement,
  ) {}

  listen(): void {
    const { field, form, editor } = this;
    const input = editor.querySelector<HTMLInputElement>(".files input");
    editor.querySelector(".files")?.append(this.list);
    input?.addEventListener("change", () => {
      this.take([...(input.files ?? [])]);
      input.value = "";
    });
    field.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      // A part of a document comes as a picture of it, too: its text is meant.
      if (files.length > 0 && event.clipboardData?.types.includes("text/plain") !== true) {
        event.preventDefault();
        this.take(files);
      }
    });
    editor.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files") === true) {
        event.preventDefault();
        editor.classList.add("over");
      }
    });
    editor.addEventListener("dragleave", () => editor.classList.remove("over"));
    editor.addEventListener("drop", (event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      editor.classList.remove("over");
      if (files.length > 0) {
        event.preventDefault();
        this.take(files);
      }
    });
    form.addEventListener("submit", (event) => {
      if (this.waiting > 0) {
        event.preventDefault();
        this.tell("A file is still on its way. Send the text when it is there.");
      }
    });
  }

  private take(files: readonly File[]): void {
    for (const file of files) {
      this.send(file);
    }
  }

  private send(file: File): void {
    const holder = `![${file.name.replaceAll(/[[\]\\]/g, "")} is on its way, ${++count}]()`;
    const { from, to } = selectedIn(this.field);
    const put = `${holder}\n`;
    write(this.field, { from, to, put, select: [from + put.length, from + put.length] });
    const bar = make("progress", { "aria-label": `Sending ${file.name}`, max: "1", value: "0" });
    const row = make("p", { class: "line" }, make("span", { class: "cut", dir: "auto" }, file.name), bar);
    this.list.append(row);
    this.waiting++;
    const data = new FormData();
    data.set("_csrf", this.form.querySelector<HTMLInputElement>("[name=_csrf]")?.value ?? "");
    data.set("files", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", `${document.body.dataset["repository"] ?? ""}/issues/attachments`);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.max = total;
      bar.value = loaded;
    });
    request.addEventListener("loadend", () => {
      this.waiting--;
      row.remove();
      const kept = readKept(request);
      if (typeof kept === "string") {
        replaceIn(this.field, put, "");
        replaceIn(this.field, holder, "");
        this.tell(`${file.name}: ${kept}`);
      } else {
        const name = kept.name.replaceAll(/[[\]\\]/g, (sign) => `\\${sign}`);
        replaceIn(this.field, holder, `${kept.isPicture ? "!" : ""}[${name}](${kept.address})`);
      }
    });
    request.send(data);
  }

  private tell(text: string): void {
    const told = make("p", { class: "problem", role: "alert" }, text);
    this.list.querySelector(".problem")?.remove();
    this.list.append(told);
    this.editor.addEventListener("input", () => told.remove(), { once: true });
  }
}

export function startFiles(field: HTMLTextAreaElement, form: HTMLFormElement, editor: HTMLElement): void {
  new Files(field, form, editor).listen();
}

/** What was kept, or why it was not. */
function readKept({ status, responseText }: XMLHttpRequest): Kept | string {
  try {
    const answer = JSON.parse(responseText) as Kept & { message?: string };
    return status === 200 ? answer : `${answer.message ?? "it was not taken"}.`;
  } catch {
    return status === 413
      ? "it is too large."
      : status === 401 || status === 403
        ? "your session has ended. Sign in in another tab, and add it again."
        : "it could not be sent. Try again.";
  }
}
