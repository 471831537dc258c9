import { ApiClient } from "./client.ts";
import { mustGit } from "./git.ts";
import { StithyProcess } from "./stithy.ts";

const administrator = { name: "root", password: "correct horse battery staple" };

/** `serve` on a data directory and a free port, in a process of its own that a test may kill; its user is the administrator. */
export class ServerProcess implements AsyncDisposable {
  private constructor(
    readonly process: StithyProcess,
    /** Without a final slash. */
    readonly url: string,
    /** The same of SSH. */
    readonly ssh: string,
  ) {}

  /** Starts it and waits until it listens. `settings` are environment variables. Throws with its log when it ends instead. */
  static async start(dataDirectory: string, settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const env = {
      STITHY_ADMIN_USER: administrator.name,
      STITHY_ADMIN_PASSWORD: administrator.password,
      STITHY_SERVER__SHUTDOWN_GRACE_SECONDS: "2",
      ...settings,
    };
    const started = new StithyProcess(["serve", "--data", dataDirectory, "--port", "0"], { env });
    const { url, ssh } = await started.logged("Listening");
    return new ServerProcess(started, String(url), String(ssh));
  }

  /** The administrator. */
  get api(): ApiClient {
    return new ApiClient(this.url, {
      authorization: `Basic ${Buffer.from(`${administrator.name}:${administrator.password}`).toString("base64")}`,
    });
  }

  /** Where git finds a repository of the administrator; their password is in it. `base` replaces the server's own address. */
  repositoryUrl(name: string, base = this.url): string {
    return `${base.replace("://", `://${administrator.name}:${encodeURIComponent(administrator.password)}@`)}/${administrator.name}/${name}.git`;
  }

  /** The same over SSH, for a key of the administrator. */
  sshRepositoryUrl(name: string, base = this.ssh): string {
    return `${base}/${administrator.name}/${name}.git`;
  }

  /** Makes an empty repository and answers its address for git. */
  async repository(name: string): Promise<string> {
    const { status, body } = await this.api.post("/user/repos", { name, default_branch: "main" });
    if (status !== 201) {
      throw new Error(`The repository could not be made: ${JSON.stringify(body)}`);
    }
    return this.repositoryUrl(name);
  }

  /** The status of `/api/healthz`. */
  async health(): Promise<number> {
    return (await fetch(`${this.url}/api/healthz`)).status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/** Clones everything of a repository, checks every object as git does, and answers its refs, "oid name" a line. */
export async function checkedRefs(url: string, directory: string): Promise<string[]> {
  await mustGit("/", ["clone", "-q", "--mirror", url, directory]);
  await mustGit(directory, ["fsck", "--full", "--strict"]);
  const refs = await mustGit(directory, ["for-each-ref", "--format=%(objectname) %(refname)"]);
  return refs === "" ? [] : refs.split("\n");
}
