import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment, projectDirectory } from "./environment.ts";

/** A server in a process of its own that says on standard output, with one line of JSON, that it is ready. */
export class ChildServer implements AsyncDisposable {
  private constructor(
    readonly pid: number,
    /** the parsed ready line */
    readonly ready: unknown,
    /** from the start of the process to its ready line, in milliseconds */
    readonly readyMs: number,
    private readonly child: Bun.Subprocess<"ignore", "pipe", Bun.BunFile>,
    private readonly directory: string,
  ) {}

  static async start(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ChildServer> {
    const directory = await mkdtemp(join(tmpdir(), "stithy-bench-"));
    const log = Bun.file(join(directory, "stderr"));
    const started = performance.now();
    const child = Bun.spawn([...command], { cwd: projectDirectory, env: childEnvironment(env), stdin: "ignore", stdout: "pipe", stderr: log });
    try {
      const ready: unknown = JSON.parse(await firstLine(child.stdout));
      return new ChildServer(child.pid, ready, performance.now() - started, child, directory);
    } catch (error) {
      child.kill("SIGKILL");
      await child.exited;
      const said = (await log.exists()) ? await log.text() : "";
      await rm(directory, { recursive: true, force: true });
      throw new Error(`"${command.join(" ")}" did not say that it is ready: ${said.trim().slice(-2000)}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGTERM");
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 15_000);
    await this.child.exited;
    clearTimeout(timer);
    await rm(this.directory, { recursive: true, force: true });
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
