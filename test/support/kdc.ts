import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

const programs = ["krb5kdc", "kdb5_util", "kadmin.local", "kinit", "curl"];
const searchPath = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;

/** What is missing for a KDC and its clients; null when everything is there. */
export function missingForKerberos(): string | null {
  const missing = programs.filter((program) => Bun.which(program, { PATH: searchPath }) === null);
  if (missing.length > 0) {
    return missing.join(", ");
  }
  return Bun.spawnSync(["curl", "--version"]).stdout.toString().includes("SPNEGO") ? null : "curl with SPNEGO";
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

/** MIT Kerberos' own KDC with a realm of its own, and the service HTTP/localhost. */
export class Kdc implements AsyncDisposable {
  readonly realm = "STITHY.TEST";
  readonly directory = mkdtempSync(join(tmpdir(), "stithy-kdc-"));
  readonly keytab = join(this.directory, "http.keytab");
  readonly #environment: Record<string, string>;
  #process: Bun.Subprocess | null = null;

  private constructor() {
    this.#environment = {
      PATH: searchPath,
      KRB5_CONFIG: join(this.directory, "krb5.conf"),
      KRB5_KDC_PROFILE: join(this.directory, "kdc.conf"),
    };
  }

  static async start(): Promise<Kdc> {
    const kdc = new Kdc();
    const port = freePort();
    const { directory, realm } = kdc;
    writeFileSync(
      join(directory, "krb5.conf"),
      `[libdefaults]\n default_realm = ${realm}\n dns_lookup_kdc = false\n dns_lookup_realm = false\n rdns = false\n dns_canonicalize_hostname = false\n` +
        `[realms]\n ${realm} = {\n  kdc = 127.0.0.1:${port}\n }\n[domain_realm]\n localhost = ${realm}\n`,
    );
    writeFileSync(
      join(directory, "kdc.conf"),
      `[kdcdefaults]\n kdc_listen = 127.0.0.1:${port}\n kdc_tcp_listen = 127.0.0.1:${port}\n` +
        `[realms]\n ${realm} = {\n  database_name = ${directory}/principal\n  key_stash_file = ${directory}/stash\n }\n[logging]\n kdc = FILE:${directory}/kdc.log\n`,
    );
    try {
      kdc.#must(["kdb5_util", "create", "-s", "-P", "master", "-r", realm]);
      kdc.#must(["kadmin.local", "-q", "addprinc -randkey HTTP/localhost"]);
      kdc.#must(["kadmin.local", "-q", `ktadd -k ${kdc.keytab} HTTP/localhost`]);
      kdc.#process = Bun.spawn(["krb5kdc", "-n"], { env: kdc.#environment, stdout: "ignore", stderr: "ignore" });
      await kdc.principal("probe");
      return kdc;
    } catch (error) {
      await kdc[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Makes a principal and signs it in; answers the environment in which programs have its ticket. */
  async principal(name: string): Promise<Record<string, string>> {
    const environment = {
      ...this.#environment,
      KRB5CCNAME: `FILE:${join(this.directory, `${name.replaceAll("/", "_")}.cache`)}`,
      HOME: this.directory,
    };
    this.#must(["kadmin.local", "-q", `addprinc -pw secret ${name}`]);
    await until(
      `${name} has a ticket`,
      () => Bun.spawnSync(["kinit", name], { env: environment, stdin: Buffer.from("secret\n") }).exitCode === 0,
    );
    return environment;
  }

  /** A keytab for the same service with keys that the KDC does not know. */
  foreignKeytab(): string {
    const path = join(this.directory, "foreign.keytab");
    const input = `addent -password -p HTTP/localhost@${this.realm} -k 2 -e aes256-cts-hmac-sha1-96\nother\nwkt ${path}\n`;
    Bun.spawnSync(["ktutil"], { env: this.#environment, stdin: Buffer.from(input) });
    return path;
  }

  #must(command: string[]): void {
    const { exitCode, stderr } = Bun.spawnSync(command, { env: this.#environment });
    if (exitCode !== 0) {
      throw new Error(`${command.join(" ")} failed: ${stderr.toString()}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process?.kill();
    await this.#process?.exited;
    rmSync(this.directory, { recursive: true, force: true });
  }
}
