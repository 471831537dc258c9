import { noFTL } from "bun:jsc";

type AnyFunction = (...parameters: never[]) => unknown;
/** Its constructor may be private. */
type AnyClass = { readonly prototype: object };

/**
 * Keeps the last tier of JavaScriptCore's compilers away from functions, and from all methods of classes: its machine
 * code is better by a few per cent where the work is calls and numbers, and making it takes 3 to 30 ms of another thread
 * for each function. For what runs thousands of times where it runs at all, rather than millions. A generator's body is
 * out of reach, and so are methods with a private name of the language (`#name`).
 */
export function compileLightly(...targets: readonly (AnyFunction | AnyClass)[]): void {
  for (const target of targets) {
    noFTL(target as unknown as AnyFunction);
    const methods: object = (target.prototype as object | undefined) ?? {};
    for (const { value, get } of Object.values(Object.getOwnPropertyDescriptors(methods)) as PropertyDescriptor[]) {
      for (const method of [value, get]) {
        if (typeof method === "function") {
          noFTL(method as AnyFunction);
        }
      }
    }
  }
}
