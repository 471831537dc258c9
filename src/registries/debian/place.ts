import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";

/** Where in an owner's registry a package is. */
export interface PoolPlace {
  readonly distribution: string;
  readonly component: string;
}

const plain = /^[A-Za-z0-9][A-Za-z0-9._+~-]{0,99}$/;

/** Throws InvalidInput for a distribution or a component that no client could ask for, or that would lead elsewhere. */
export function checkPlace({ distribution, component }: PoolPlace): void {
  for (const [what, text] of [
    ["distribution", distribution],
    ["component", component],
  ] as const) {
    if (!plain.test(text)) {
      throw new InvalidInput(
        `"${clip(text, 80)}" is no name of a ${what}: it has 1 to 100 of the characters A-Z a-z 0-9 . _ + ~ - and begins with a letter or a digit`,
      );
    }
  }
}
