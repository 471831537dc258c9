import { join } from "node:path";

/** Builds the executable into a directory and answers its path. Throws with what the build said. */
export async function buildProgram(directory: string, signal: AbortSignal): Promise<string> {
  const path = join(directory, "stithy");
  const build = Bun.spawn([process.execPath, join(import.meta.dir, "..", "..", "build.ts"), "--outfile", path], {
    signal,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await build.stderr.text();
  if ((await build.exited) !== 0) {
    throw new Error(`The executable that tests start could not be built:\n${said}`);
  }
  return path;
}
