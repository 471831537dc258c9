import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { Client, type ClientChannel } from "ssh2";
import type { SshKeyPair } from "../support/ssh.ts";

/** A client that does what git would not: it stops reading, or leaves in the middle. */
export class RawClient implements Disposable {
  private constructor(
    readonly client: Client,
    readonly socket: Socket,
  ) {}

  static async connect(server: string, key: SshKeyPair): Promise<RawClient> {
    const { hostname, port, username } = new URL(server);
    const socket = connect(Number(port), hostname);
    const client = new Client();
    await new Promise<void>((resolve, reject) => {
      client.once("ready", resolve).once("error", reject);
      client.connect({ sock: socket, username, privateKey: readFileSync(key.path) });
    });
    client.on("error", () => {});
    return new RawClient(client, socket);
  }

  exec(command: string, protocol: string | null = null): Promise<ClientChannel> {
    return new Promise((resolve, reject) => {
      const options = protocol === null ? {} : { env: { GIT_PROTOCOL: protocol } };
      this.client.exec(command, options, (error, channel) => (error === undefined ? resolve(channel) : reject(error)));
    });
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

/** A line as git sends it. */
export function packet(text: string): string {
  return `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
}

/** A fetch of one commit with all that it reaches, in protocol 2. */
export function fetchOf(oid: string): string {
  return `${packet("command=fetch\n")}0001${packet(`want ${oid}\n`)}${packet("done\n")}0000`;
}

/** What a server says to somebody who says nothing, until it closes the connection. */
export function listenTo(server: string, say = ""): { socket: Socket; said: Promise<string> } {
  const { hostname, port } = new URL(server);
  const socket = connect(Number(port), hostname);
  const said = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
  socket.write(say);
  return { socket, said };
}
