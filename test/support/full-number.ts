/**
 * How often something is done: `lean` in the suite, which has to be quick; by hand as often as the environment variable of
 * this name says. `test/git/README.md` lists them.
 */
export function fullNumber(variable: string, lean: number): number {
  const text = process.env[variable];
  if (text === undefined) {
    return lean;
  }
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`${variable} is "${text}", which is no number of times`);
  }
  return number;
}
