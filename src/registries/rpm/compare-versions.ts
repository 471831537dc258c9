/**
 * Compares two versions, or two releases, as rpm does: below 0 if the first is older. Runs of digits are compared as
 * numbers, runs of letters as text, and other characters only separate them. A tilde is older than the end, a caret
 * newer. Source: "Sorting" in rpm's manual on versions, and rpm's own test table.
 */
export function compareRpmVersions(first: string, second: string): number {
  const left = partsOf(first);
  const right = partsOf(second);
  for (let at = 0; ; at++) {
    const [a, b] = [left[at], right[at]];
    if (a === undefined && b === undefined) {
      return 0;
    }
    const compared = compareParts(a, b);
    if (compared !== 0) {
      return compared;
    }
  }
}

const partsOf = (version: string): string[] => version.match(/[0-9]+|[A-Za-z]+|~|\^/g) ?? [];

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === b) {
    return 0;
  }
  if (a === "~" || b === "~") {
    return a === "~" ? -1 : 1;
  }
  if (a === "^" || b === "^") {
    // Newer than the end, and older than anything else that follows.
    const other = a === "^" ? b : a;
    return (a === "^") === (other === undefined) ? 1 : -1;
  }
  if (a === undefined || b === undefined) {
    return a === undefined ? -1 : 1;
  }
  const [isNumber, isOtherNumber] = [/^[0-9]/.test(a), /^[0-9]/.test(b)];
  if (isNumber !== isOtherNumber) {
    return isNumber ? 1 : -1;
  }
  if (!isNumber) {
    return a < b ? -1 : 1;
  }
  const [digits, others] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  if (digits.length !== others.length) {
    return digits.length < others.length ? -1 : 1;
  }
  return digits === others ? 0 : digits < others ? -1 : 1;
}
