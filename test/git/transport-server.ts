import { readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkConnectivity } from "../../src/git/graph/check-connectivity.ts";
import { isFastForward } from "../../src/git/graph/reachability.ts";
import { RepositoryReader } from "../../src/git/graph/repository-reader.ts";
import { type ObjectFormat, sha1 } from "../../src/git/objects/object-format.ts";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { indexPack } from "../../src/git/pack/index-pack.ts";
import { advertiseCommands, advertiseRefs, protocolVersion, type Service, smartHttpPreamble } from "../../src/git/transport/advertise.ts";
import { defaultFetchLimits } from "../../src/git/transport/fetch-request.ts";
import { fetchPack } from "../../src/git/transport/fetch-pack.ts";
import { writeRefs } from "../../src/git/transport/ls-refs.ts";
import { parseCommand } from "../../src/git/transport/parse-command.ts";
import { parseFetchRequestV0 } from "../../src/git/transport/parse-fetch-request.ts";
import { writePushMessage, writePushReport } from "../../src/git/transport/push-report.ts";
import { parsePushCommands, type PushCommand, type PushLimits } from "../../src/git/transport/push-request.ts";
import { resolveFetch } from "../../src/git/transport/resolve-fetch.ts";
import { spoolPack } from "../../src/git/transport/spool-pack.ts";
import { isRefName } from "../../src/git/refs/ref-name.ts";
import type { Ref } from "../../src/git/refs/ref.ts";
import { PacketReader } from "../../src/git/wire/packet-reader.ts";
import { errorPacket } from "../../src/git/wire/pkt-line.ts";
import { ProtocolError } from "../../src/git/wire/protocol-error.ts";

const agent = "stithy/test";
const pushLimits: PushLimits = { commands: 1000, commandBytes: 1 << 20, pushOptions: 64, lineBytes: 8192, packBytes: 1 << 28, seconds: 60 };

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
  };
  const child = Bun.spawn(["git", ...args], { cwd, env: environment, stdout: "pipe", stderr: "pipe", stdin: "ignore" });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) {
    throw new Error(`git ${args.join(" ")}: ${errors}${output}`);
  }
  return output;
}

/** Serves one bare repository with the engine's own functions, in this process: what the surfaces and workers do, in small. */
export class TransportServer implements AsyncDisposable {
  readonly #server;
  readonly #caches = new EngineCaches(64 * 1024 * 1024);
  /** bytes of packs and framing sent since the last look */
  sent = 0;
  /** bodies of requests, for those who want to see what git asked */
  readonly requests: string[] = [];
  #pushes = 0;

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
    const paths = readdirSync(folder).filter((name) => name.endsWith(".pack") && !name.startsWith("tmp")).map((name) => join(folder, name));
    paths.sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs || (left < right ? -1 : 1));
    return new RepositoryReader(ObjectDatabase.open(this.format, paths, this.#caches), true);
  }

  async refs(): Promise<{ refs: Ref[]; head: string }> {
    const list = await git(this.repository, "for-each-ref", "--format=%(refname) %(objectname) %(*objectname)");
    const refs = list.split("\n").filter((line) => line !== "").map((line) => {
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

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const version = protocolVersion(request.headers.get("git-protocol"));
    let type = "text/plain";
    try {
      if (url.pathname.endsWith("/info/refs")) {
        const service = url.searchParams.get("service") as Service;
        return this.#stream(await this.#advertise(service, version), `application/x-${service}-advertisement`);
      }
      const plain = new Uint8Array(await request.arrayBuffer());
      const body = request.headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(plain) : plain;
      this.requests.push(Buffer.from(body.subarray(0, 100_000)).toString("latin1"));
      const upload = url.pathname.endsWith("/git-upload-pack");
      type = `application/x-git-${upload ? "upload" : "receive"}-pack-result`;
      return this.#stream(upload ? await this.#uploadPack(body, version) : [await this.#receivePack(body)], type);
    } catch (error) {
      if (error instanceof ProtocolError) {
        return new Response(errorPacket(error.message) as Uint8Array<ArrayBuffer>, { headers: { "content-type": type } });
      }
      console.error(error);
      return new Response(String(error), { status: 500 });
    }
  }

  #stream(chunks: Iterable<Uint8Array | undefined>, type: string): Response {
    const iterator = chunks[Symbol.iterator]();
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      let next = iterator.next();
      while (next.done !== true && next.value === undefined) {
        next = iterator.next();
      }
      if (next.done === true) {
        controller.close();
      } else {
        this.sent += next.value?.length ?? 0;
        controller.enqueue(next.value);
      }
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: { "content-type": type } });
  }

  async #advertise(service: Service, version: 0 | 1 | 2): Promise<Iterable<Uint8Array>> {
    const { refs, head } = await this.refs();
    if (version === 2 && service === "git-upload-pack") {
      return [advertiseCommands(this.format, agent)];
    }
    const advertisement = advertiseRefs({ version: version === 2 ? 0 : version, service, format: this.format, refs, head, agent });
    return [smartHttpPreamble(service), ...advertisement];
  }

  async #uploadPack(body: Uint8Array, version: 0 | 1 | 2): Promise<Iterable<Uint8Array | undefined>> {
    const { refs, head } = await this.refs();
    const reader = new PacketReader(pieces(body), { totalBytes: 1 << 20 });
    if (version === 2) {
      const command = await parseCommand(reader, this.format, defaultFetchLimits);
      if (command === null) {
        return [];
      }
      return command.command === "ls-refs" ? writeRefs(command.request, refs, head) : this.#fetch(resolveFetch(command.request, refs));
    }
    const request = await parseFetchRequestV0(reader, this.format, defaultFetchLimits);
    return request === null ? [] : this.#fetch(resolveFetch(request, refs));
  }

  *#fetch(fetch: ReturnType<typeof resolveFetch>): Generator<Uint8Array | undefined> {
    using reader = this.openReader();
    yield* fetchPack(reader, structuredClone(fetch));
  }

  async #receivePack(body: Uint8Array): Promise<Uint8Array> {
    const push = await parsePushCommands(pieces(body), this.format, pushLimits);
    if (push.commands.length === 0) {
      return new Uint8Array(0);
    }
    const { refs } = await this.refs();
    const folder = join(this.repository, "objects/pack");
    const path = join(folder, `tmp-${++this.#pushes}.pack`);
    const creates = push.commands.some((command) => command.newOid !== null);
    let unpackError: string | null = null;
    if (creates) {
      await spoolPack(push.rest, path, pushLimits);
      try {
        this.#index(path, push.commands, refs);
      } catch (error) {
        unpackError = (error as Error).message;
      }
    }
    const results: { name: string; error: string | null }[] = [];
    for (const command of push.commands) {
      results.push({ name: command.name, error: unpackError === null ? await this.#update(command, refs) : "unpacker error" });
    }
    const message = push.pushOptions.length > 0 ? `options: ${push.pushOptions.join(",")}` : "Received";
    return Buffer.concat([writePushMessage(message, push.capabilities), writePushReport({ unpackError, refs: results }, push.capabilities)]);
  }

  #index(path: string, commands: readonly PushCommand[], refs: readonly Ref[]): void {
    const folder = join(this.repository, "objects/pack");
    {
      using bases = this.openReader();
      const limits = { objectBytes: 1 << 28, totalInflatedBytes: 1 << 30, inflationRatio: 1000, deltaDepth: 4096, objectCount: 1 << 20 };
      const indexed = indexPack({ format: this.format, path, bases: bases.db, limits, check: "strict" });
      if (indexed.objectCount > 0) {
        const name = join(folder, `pack-${indexed.checksum}`);
        renameSync(indexed.indexPath, `${name}.idx`);
        renameSync(indexed.packPath, `${name}.pack`);
      }
    }
    using reader = this.openReader();
    const tips = commands.flatMap((command) => command.newOid ?? []);
    const steps = checkConnectivity(reader, tips, refs.map((ref) => ref.oid));
    let step = steps.next();
    while (step.done !== true) {
      step = steps.next();
    }
    for (const [index, { type, oid }] of step.value.entries()) {
      if (commands[index]?.name.startsWith("refs/heads/") === true && type !== ObjectType.commit) {
        throw new Error(`${oid} is not a commit`);
      }
    }
  }

  /** Refuses what is not a fast-forward of `refs/heads/protected`. */
  async #update(command: PushCommand, refs: readonly Ref[]): Promise<string | null> {
    if (!isRefName(command.name)) {
      return "funny refname";
    }
    const old = refs.find((ref) => ref.name === command.name);
    if ((old?.oid ?? null) !== command.oldOid) {
      return "fetch first";
    }
    if (command.newOid === null) {
      await git(this.repository, "update-ref", "-d", command.name);
      return null;
    }
    if (command.oldOid !== null && command.name === "refs/heads/protected") {
      using reader = this.openReader();
      if (!isFastForward(reader.graph, reader.db.findHex(command.oldOid), reader.db.findHex(command.newOid))) {
        return "non-fast-forward";
      }
    }
    await git(this.repository, "update-ref", command.name, command.newOid);
    return null;
  }
}

/** A body in pieces that cut through packets. */
async function* pieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 1021) {
    yield body.subarray(at, at + 1021);
  }
}
