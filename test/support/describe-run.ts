import { OutputReader, type Failure } from "./output-reader.ts";
import type { Held } from "./run-files.ts";

/** A run of test files with everything that their processes printed. */
export interface TestRun {
  /** of each process */
  readonly outputs: readonly string[];
  readonly exitCode: number;
  readonly milliseconds: number;
  /** how many processes ran at a time */
  readonly processes: number;
  /** how long each file took, milliseconds */
  readonly durations: readonly (readonly [file: string, milliseconds: number])[];
  /** files that a run which was told to stop did not run to their end */
  readonly stopped?: { readonly cutOff: number; readonly neverRan: number; readonly files: number };
  /** files that failed beside others, and passed when they were run again alone */
  readonly unsteady?: readonly string[];
  /** the most that one of the processes held at a time */
  readonly held?: Held;
}

/** A test says so when a program that it needs is missing, and why. */
const leftOutMark = "LEFT OUT: ";
const shownFiles = 10;
const slowMs = 1000;
/** Failures whose text is repeated at the end, and how much of it. */
const shownFailures = 3;
const shownLines = 25;

/** The failures of a run, each once. */
function failuresOf(outputs: readonly string[]): Failure[] {
  return outputs.flatMap((output) => OutputReader.of(output).failures);
}

/** The files in which something failed. */
export function failedFiles(outputs: readonly string[]): string[] {
  return [...new Set(failuresOf(outputs).map(({ file }) => file))];
}

/** What a reader needs of a run, in lines: what failed, what was left out and why, how long it took. */
export function describeRun(run: TestRun): string {
  const lines = run.outputs.flatMap((output) => output.split("\n").map((line) => line.trimEnd()));
  const [unsteady, failures] = [new Set(run.unsteady), failuresOf(run.outputs)];
  const passedAlone = failures.filter(({ file }) => unsteady.has(file));
  const leftOut = new Set(
    lines.filter((line) => line.startsWith(leftOutMark)).map((line) => line.slice(leftOutMark.length)),
  );
  const slowest = run.durations
    .filter(([, ms]) => ms >= slowMs)
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownFiles);
  const moved: Readonly<Record<string, number>> = { pass: passedAlone.length, fail: -passedAlone.length };
  const counts = ["pass", "fail", "skip", "todo"].map((name) => {
    const printed = run.outputs.reduce((sum, output) => sum + countOf(output, name), 0);
    return [name, printed + (moved[name] ?? 0)] as const;
  });
  const { held } = run;
  return [
    "",
    ...section(
      "Slowest",
      slowest.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`),
    ),
    ...(held === undefined
      ? []
      : [
          `A process held at most ${held.files} open files, ${held.threads} threads, ${Math.round(held.bytes / 2 ** 20)} MiB.`,
          "",
        ]),
    ...section(
      "Left out",
      [...leftOut].map((reason) => `${leftOutMark}${reason}`),
    ),
    ...failures.slice(0, shownFailures).flatMap(describeFailure),
    ...section("Failed beside others, passed alone: unsteady, to be mended", passedAlone.map(nameOf)),
    ...section("Failed", failures.filter(({ file }) => !unsteady.has(file)).map(nameOf)),
    ...(run.exitCode !== 0 && failures.length === 0 && run.stopped === undefined
      ? [`bun test ended with ${run.exitCode}`]
      : []),
    ...(run.stopped === undefined
      ? []
      : [
          `Stopped: ${run.stopped.neverRan} of ${run.stopped.files} files never ran, ${run.stopped.cutOff} were cut off`,
        ]),
    `Tests: ${counts.map(([name, count]) => `${count} ${name}`).join(", ")}; ${leftOut.size} left out; ${durationText(run.milliseconds)} in ${run.processes} processes`,
  ].join("\n");
}

/** A failure with the end of what was printed before it. */
export function describeFailure(failure: Failure): string[] {
  return section(nameOf(failure), failure.text.filter((line) => line !== "").slice(-shownLines));
}

function nameOf({ file, line }: Failure): string {
  return line.startsWith("✗ ") || file === "" ? line : `${line} in ${file}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ""];
}

/**
 * The number in the line of the form ` 12 pass` that a process ends with. One that ended before its time has none: then
 * it is the lines that tests and their process ended with.
 */
function countOf(output: string, name: string): number {
  const found = /^Ran \d+ tests? across /m.test(output)
    ? new RegExp(`^ *(\\d+) ${name}$`, "m").exec(output)?.[1]
    : output.split("\n").filter((line) => line.startsWith(`(${name}) `) || (name === "fail" && line.startsWith("✗ ")))
        .length;
  return Number(found ?? 0);
}

export function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
