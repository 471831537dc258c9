/*
 * An expression such as /x+$/ is tried at each character of a long run that does not stand at the end: its time grows with the square of the
 * run, a quarter of an hour for a megabyte. These take one look at each character.
 */

/** The text without those of `characters` that it ends with. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) {
    end--;
  }
  return text.slice(0, end);
}

/** The text without those of `characters` that it begins or ends with. */
export function trimOf(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) {
    start++;
  }
  return trimEndOf(text.slice(start), characters);
}
