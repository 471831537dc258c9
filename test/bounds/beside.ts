import { expect } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../support/client.ts";
import { fullNumber } from "../support/full-number.ts";
import { growthDuring, residentBytes } from "../support/process-memory.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory, runStithy, type StithyRun } from "../support/stithy.ts";

const longestWait = fullNumber("STITHY_WAIT_MS");
const maxHeld = fullNumber("STITHY_HELD_MEGABYTES");

const MiB = 1024 * 1024;

/** What a probe saw at one address while something went on beside it. Times are milliseconds. */
export interface Waits {
  count: number;
  failures: string[];
  p50: number;
  p99: number;
  max: number;
}

/** What was seen beside some work. */
export interface Beside {
  /** By the probed path. */
  waits: Record<string, Waits>;
  /** The most memory that the server held meanwhile, above what it held before, bytes. */
  growth: number;
  /** The most memory that it held, bytes. */
  memory: number;
  /** Messages that it logged as errors meanwhile. */
  errors: string[];
}

/** Pages and answers that somebody who does nothing unusual waits for. */
const quietPaths = ["/api/v1/version", "/api/v1/repos/quiet/garden", "/quiet/garden"] as const;

/**
 * A server in a process of its own on which one user, `root`, or nobody does something expensive, while a probe in
 * another process asks for what a second user, `quiet`, has.
 */
export class BesideServer implements AsyncDisposable {
  private constructor(
    readonly server: ServerProcess,
    private readonly data: OpenDirectory,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<BesideServer> {
    const data = new OpenDirectory();
    const server = await ServerProcess.start(data.path, settings);
    const beside = new BesideServer(server, data);
    await beside.#plant();
    return beside;
  }

  get url(): string {
    return this.server.url;
  }

  get api(): ApiClient {
    return this.server.api;
  }

  /** Makes a repository, such as "root/site", of one on disk by the command. */
  importRepository(path: string, name: string): Promise<StithyRun> {
    return runStithy(["repo", "import", path, name, "--data", this.data.path]);
  }

  /** What the store of blobs has on the disk, bytes. */
  blobBytes(): number {
    const files = readdirSync(join(this.data.path, "blobs"), { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile())
      .reduce((total, file) => total + statSync(join(file.parentPath, file.name)).size, 0);
  }

  async #plant(): Promise<void> {
    const { api } = this;
    const user = {
      username: "quiet",
      email: "quiet@example.org",
      password: "a long password",
      must_change_password: false,
    };
    await mustBe(201, api.post("/admin/users", user));
    await mustBe(201, api.post("/admin/users/quiet/repos", { name: "garden", auto_init: true }));
  }

  /** Does the work with the probe beside it. */
  async during(work: () => Promise<void>, paths: readonly string[] = quietPaths): Promise<Beside> {
    const { pid } = this.server.process;
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "probe.ts"), ...paths.map((path) => this.url + path)],
      {
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    const printed = child.stdout.getReader();
    await printed.read();
    const logged = this.server.process.stderr.length;
    const idle = residentBytes(pid);
    const growth = await growthDuring(pid, work, idle);
    await child.stdin.end();
    let text = "";
    for (let piece = await printed.read(); !piece.done; piece = await printed.read()) {
      text += new TextDecoder().decode(piece.value);
    }
    const waits = JSON.parse(text) as Waits[];
    return {
      waits: Object.fromEntries(paths.map((path, index) => [path, waits[index]!])),
      growth,
      memory: idle + growth,
      errors: this.server.process.stderr
        .slice(logged)
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as { level: string | number; msg: string })
        .filter(({ level }) => level === "error" || level === 50)
        .map(({ msg }) => msg),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.data[Symbol.dispose]();
  }
}

/** Fails unless nobody else waited or met an error, and the server's memory and log stayed as they should. */
export function expectUndisturbed({ waits, memory, errors }: Beside): void {
  for (const [path, { count, failures, p99 }] of Object.entries(waits)) {
    expect({ path, failures }).toEqual({ path, failures: [] });
    expect({ path, isAsked: count > 0, wait: p99 > longestWait ? p99 : "short" }).toEqual({
      path,
      isAsked: true,
      wait: "short",
    });
  }
  expect(Math.round(memory / MiB)).toBeLessThan(maxHeld);
  expect(errors).toEqual([]);
}

async function mustBe<Answer extends { status: number; body: unknown }>(
  status: number,
  answer: Promise<Answer>,
): Promise<Answer> {
  const given = await answer;
  if (given.status !== status) {
    throw new Error(`Answered ${given.status}: ${JSON.stringify(given.body)}`);
  }
  return given;
}
