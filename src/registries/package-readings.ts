import { writeWireError, type WireError } from "../lib/wire-error.ts";
import { describeApk } from "./alpine/index.ts";
import { readPackage } from "./cran/read-package.ts";
import { parseDeb } from "./debian/parse.ts";
import { checkModuleZip } from "./go/check-module-zip.ts";
import { makeOpenPgpPair } from "./shared/openpgp.ts";
import { describeRpm, signRpmHead } from "./rpm/describe-rpm.ts";

/**
 * Functions that read files of packages, by name, and other long work of registries. Threads can send each other their
 * arguments and values.
 */
const readings = {
  alpine: describeApk,
  cran: readPackage,
  debian: parseDeb,
  go: checkModuleZip,
  openPgpPair: makeOpenPgpPair,
  rpm: describeRpm,
  signRpm: signRpmHead,
} as const;

export type PackageReadings = typeof readings;

export interface ToPackageWorker {
  readonly reading: keyof PackageReadings;
  readonly args: readonly unknown[];
}

export type FromPackageWorker = { readonly value: unknown } | { readonly error: WireError };

/** Reads a package. It never throws. */
export async function readPackageFile({ reading, args }: ToPackageWorker): Promise<FromPackageWorker> {
  try {
    const read = readings[reading] as (...args: readonly unknown[]) => Promise<unknown>;
    return { value: await read(...args) };
  } catch (error) {
    return { error: writeWireError(error) };
  }
}
