import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ScratchDirectory, tryProgram } from "../shared/run-program.ts";

/** apt with a root directory of its own: its sources, what it has downloaded and what dpkg has installed are there. */
export class Apt implements Disposable {
  readonly #root = new ScratchDirectory();

  /** An apt of a machine of this architecture. `line`: one source, in which KEY stands for the path of the armored public key. */
  static async start(line: string, publicKey: string, architecture = "amd64"): Promise<Apt> {
    const apt = new Apt();
    for (const directory of [
      "etc/apt/preferences.d",
      "etc/apt/apt.conf.d",
      "var/lib/dpkg/updates",
      "var/lib/dpkg/info",
      "var/lib/apt/lists/partial",
      "var/cache/apt/archives/partial",
      "var/log/apt",
      "tmp",
    ]) {
      mkdirSync(apt.at(directory), { recursive: true });
    }
    await Bun.write(apt.at("var/lib/dpkg/status"), "");
    await Bun.write(apt.at("etc/apt/registry.asc"), publicKey);
    await Bun.write(apt.at("etc/apt/sources.list"), `${line.replace("KEY", apt.at("etc/apt/registry.asc"))}\n`);
    // The configuration of the machine is not read.
    await Bun.write(
      apt.at("apt.conf"),
      [
        `Dir "${apt.at("")}";`,
        `Dir::State::status "${apt.at("var/lib/dpkg/status")}";`,
        'Dir::Bin::methods "/usr/lib/apt/methods";',
        'Dir::Bin::dpkg "/usr/bin/dpkg";',
        `APT::Architecture "${architecture}";`,
        `APT::Architectures { "${architecture}"; };`,
        'APT::Sandbox::User "root";',
        'APT::Get::Assume-Yes "true";',
        'APT::Install-Recommends "false";',
        'Acquire::Languages "none";',
        'Acquire::Retries "0";',
        'Acquire::http::Proxy "DIRECT";',
        'Dpkg::Use-Pty "0";',
        `Dpkg::Options { "--root=${apt.at("")}"; "--force-architecture"; "--force-not-root"; "--log=${apt.at("var/log/dpkg.log")}"; };`,
        "",
      ].join("\n"),
    );
    return apt;
  }

  at(path: string): string {
    return join(this.#root.path, path);
  }

  /** Runs apt-get with the configuration above alone. */
  async get(...words: string[]): Promise<{ status: number; said: string }> {
    const { status, stdout, stderr } = await tryProgram(["apt-get", ...words], {
      env: { APT_CONFIG: this.at("apt.conf"), HOME: this.#root.path, TMPDIR: this.at("tmp") },
    });
    return { status, said: `${stdout}${stderr}` };
  }

  /** Fetches the lists. Throws with what apt said if it failed or warned: a wrong signature is a warning where there are older lists. */
  async update(): Promise<void> {
    const { status, said } = await this.get("update");
    if (status !== 0 || /^[WE]:/m.test(said)) {
      throw new Error(`apt-get update ended with ${status}:\n${said}`);
    }
  }

  async must(...words: string[]): Promise<string> {
    const { status, said } = await this.get(...words);
    if (status !== 0) {
      throw new Error(`apt-get ${words.join(" ")} ended with ${status}:\n${said}`);
    }
    return said;
  }

  /** What is installed, as "name version". */
  async installed(): Promise<string[]> {
    const { stdout } = await tryProgram([
      "dpkg-query",
      `--admindir=${this.at("var/lib/dpkg")}`,
      "--show",
      "--showformat=${Package} ${Version} ${Status}\n",
    ]);
    return stdout
      .split("\n")
      .filter((line) => line.endsWith(" installed"))
      .map((line) => line.split(" ").slice(0, 2).join(" "));
  }

  [Symbol.dispose](): void {
    this.#root[Symbol.dispose]();
  }
}
