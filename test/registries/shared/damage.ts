import { expect } from "bun:test";
import { StithyError } from "../../../src/lib/errors.ts";
import { mutate } from "../../git/fuzz/mutate.ts";
import { randomFrom } from "../../support/random.ts";

/**
 * Reads a file that is damaged, in another way each round. Whatever it looks like, it is read, or refused by an error that
 * says what is wrong. Returns how many were refused. `words` are what its format is made of.
 */
export async function readDamaged(
  whole: Uint8Array,
  read: (damaged: Uint8Array) => unknown,
  rounds: number,
  words: readonly string[] = [],
): Promise<number> {
  let refused = 0;
  const bytes = words.map((word) => Buffer.from(word));
  for (let round = 0; round < rounds; round++) {
    try {
      await read(mutate(randomFrom(round), whole, bytes));
    } catch (error) {
      if (!(error instanceof StithyError) || error.kind === "fault") {
        expect.unreachable(`Round ${round} threw ${error instanceof Error ? error.stack : String(error)}`);
      }
      refused++;
    }
  }
  return refused;
}

/** Expects that a package is refused as a bad one, and returns what is said of it. */
export async function said(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "bad-package", kind: "malformed" });
  return (error as Error).message;
}
