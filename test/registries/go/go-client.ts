import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runProgram, ScratchDirectory, tryProgram } from "../shared/run-program.ts";

/** The go command with caches of its own; it knows no other registry than the one it is told. */
export class GoClient implements Disposable {
  readonly #scratch = new ScratchDirectory();

  constructor(
    readonly proxy: string,
    private readonly more: Readonly<Record<string, string>> = {},
  ) {}

  get home(): string {
    return this.#scratch.path;
  }

  private get options() {
    return {
      cwd: this.home,
      env: {
        HOME: this.home,
        GOPATH: join(this.home, "go"),
        // What is compiled of the standard library is the same for all.
        GOCACHE: process.env["GOCACHE"] ?? join(process.env["HOME"] ?? this.home, ".cache", "go-build"),
        GOPROXY: this.proxy,
        GONOSUMDB: "*",
        GOSUMDB: "off",
        GOFLAGS: "-mod=mod -modcacherw",
        GOTOOLCHAIN: "local",
        GIT_TERMINAL_PROMPT: "0",
        ...this.more,
      },
    };
  }

  /** Returns what it wrote; throws what it said when it failed. */
  run(...args: string[]): Promise<string> {
    return runProgram(["go", ...args], this.options);
  }

  try(...args: string[]) {
    return tryProgram(["go", ...args], this.options);
  }

  /** Downloads a version of a module and returns its sum, as it stands in a go.sum, and its files. */
  async download(module: string): Promise<{ sum: string; goModSum: string; version: string; files: string[] }> {
    const told = JSON.parse(await this.run("mod", "download", "-json", module)) as {
      Sum: string;
      GoModSum: string;
      Version: string;
      Dir: string;
    };
    const files = readdirSync(told.Dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(told.Dir.length + 1));
    return { sum: told.Sum, goModSum: told.GoModSum, version: told.Version, files: files.sort() };
  }

  [Symbol.dispose](): void {
    chmodSync(this.home, 0o700);
    this.#scratch[Symbol.dispose]();
  }
}
