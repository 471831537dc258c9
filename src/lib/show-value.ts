/** How much of a caller's value stands in a message, in characters. */
const shownLength = 80;

/**
 * A value from a request as JSON for a message: at most 80 characters of it. The work is bounded as well: no more of the
 * value is looked at than is shown, however large or deep it is.
 */
export function showValue(value: unknown): string {
  const shown = new Preview(shownLength);
  shown.add(value);
  return shown.text;
}

/** A text of at most so many characters; a longer one ends with an ellipsis. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** A text of others for a log or a message: at most so many characters in one line. */
export function oneLine(text: string, length: number): string {
  return clip(text.slice(0, 2 * length).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " "), length);
}

/** JSON that is written until it is long enough. */
class Preview {
  #text = "";

  constructor(private readonly length: number) {}

  get text(): string {
    return this.#text.slice(0, this.length);
  }

  get #isFull(): boolean {
    return this.#text.length >= this.length;
  }

  add(value: unknown): void {
    if (Array.isArray(value)) {
      this.#list("[", value, (item) => this.add(item), "]");
    } else if (typeof value === "object" && value !== null) {
      this.#list(
        "{",
        keysOf(value),
        (key) => {
          this.add(key);
          this.#text += ":";
          this.add((value as Record<string, unknown>)[key]);
        },
        "}",
      );
    } else {
      this.#text += typeof value === "string" ? JSON.stringify(value.slice(0, this.length)) : String(value);
    }
  }

  #list<Item>(opening: string, items: Iterable<Item>, add: (item: Item) => void, closing: string): void {
    this.#text += opening;
    let separator = "";
    for (const item of items) {
      if (this.#isFull) {
        return;
      }
      this.#text += separator;
      separator = ",";
      add(item);
    }
    this.#text += closing;
  }
}

/** One key after the other: a list of all would be as large as the object. */
function* keysOf(value: object): Generator<string> {
  for (const key in value) {
    yield key;
  }
}
