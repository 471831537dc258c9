const marks = /^(?:<{7}|>{7}) /m;

/** Whether a text has the marks of a conflict, and the one that it replaces has none. */
export function addsConflictMarks(before: string, after: string): boolean {
  return marks.test(after) && !marks.test(before);
}
