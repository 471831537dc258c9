import { make } from "../dom.ts";
import { PartUpload, UploadRefused } from "./part-upload.ts";

/** The name and value of the field that every form has. */
function tokenOf(form: HTMLFormElement): readonly [string, string] {
  const field = form.querySelector<HTMLInputElement>("input[type=hidden]");
  return [field?.name ?? "", field?.value ?? ""];
}

/** `<release-files>`: files are uploaded as soon as they are chosen or dropped, in parts, and the form names them. */
class ReleaseFiles extends HTMLElement {
  private underWay = 0;
  private readonly told = make("p", { role: "status", class: "soft small" });

  connectedCallback(): void {
    const form = this.closest("form");
    const drop = this.querySelector(".drop");
    const input = this.querySelector<HTMLInputElement>("input[type=file]");
    const list = this.querySelector("ul");
    if (form === null || drop === null || input === null || list === null) {
      return;
    }
    drop.prepend(
      make("p", {}, "Drop files here, or choose them. They are uploaded at once, and attached when you save."),
    );
    drop.append(this.told);
    const take = (files: Iterable<File>) => {
      for (const file of files) {
        void this.upload(form, list, file);
      }
    };
    this.addEventListener("dragover", (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
    this.addEventListener("dragleave", () => drop.classList.remove("over"));
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      take(event.dataTransfer?.files ?? []);
    });
    input.addEventListener("change", () => {
      take([...(input.files ?? [])]);
      input.value = "";
    });
    form.addEventListener("submit", (event) => {
      if (this.underWay > 0) {
        event.preventDefault();
        this.tell("Files are still on their way: wait for them, or cancel them.");
      }
    });
  }

  private tell(text: string): void {
    this.told.textContent = text;
  }

  private async upload(form: HTMLFormElement, list: HTMLElement, file: File): Promise<void> {
    const name = make("span", { class: "grow cut", dir: "auto" }, file.name);
    const bar = make("progress", { max: String(file.size), value: "0", "aria-label": `${file.name}, sent` });
    const words = make("span", { class: "soft num" }, "0 %");
    const cancel = make(
      "button",
      { type: "button", class: "button s bare" },
      "Cancel",
      make("span", { class: "sr" }, ` ${file.name}`),
    );
    const item = make("li", {}, name, bar, words, cancel);
    list.append(item);
    const { address = "", part = "", limit = "" } = this.dataset;
    if (file.size > Number(limit)) {
      this.fail(item, `${file.name} is larger than a file may be.`);
      return;
    }
    const target = { address, partBytes: Number(part), token: tokenOf(form) };
    const upload = new PartUpload(file, target, (received, isWaiting) => {
      if (received >= 0) {
        bar.value = received;
      }
      words.textContent = isWaiting ? "waiting for the connection" : `${Math.floor((bar.value / file.size) * 100)} %`;
    });
    cancel.addEventListener("click", () => {
      upload.cancel();
      item.remove();
    });
    this.underWay++;
    try {
      const { id, sha256 } = await upload.send();
      const box = make("input", { type: "checkbox", name: "upload", value: id, checked: "" });
      const label = make("label", { class: "line" }, box, "Attach", make("span", { class: "sr" }, ` ${file.name}`));
      const digest = make("code", { class: "oid", title: `sha256:${sha256}` }, `sha256:${sha256?.slice(0, 12)}…`);
      item.replaceChildren(name, digest, label);
      this.tell(`${file.name} is uploaded.`);
    } catch (error) {
      if (item.isConnected) {
        this.fail(
          item,
          error instanceof UploadRefused ? `${file.name}: ${error.message}` : `${file.name} could not be sent.`,
        );
      }
    } finally {
      this.underWay--;
    }
  }

  private fail(item: HTMLElement, text: string): void {
    const remove = make("button", { type: "button", class: "button s bare" }, "Remove");
    remove.addEventListener("click", () => item.remove());
    item.replaceChildren(make("span", { class: "grow problem", role: "alert" }, text), remove);
  }
}

export function startReleaseFiles(): void {
  customElements.define("release-files", ReleaseFiles);
}
