import { readdirSync, renameSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkConnectivity } from "../../src/git/graph/check-connectivity.ts";
import { isFastForward } from "../../src/git/graph/reachability.ts";
import { RepositoryReader } from "../../src/git/graph/repository-reader.ts";
import { type ObjectFormat, sha1 } from "../../src/git/objects/object-format.ts";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { indexPack } from "../../src/git/index-pack/index-pack.ts";
import { isRefName } from "../../src/git/refs/ref-name.ts";
import type { Ref } from "../../src/git/refs/ref.ts";
import {
  advertiseCommands,
  advertiseRefs,
  protocolVersion,
  type Service,
  smartHttpPreamble,
} from "../../src/git/transport/advertise.ts";
import { fetchPack } from "../../src/git/transport/fetch-pack.ts";
import type { FetchSource } from "../../src/git/transport/fetch-source.ts";
import { negotiateRound } from "../../src/git/transport/negotiate.ts";
import { objectSizes } from "../../src/git/transport/object-info.ts";
import type { PushReport } from "../../src/git/transport/push-report.ts";
import { defaultPushLimits, type PushCommand } from "../../src/git/transport/push-request.ts";
import type { PushTarget, ReceivedPush } from "../../src/git/transport/push-target.ts";
import { receivePush } from "../../src/git/transport/serve-receive-pack.ts";
import type { ClientDescription } from "../../src/git/wire/capabilities.ts";
import { errorPacket } from "../../src/git/wire/pkt-line.ts";
import { ProtocolError } from "../../src/git/wire/protocol-error.ts";
import { uploadPack } from "../../src/githttp/upload-pack.ts";
import { withoutMaintenance } from "../support/git.ts";

const agent = "stithy/test";
const sessionId = "session";
/** Runs git and returns its output; throws with what it printed when it fails. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const environment = {
    PATH: process.env["PATH"],
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "C",
    GIT_COMMITTER_EMAIL: "c@example.org",
    ...withoutMaintenance,
  };
  const child = Bun.spawn(["git", ...args], { cwd, env: environment, stdout: "pipe", stderr: "pipe", stdin: "ignore" });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) {
    throw new Error(`git ${args.join(" ")}: ${errors}${output}`);
  }
  return output;
}

/** Serves one bare repository over HTTP with the engine's own functions, in this process: what the surfaces and workers do, in small. */
export class TransportServer implements AsyncDisposable {
  readonly #server;
  readonly #caches = new EngineCaches(64 * 1024 * 1024);
  /** bytes of packs and framing sent since the last look */
  sent = 0;
  /** bodies of requests, for those who want to see what git asked */
  readonly requests: string[] = [];
  /** everything that was said, in the order of the requests */
  readonly exchanges: { path: string; protocol: string; request: Buffer; answer: Buffer }[] = [];
  /** what clients said of themselves */
  readonly clients: ClientDescription[] = [];
  /** options of pushes */
  readonly pushOptions: string[] = [];

  constructor(
    readonly repository: string,
    readonly format: ObjectFormat = sha1,
  ) {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => this.#answer(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/repository.git`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
    this.#caches[Symbol.dispose]();
  }

  openReader(): RepositoryReader {
    const folder = join(this.repository, "objects/pack");
    const paths = readdirSync(folder)
      .filter((name) => name.endsWith(".pack") && !name.startsWith("push-"))
      .map((name) => join(folder, name));
    paths.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs || (left < right ? -1 : 1));
    return new RepositoryReader(ObjectDatabase.open(this.format, paths, this.#caches), true);
  }

  async refs(): Promise<{ refs: Ref[]; head: string }> {
    const list = await git(this.repository, "for-each-ref", "--format=%(refname) %(objectname) %(*objectname)");
    const refs = list
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [name = "", oid = "", peeled = ""] = line.split(" ");
        return { name, oid, peeled: peeled === "" ? null : peeled };
      });
    // git peels one step here; a tag of a tag needs all of them.
    for (const ref of refs) {
      if (ref.peeled !== null) {
        ref.peeled = (await git(this.repository, "rev-parse", `${ref.name}^{}`)).trim();
      }
    }
    return { refs, head: (await git(this.repository, "symbolic-ref", "HEAD")).trim() };
  }

  async source(): Promise<FetchSource> {
    const { head } = await this.refs();
    const openReader = this.openReader.bind(this);
    return {
      format: this.format,
      head,
      agent,
      sessionId,
      noteClient: (client) => void this.clients.push(client),
      listRefs: async () => (await this.refs()).refs,
      async *fetchPack(fetch) {
        using reader = openReader();
        for (const chunk of fetchPack(reader, structuredClone(fetch), () => 65_536)) {
          if (chunk !== undefined) {
            yield chunk;
          }
        }
      },
      objectSizes: async (request) => {
        using reader = this.openReader();
        return run(objectSizes(reader, request));
      },
      negotiate: async (round) => {
        using reader = this.openReader();
        return run(negotiateRound(reader, structuredClone(round)));
      },
    };
  }

  target(): PushTarget {
    return {
      format: this.format,
      agent,
      sessionId,
      limits: defaultPushLimits,
      temporaryDirectory: join(this.repository, "objects/pack"),
      noteClient: (client) => void this.clients.push(client),
      listRefs: async () => (await this.refs()).refs,
      take: (push, tell) => {
        tell("Received\n");
        return this.#take(push);
      },
    };
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const version = protocolVersion(request.headers.get("git-protocol"));
    let type = "text/plain";
    try {
      if (url.pathname.endsWith("/info/refs")) {
        const service = url.searchParams.get("service") as Service;
        const advertisement = Buffer.concat(await this.#advertise(service, version));
        this.#note(request, Buffer.alloc(0)).answer = advertisement;
        return new Response(advertisement, { headers: { "content-type": `application/x-${service}-advertisement` } });
      }
      const plain = new Uint8Array(await request.arrayBuffer());
      const body = request.headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(plain) : plain;
      const exchange = this.#note(request, Buffer.from(body));
      this.requests.push(Buffer.from(body.subarray(0, 100_000)).toString("latin1"));
      const upload = url.pathname.endsWith("/git-upload-pack");
      type = `application/x-git-${upload ? "upload" : "receive"}-pack-result`;
      const answer = upload
        ? await uploadPack(await this.source(), pieces(body), version)
        : await receivePush(pieces(body), this.target());
      return new Response(answer === null ? "" : this.#counted(answer, exchange), {
        headers: { "content-type": type },
      });
    } catch (error) {
      if (error instanceof ProtocolError) {
        return new Response(errorPacket(error.message) as Uint8Array<ArrayBuffer>, {
          headers: { "content-type": type },
        });
      }
      console.error(error);
      return new Response(String(error), { status: 500 });
    }
  }

  #note(request: Request, body: Buffer): { answer: Buffer } {
    const { pathname, search } = new URL(request.url);
    const exchange = {
      path: pathname.replace(/^\/[^/]*\//, "") + search,
      protocol: request.headers.get("git-protocol") ?? "",
      request: body,
      answer: Buffer.alloc(0),
    };
    this.exchanges.push(exchange);
    return exchange;
  }

  #counted(chunks: AsyncGenerator<Uint8Array>, exchange: { answer: Buffer }): ReadableStream<Uint8Array> {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { value, done } = await chunks.next();
      if (done === true) {
        controller.close();
      } else {
        this.sent += value.length;
        exchange.answer = Buffer.concat([exchange.answer, value]);
        controller.enqueue(value);
      }
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  async #advertise(service: Service, version: 0 | 1 | 2): Promise<Uint8Array[]> {
    const { refs, head } = await this.refs();
    if (version === 2 && service === "git-upload-pack") {
      return [advertiseCommands({ format: this.format, agent, sessionId })];
    }
    const advertisement = advertiseRefs({
      version: version === 2 ? 0 : version,
      service,
      format: this.format,
      refs,
      head,
      agent,
      sessionId,
    });
    return [smartHttpPreamble(service), ...advertisement];
  }

  async #take({ commands, packPath, pushOptions, atomic }: ReceivedPush): Promise<PushReport> {
    this.pushOptions.push(...pushOptions);
    const { refs } = await this.refs();
    let unpackError: string | null = null;
    if (packPath !== null) {
      try {
        this.#index(packPath, commands, refs);
      } catch (error) {
        unpackError = (error as Error).message;
      }
      await rm(packPath, { force: true });
    }
    const refusals = commands.map((command) =>
      unpackError === null ? this.#refusal(command, refs) : "unpacker error",
    );
    const failed = atomic && refusals.some((refusal) => refusal !== null);
    for (const [index, { name, newOid }] of commands.entries()) {
      if (refusals[index] === null && !failed) {
        await git(this.repository, "update-ref", ...(newOid === null ? ["-d", name] : [name, newOid]));
      }
    }
    return {
      unpackError,
      refs: commands.map(({ name }, index) => ({
        name,
        error: refusals[index] ?? (failed ? "atomic push failed" : null),
      })),
    };
  }

  #index(path: string, commands: readonly PushCommand[], refs: readonly Ref[]): void {
    const folder = join(this.repository, "objects/pack");
    {
      using bases = this.openReader();
      const limits = {
        objectBytes: 1 << 28,
        totalInflatedBytes: 1 << 30,
        inflationRatio: 1000,
        deltaDepth: 4096,
        objectCount: 1 << 20,
      };
      const indexed = indexPack({ format: this.format, path, bases: bases.db, limits, check: "strict" });
      if (indexed.objectCount > 0) {
        const name = join(folder, `pack-${indexed.checksum}`);
        renameSync(indexed.indexPath, `${name}.idx`);
        renameSync(indexed.packPath, `${name}.pack`);
      }
    }
    using reader = this.openReader();
    const tips = commands.flatMap((command) => command.newOid ?? []);
    const checked = run(
      checkConnectivity(
        reader,
        tips,
        refs.map((ref) => ref.oid),
      ),
    );
    for (const [index, { type, oid }] of checked.entries()) {
      if (commands[index]?.name.startsWith("refs/heads/") === true && type !== ObjectType.commit) {
        throw new Error(`${oid} is not a commit`);
      }
    }
  }

  /** Refuses what is not a fast-forward of `refs/heads/protected`. */
  #refusal(command: PushCommand, refs: readonly Ref[]): string | null {
    if (!isRefName(command.name)) {
      return "funny refname";
    }
    const old = refs.find((ref) => ref.name === command.name);
    if ((old?.oid ?? null) !== command.oldOid) {
      return "fetch first";
    }
    if (command.newOid !== null && command.oldOid !== null && command.name === "refs/heads/protected") {
      using reader = this.openReader();
      if (!isFastForward(reader.graph, reader.db.findHex(command.oldOid), reader.db.findHex(command.newOid))) {
        return "non-fast-forward";
      }
    }
    return null;
  }
}

/** What a generator comes to. */
export function run<Result>(steps: Generator<unknown, Result>): Result {
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

/** A body in pieces that cut through packets. */
async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 1021) {
    yield body.subarray(at, at + 1021);
  }
}
