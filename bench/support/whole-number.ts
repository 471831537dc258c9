/** Reads the value of an option that is a count. Throws for anything but a whole number from 1 on. */
export function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${option} needs a whole number from 1 on, not "${text}"`);
  return number;
}
