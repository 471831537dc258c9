/** The form's texts as they were when they were last typed, and whether they were sent since. */
interface Draft {
  readonly commit: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly sent: boolean;
}

const saveMs = 400;
/** A browser keeps some megabytes for a site. */
const longest = 1_000_000;

type Field = HTMLInputElement | HTMLTextAreaElement;

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.querySelectorAll<Field>("textarea[name], input[name]:not([type])")];
}

function textsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(fieldsOf(form).map(({ name, value }) => [name, value]));
}

function read(key: string): Draft | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as Draft | null;
  } catch {
    return null;
  }
}

function write(key: string, draft: Draft): void {
  try {
    const text = JSON.stringify(draft);
    if (text.length <= longest) {
      sessionStorage.setItem(key, text);
    }
  } catch {
    // There is no room, or the browser keeps nothing: the page still has the text.
  }
}

/** Offers a text that was typed here and not sent. It never takes the place of what the page shows by itself. */
function offer(form: HTMLFormElement, key: string, { texts }: Draft): void {
  const note = document.createElement("div");
  note.className = "note info";
  note.setAttribute("role", "status");
  const words = document.createElement("p");
  words.className = "grow";
  words.textContent = "You typed a text here that was not sent.";
  const button = (text: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "button s";
    made.textContent = text;
    made.addEventListener("click", () => {
      act();
      note.remove();
    });
    return made;
  };
  const restore = button("Restore it", () => {
    for (const field of fieldsOf(form)) {
      field.value = texts[field.name] ?? field.value;
      field.dispatchEvent(new Event("restore"));
    }
  });
  note.append(
    words,
    restore,
    button("Forget it", () => sessionStorage.removeItem(key)),
  );
  // Not `before`, which a field of that name hides.
  form.insertAdjacentElement("beforebegin", note);
}

/** Keeps what is typed into forms with `data-draft` until it is sent: over a reload, a lost connection, and signing in. */
export function startDrafts(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-draft]");
  if (form === null) {
    return;
  }
  const key = `draft:${form.getAttribute("action") ?? ""}`;
  const commit = form.querySelector<HTMLInputElement>("[name=last_commit]")?.value ?? "";
  const shown = textsOf(form);
  const kept = read(key);
  const differs = kept !== null && Object.entries(kept.texts).some(([name, value]) => (shown[name] ?? "") !== value);
  if (kept?.sent === true && kept.commit !== commit) {
    sessionStorage.removeItem(key);
  } else if (kept !== null && differs) {
    offer(form, key, kept);
  }
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => write(key, { commit, texts: textsOf(form), sent: false }), saveMs);
  });
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    write(key, { commit, texts: textsOf(form), sent: true });
  });
}
