import { make } from "../dom.ts";

/** What was typed into a form and not sent. */
interface Draft {
  readonly at: number;
  readonly texts: Readonly<Record<string, string>>;
}

const prefix = "text:";
const saveMs = 300;
const keptMs = 30 * 86_400_000;
const mostDrafts = 50;
/** A browser keeps some megabytes for a site. */
const longest = 300_000;

type Field = HTMLInputElement | HTMLTextAreaElement;

/** The fields whose texts are kept: what is typed, and the version of the text that it is based on. */
function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.querySelectorAll<Field>("textarea[name], input[type=text][name], input[type=hidden][name=version]")];
}

function textsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(fieldsOf(form).map(({ name, value }) => [name, value]));
}

function read(key: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as Draft | null;
  } catch {
    return null;
  }
}

/** Drafts that are too old, or too many. */
function sweep(): void {
  const all = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({ key, at: read(key)?.at ?? 0 }))
    .toSorted((one, other) => other.at - one.at);
  for (const [index, { key, at }] of all.entries()) {
    if (index >= mostDrafts || at < Date.now() - keptMs) {
      localStorage.removeItem(key);
    }
  }
}

function write(key: string, texts: Draft["texts"]): void {
  try {
    const text = JSON.stringify({ at: Date.now(), texts });
    if (text.length <= longest) {
      localStorage.setItem(key, text);
    }
  } catch {
    // There is no room, or the browser keeps nothing: the page still has the text.
  }
}

function offer(form: HTMLFormElement, key: string, { texts }: Draft): void {
  const button = (words: string, act: () => void): HTMLButtonElement => {
    const made = make("button", { type: "button", class: "button s" }, words);
    made.addEventListener("click", () => {
      act();
      note.remove();
    });
    return made;
  };
  const note = make(
    "div",
    { class: "note info", role: "status" },
    make("p", { class: "grow" }, "You typed a text here that was not sent."),
    button("Restore it", () => {
      for (const field of fieldsOf(form)) {
        field.value = texts[field.name] ?? field.value;
      }
      form.querySelector("textarea")?.focus();
    }),
    button("Forget it", () => localStorage.removeItem(key)),
  );
  // Not `before`, which a field of that name hides.
  form.insertAdjacentElement("beforebegin", note);
}

/**
 * Keeps what is typed into the form of an editor until the server has taken it: over a crash, a reload, a lost connection and the end of
 * the session. It is kept by the form's address and the user, so that nobody else is offered it.
 */
function keep(form: HTMLFormElement, user: string): void {
  const place = form.querySelector<HTMLInputElement>("input[name=draft]")?.value ?? "";
  const key = `${prefix}${user} ${new URL(form.action).pathname}${place === "" ? "" : `#${place}`}`;
  const shown = textsOf(form);
  const kept = read(key);
  const differs = Object.entries(kept?.texts ?? {}).some(
    ([name, text]) => name !== "version" && (shown[name] ?? "") !== text,
  );
  if (kept !== null && differs) {
    offer(form, key, kept);
  }
  let timer = 0;
  const save = (): void => {
    clearTimeout(timer);
    timer = 0;
    const texts = textsOf(form);
    if (Object.entries(texts).every(([name, text]) => shown[name] === text)) {
      localStorage.removeItem(key);
    } else {
      write(key, texts);
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(save, saveMs);
  });
  addEventListener("pagehide", () => {
    if (timer !== 0) {
      save();
    }
  });
}

/** Keeps the texts of the form that an editor belongs to, however many editors it has. */
export function keepTexts(element: HTMLElement): void {
  const form = element.closest("form");
  if (form !== null && form.dataset["kept"] === undefined) {
    form.dataset["kept"] = "";
    keep(form, element.dataset["user"] ?? "");
  }
}

sweep();
