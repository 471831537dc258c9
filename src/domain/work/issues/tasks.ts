/** An item of a task list in Markdown, before its box: after marks of quotations and lists. */
const task = /^[\s>]{0,100}(?:[-*+]|\d{1,9}[.)])\s{1,20}\[([ xX])\](?=\s)/;
const fence = /^[\s>]{0,100}(?:[-*+]\s{1,20}|\d{1,9}[.)]\s{1,20})?(`{3,}|~{3,})/;

/** Where the marks in the boxes of a text's tasks are, in its order. Those in code blocks are no tasks. */
export function findTasks(text: string): number[] {
  const found: number[] = [];
  let open: string | null = null;
  let at = 0;
  for (const line of text.split("\n")) {
    const [, ticks = null] = fence.exec(line) ?? [];
    if (open !== null) {
      open = ticks !== null && ticks.startsWith(open) ? null : open;
    } else if (ticks !== null) {
      open = ticks;
    } else {
      const [before, mark] = task.exec(line) ?? [];
      if (before !== undefined && mark !== undefined) {
        found.push(at + before.length - 2);
      }
    }
    at += line.length + 1;
  }
  return found;
}

/** The text with one of its tasks done, or not; null: it has no such task. */
export function setTask(text: string, index: number, isDone: boolean): string | null {
  const at = findTasks(text)[index];
  return at === undefined ? null : `${text.slice(0, at)}${isDone ? "x" : " "}${text.slice(at + 1)}`;
}
