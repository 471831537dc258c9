import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";

const plain = /^[A-Za-z0-9_+.-]{1,255}$/;
const onlyDots = /^\.+$/;

function check(what: string, text: string): void {
  if (!plain.test(text) || onlyDots.test(text)) {
    throw new InvalidInput(
      `"${clip(text, 80)}" is no ${what}: it has 1 to 255 of the characters A-Z a-z 0-9 . _ + - and is not only dots`,
    );
  }
}

/** Throws InvalidInput for names that the registry does not take. Source: the rules of the family's generic registry. */
export function checkGenericName({ name, version }: { name: string; version: string }, file: string): void {
  check("name of a package", name);
  check("version", version);
  check("name of a file", file);
}
