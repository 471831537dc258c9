import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestUser } from "./test-app.ts";

/** An SSH key pair in a temporary directory, made by ssh-keygen, and the real clients using it. */
export class SshKeyPair implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "stithy-ssh-"));
  /** The private key's file. */
  readonly path = join(this.#directory, "key");
  /** The line of the public key's file. */
  readonly publicKey: string;

  constructor(type: "ed25519" | "ecdsa" | "rsa" = "ed25519", bits: number | null = type === "rsa" ? 2048 : null) {
    chmodSync(this.#directory, 0o700);
    const made = Bun.spawnSync(
      [
        "ssh-keygen",
        "-q",
        "-t",
        type,
        ...(bits === null ? [] : ["-b", `${bits}`]),
        "-N",
        "",
        "-C",
        "test",
        "-f",
        this.path,
      ],
      { stderr: "pipe" },
    );
    if (!made.success) {
      throw new Error(`ssh-keygen failed: ${made.stderr.toString()}`);
    }
    this.publicKey = readFileSync(`${this.path}.pub`, "utf8").trim();
  }

  /** `ssh` with this key and nothing of the machine's configuration. */
  get command(): string[] {
    const options = [
      "IdentitiesOnly=yes",
      "IdentityAgent=none",
      "StrictHostKeyChecking=no",
      "UserKnownHostsFile=/dev/null",
      "LogLevel=ERROR",
      "BatchMode=yes",
    ];
    return ["ssh", "-F", "/dev/null", "-i", this.path, ...options.flatMap((option) => ["-o", option])];
  }

  /** For git: uses that command. */
  get env(): { GIT_SSH_COMMAND: string } {
    return { GIT_SSH_COMMAND: this.command.join(" ") };
  }

  /** Adds it to a user's keys and answers its id. */
  async addTo(user: TestUser, title = crypto.randomUUID()): Promise<number> {
    return this.#register(user, "/user/keys", { title, key: this.publicKey });
  }

  /** Adds it to the deploy keys of a repository of the user, and answers the deploy key's id. */
  async deploy(user: TestUser, repository: string, readOnly: boolean): Promise<number> {
    return this.#register(user, `/repos/${user.name}/${repository}/keys`, {
      title: crypto.randomUUID(),
      key: this.publicKey,
      read_only: readOnly,
    });
  }

  async #register(user: TestUser, path: string, fields: object): Promise<number> {
    const { status, body } = await user.api.post<{ id: number }>(path, fields);
    if (status !== 201) {
      throw new Error(`The key could not be added: ${JSON.stringify(body)}`);
    }
    return body.id;
  }

  /** Runs ssh against a server (`ssh://user@host:port`) and answers how that ended. `options` stand before the host. */
  async run(
    server: string,
    remoteCommand: readonly string[],
    options: readonly string[] = [],
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const child = Bun.spawn([...this.command, ...options, server, ...remoteCommand], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, stdout, stderr };
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
