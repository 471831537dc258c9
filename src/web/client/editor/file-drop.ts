interface Dropped {
  readonly path: string;
  readonly file: File;
}

/** All files of what was dropped, with the paths that they have in a folder. */
async function filesOf(entry: FileSystemEntry, before: string): Promise<Dropped[]> {
  const path = before + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Dropped[] = [];
  for (;;) {
    // A reader gives a hundred at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (entries.length === 0) {
      return found;
    }
    for (const below of entries) {
      found.push(...(await filesOf(below, `${path}/`)));
    }
  }
}

/** `<file-drop>`: files and folders can be dropped into it. It lists what will be sent, and shows how much has arrived. */
class FileDrop extends HTMLElement {
  private readonly dropped = new Map<string, File>();
  private readonly list = document.createElement("ul");
  private readonly bar = document.createElement("progress");

  connectedCallback(): void {
    const form = this.closest("form");
    if (form === null) {
      return;
    }
    this.list.className = "rows";
    this.bar.hidden = true;
    this.bar.setAttribute("aria-label", "Sent");
    const words = document.createElement("p");
    words.textContent = "Drop files or folders here, or choose them:";
    this.querySelector(".body")?.prepend(words);
    this.querySelector(".body")?.append(this.list, this.bar);
    this.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.classList.add("over");
    });
    this.addEventListener("dragleave", () => this.classList.remove("over"));
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      this.classList.remove("over");
      void this.take(event.dataTransfer);
    });
    for (const input of this.querySelectorAll<HTMLInputElement>("input[type=file]")) {
      input.addEventListener("change", () => {
        for (const file of input.files ?? []) {
          this.dropped.set(file.webkitRelativePath || file.name, file);
        }
        input.value = "";
        this.show();
      });
    }
    form.addEventListener("submit", (event) => {
      if (this.dropped.size > 0) {
        event.preventDefault();
        this.send(form, event.submitter);
      }
    });
  }

  private async take(transfer: DataTransfer | null): Promise<void> {
    // The entries are there only while the event is handled.
    const entries = [...(transfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
    for (const entry of entries) {
      for (const { path, file } of await filesOf(entry, "")) {
        this.dropped.set(path, file);
      }
    }
    this.show();
  }

  private show(): void {
    const items = [...this.dropped].map(([path, file]) => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      name.className = "grow";
      name.dir = "auto";
      name.textContent = path;
      const size = document.createElement("span");
      size.className = "soft num";
      size.textContent = `${new Intl.NumberFormat("en").format(Math.ceil(file.size / 1000))} kB`;
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "button s bare";
      remove.textContent = "Remove";
      remove.setAttribute("aria-label", `Remove ${path}`);
      remove.addEventListener("click", () => {
        this.dropped.delete(path);
        this.show();
      });
      item.append(name, size, remove);
      return item;
    });
    this.list.replaceChildren(...items);
  }

  /** Sends the form with the files. What it answers takes the place of the page; the files stay if it is refused. */
  private send(form: HTMLFormElement, submitter: HTMLElement | null): void {
    const data = new FormData(form, submitter);
    data.delete("files");
    for (const [path, file] of this.dropped) {
      data.append("files", file, path);
    }
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("x-form-by-script", "1");
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      this.bar.max = total;
      this.bar.value = loaded;
    });
    request.addEventListener("loadend", () => {
      this.bar.hidden = true;
      form.inert = false;
      const next = request.getResponseHeader("x-location");
      if (next !== null) {
        location.assign(next);
        return;
      }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      const told = page.querySelector("[role=alert]")?.textContent ?? "The files could not be sent. Try again.";
      this.tell(told);
    });
    this.bar.hidden = false;
    form.inert = true;
    request.send(data);
  }

  private tell(text: string): void {
    document.querySelector("#drop-told")?.remove();
    const note = document.createElement("p");
    note.id = "drop-told";
    note.className = "problem";
    note.setAttribute("role", "alert");
    note.textContent = text;
    this.querySelector(".body")?.append(note);
  }
}

export function startDrop(): void {
  customElements.define("file-drop", FileDrop);
}
