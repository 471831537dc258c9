import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { protocolVersion } from "../../src/git/transport/advertise.ts";
import { serveReceivePack } from "../../src/git/transport/serve-receive-pack.ts";
import { serveUploadPack } from "../../src/git/transport/serve-upload-pack.ts";
import { ProtocolError } from "../../src/git/wire/protocol-error.ts";
import type { TransportServer } from "./transport-server.ts";

/** Serves a repository over connections on which both sides take turns, as SSH does: git reaches it through duplex-relay. */
export class DuplexServer implements AsyncDisposable {
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(socket));
  /** how each conversation ended: null, or what was wrong */
  readonly ends: (string | null)[] = [];

  private constructor(private readonly repository: TransportServer) {}

  static async start(repository: TransportServer): Promise<DuplexServer> {
    const server = new DuplexServer(repository);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Git's configuration that leads `relay@<port>:repository` here. */
  get options(): string[] {
    return [
      "-c",
      "ssh.variant=ssh",
      "-c",
      `core.sshCommand=${process.execPath} ${join(import.meta.dir, "duplex-relay.ts")}`,
    ];
  }

  get url(): string {
    return `${this.port}:repository`;
  }

  async #serve(socket: Socket): Promise<void> {
    socket.on("error", () => {});
    const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let head = Buffer.alloc(0);
    while (!head.includes(10)) {
      const { value, done } = await chunks.next();
      if (done === true) {
        return;
      }
      head = Buffer.concat([head, value]);
    }
    const line = head.indexOf(10);
    const [service, protocol] = head.toString("latin1", 0, line).split(" ");
    const input = withFirst(head.subarray(line + 1), chunks);
    const version = protocolVersion(protocol ?? null);
    const output =
      service === "git-upload-pack"
        ? serveUploadPack(input, await this.repository.source(), version)
        : serveReceivePack(input, this.repository.target(), version);
    let end: string | null = null;
    try {
      for await (const chunk of output) {
        if (!socket.write(chunk)) {
          await once(socket, "drain");
        }
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) {
        console.error(error);
      }
      end = (error as Error).message;
    }
    this.ends.push(end);
    socket.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
  }
}

async function* withFirst(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) {
    yield first;
  }
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    yield next.value;
  }
}
