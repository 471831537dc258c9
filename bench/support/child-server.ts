import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment, projectDirectory } from "./environment.ts";

const signals = ["SIGINT", "SIGTERM"] as const;

/** A server in a process of its own that says with one line of JSON that it is ready. */
export class ChildServer implements AsyncDisposable {
  private constructor(
    readonly pid: number,
    /** the parsed ready line */
    readonly ready: unknown,
    /** from the start of the process to its ready line, in milliseconds */
    readonly readyMs: number,
    private readonly child: Bun.Subprocess<"ignore", "pipe", Bun.BunFile>,
    private readonly directory: string,
  ) {
    // Interrupted, this process goes on without a server: what it does next fails, and all is tidied up as after any failure.
    for (const signal of signals) process.once(signal, this.stop);
  }

  private readonly stop = (): void => this.child.kill("SIGTERM");

  /** Waits for the first line of standard output, or for one of standard error that contains `logged`. */
  static async start(
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
    logged: string | null = null,
  ): Promise<ChildServer> {
    const directory = await mkdtemp(join(tmpdir(), "stithy-bench-"));
    const log = Bun.file(join(directory, "stderr"));
    const started = performance.now();
    const child = Bun.spawn([...command], {
      cwd: projectDirectory,
      env: childEnvironment(env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: log,
    });
    try {
      const ready: unknown = JSON.parse(
        logged === null ? await firstLine(child.stdout) : await lineOf(log, logged, child),
      );
      return new ChildServer(child.pid, ready, performance.now() - started, child, directory);
    } catch (error) {
      child.kill("SIGKILL");
      await child.exited;
      const said = (await log.exists()) ? await log.text() : "";
      await rm(directory, { recursive: true, force: true });
      throw new Error(`"${command.join(" ")}" did not say that it is ready: ${said.trim().slice(-2000)}`, {
        cause: error,
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const signal of signals) process.removeListener(signal, this.stop);
    this.stop();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 15_000);
    await this.child.exited;
    clearTimeout(timer);
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** The first line of a growing file with this text. Throws when the process ends without it. */
async function lineOf(file: Bun.BunFile, text: string, { exited }: Bun.Subprocess): Promise<string> {
  let ended = false;
  void exited.then(() => (ended = true));
  for (;;) {
    const last = ended;
    const found = (await file.text())
      .split("\n")
      .slice(0, -1)
      .find((line) => line.includes(text));
    if (found !== undefined) return found;
    if (last) throw new Error(`It ended without a line with ${text}`);
    await Bun.sleep(20);
  }
}

/** The first line of a stream; the rest is read and dropped, so that the writer never blocks. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("It ended without a line on standard output");
    text += decoder.decode(value, { stream: true });
    const end = text.indexOf("\n");
    if (end === -1) continue;
    void drain(reader);
    return text.slice(0, end);
  }
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
