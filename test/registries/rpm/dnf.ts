import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ScratchDirectory } from "../shared/run-program.ts";
import { runTool, tryTool } from "./rpm-tools.ts";

/** dnf with a system of its own, which trusts no key but those that its repositories name, and checks every signature. */
export class Dnf implements Disposable {
  readonly #scratch = new ScratchDirectory();

  private constructor() {}

  /** `repositories`: the text of a `.repo` file. Signatures of indexes are checked besides what it says. */
  static async start(repositories: string): Promise<Dnf> {
    const dnf = new Dnf();
    for (const name of ["repos", "root"]) {
      mkdirSync(dnf.#at(name));
    }
    await Bun.write(dnf.#at("repos/test.repo"), repositories);
    const settings = {
      gpgcheck: 1,
      repo_gpgcheck: 1,
      install_weak_deps: 0,
      plugins: 0,
      retries: 1,
      skip_if_unavailable: 0,
      reposdir: dnf.#at("repos"),
      cachedir: dnf.#at("cache"),
      logdir: dnf.#at("log"),
      persistdir: dnf.#at("persist"),
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
    await Bun.write(dnf.#at("dnf.conf"), `[main]\n${lines.join("")}`);
    return dnf;
  }

  /** A file of the system. */
  at(path: string): string {
    return this.#at("root", path);
  }

  /** Runs a command, and answers its questions with yes; throws with what it said when it fails. */
  async must(...command: string[]): Promise<string> {
    const { status, text } = await this.run(...command);
    if (status !== 0) {
      throw new Error(`dnf ${command.join(" ")} ended with ${status}:\n${text}`);
    }
    return text;
  }

  run(...command: string[]): Promise<{ status: number; text: string }> {
    const system = ["--installroot", this.#at("root"), "--releasever", "9", "--forcearch", "x86_64"];
    return tryTool(["dnf", "--config", this.#at("dnf.conf"), ...system, "--assumeyes", ...command]);
  }

  /** Name, epoch, version, release and architecture of what is installed. */
  async installed(): Promise<string[]> {
    const lines = await runTool(["rpm", "--root", this.#at("root"), "-qa", "--qf", "%{NAME} %{EVR} %{ARCH}\n"]);
    return lines
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("gpg-pubkey"))
      .toSorted();
  }

  #at(...parts: string[]): string {
    return join(this.#scratch.path, ...parts);
  }

  [Symbol.dispose](): void {
    this.#scratch[Symbol.dispose]();
  }
}
