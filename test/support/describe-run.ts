/** A run of `bun test` with everything that it printed. */
export interface TestRun {
  readonly output: string;
  readonly exitCode: number;
  readonly milliseconds: number;
  readonly processes: number;
  /** how long each file took, milliseconds */
  readonly durations: readonly (readonly [file: string, milliseconds: number])[];
}

/** A test says so when a program that it needs is missing, and why. */
const leftOutMark = "LEFT OUT: ";
const shownFiles = 10;
const slowMs = 1000;

/** What a reader needs of a run, in lines: what failed, what was left out and why, how long it took. */
export function describeRun(run: TestRun): string {
  const lines = run.output.split("\n").map((line) => line.trimEnd());
  // A long run names its failures again at its end.
  const failures = [...new Set(lines.filter((line) => line.startsWith("(fail) ") || line.startsWith("✗ ")))];
  const leftOut = new Set(
    lines.filter((line) => line.startsWith(leftOutMark)).map((line) => line.slice(leftOutMark.length)),
  );
  const slowest = run.durations
    .filter(([, ms]) => ms >= slowMs)
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownFiles);
  const counts = ["pass", "fail", "skip", "todo"].map((name) => [name, countOf(lines, name)] as const);
  return [
    "",
    ...section(
      "Slowest",
      slowest.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`),
    ),
    ...section(
      "Left out",
      [...leftOut].map((reason) => `${leftOutMark}${reason}`),
    ),
    ...section("Failed", failures),
    ...(run.exitCode !== 0 && failures.length === 0 ? [`bun test ended with ${run.exitCode}`] : []),
    `Tests: ${counts.map(([name, count]) => `${count} ${name}`).join(", ")}; ${leftOut.size} left out; ${durationOf(run.milliseconds)} in ${run.processes} processes`,
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ""];
}

/** The number in the last line of the form ` 12 pass`; 0 without one. */
function countOf(lines: readonly string[], name: string): number {
  const found = lines.findLast((line) => new RegExp(`^ *\\d+ ${name}$`).test(line));
  return found === undefined ? 0 : Number.parseInt(found, 10);
}

function durationOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
