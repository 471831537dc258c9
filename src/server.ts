import { Elysia } from "elysia";
import { principalOf } from "./auth/principal.ts";
import { prepareCors, unroutedAnswer } from "./api/common/http.ts";
import { apiRoutes, isApiPath } from "./api/index.ts";
import { describeError } from "./db/pg-errors.ts";
import type { Forge } from "./domain/spine/forge.ts";
import { gitHttpRoutes } from "./githttp/routes.ts";
import { calledAtOf } from "./http/called-at.ts";
import { readGitAddress } from "./http/git-address.ts";
import { addNegotiate } from "./http/negotiate-header.ts";

import { noteOrigin, remoteAddressOf } from "./http/remote-address.ts";
import { isEveryAddress } from "./lib/every-address.ts";
import { AddressList } from "./lib/address-list.ts";
import { noteWork } from "./lib/note-work.ts";
import { actAs, currentCalledAt, takeWarning } from "./lib/request-context.ts";
import { lfsRoutes } from "./lfs/routes.ts";
import type { CertificateFiles } from "./http/certificate.ts";
import { Listener, type Served } from "./http/listener.ts";
import { pathOf } from "./http/path-of.ts";
import { setTimeLimits, whileWorking } from "./http/time-limit.ts";
import type { HostKeys } from "./ssh/host-keys.ts";
import { SshServer } from "./ssh/server.ts";
import { HookDeliverer } from "./webhooks/deliverer.ts";
import { PackageReader } from "./registries/package-reader.ts";
import { registryRoutes } from "./registries/routes.ts";
import { webRoutes } from "./web/routes.ts";
import { packageWorkerUrl } from "./workers.ts";

/** A listening server. Disposing stops it: nothing new is accepted, and what runs has the grace period to finish. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  /** Where git finds repositories over SSH, without a final slash; null where there is no SSH. */
  readonly ssh: string | null;
  /** Reads the certificate and its key again. A certificate that cannot be used is logged, and the one before stays. */
  renewCertificate(): Promise<void>;
}

/** Room for pkt-lines around the largest pack, and for the other parts of a form. */
const frameBytes = 16 * 1024 * 1024;

/** Mounts every surface, and listens for HTTP and, with host keys, for SSH. */
export async function startServer(forge: Forge, hostKeys: HostKeys | null): Promise<RunningServer> {
  const { config, log } = forge;
  await using stack = new AsyncDisposableStack();
  // Only what answers a client follows the address that it called: not jobs or webhooks.
  const answering = { ...forge, addresses: forge.addresses.following(currentCalledAt) };
  const packages = new PackageReader(packageWorkerUrl);
  const answer = mountSurfaces(answering, packages);
  const ssh = hostKeys === null ? null : stack.use(await SshServer.listen(answering, hostKeys));
  const trustedProxies = new AddressList(config.server.trusted_proxies);

  const served: Served = {
    hostname: config.server.host,
    port: config.server.port,
    idleTimeout: config.server.idle_timeout_seconds,
    maxRequestBodySize:
      Math.max(
        config.git.push_limit_bytes,
        config.lfs.object_limit_bytes,
        config.attachments.file_limit_bytes,
        config.packages.file_limit_bytes,
      ) + frameBytes,
    async fetch(request, server) {
      const started = performance.now();
      noteWork();
      const id = crypto.randomUUID();
      const address = URL.parse(request.url);
      if (address === null) {
        // The Host header is part of it, and anything can stand there.
        return new Response("The address cannot be read: the Host header names no host\n", {
          status: 400,
          headers: { "x-request-id": id },
        });
      }
      readGitAddress(request);
      noteOrigin(request, server.requestIP(request)?.address ?? "unknown", trustedProxies);
      setTimeLimits(request, config.server.idle_timeout_seconds, (seconds) => server.timeout(request, seconds));
      const work = async () => {
        const answered = await whileWorking(request, () => answer(request));
        const warning = takeWarning();
        if (warning !== null) {
          answered.headers.set("x-quota-warning", warning);
        }
        return answered;
      };
      const calledAt = calledAtOf(request, address, config.server);
      const response = await actAs(principalOf(remoteAddressOf(request)), work, calledAt);
      response.headers.set("x-request-id", id);
      response.headers.set("x-content-type-options", "nosniff");
      addNegotiate(forge, request, response);
      log.debug(
        {
          id,
          address: remoteAddressOf(request),
          method: request.method,
          path: address.pathname,
          status: response.status,
          ms: Math.round((performance.now() - started) * 10) / 10,
        },
        "Request",
      );
      return response;
    },
    error(error) {
      log.error(describeError(error), "A request failed outside every route");
      return new Response("Something went wrong on the server; its log says what\n", { status: 500 });
    },
  };
  const listener = await Listener.start(served, certificateFilesOf(forge), log);
  const url = addressOf(forge, listener.port);
  forge.addresses.setBase(config.server.base_url || url);
  if (ssh !== null) {
    forge.addresses.setSsh({
      user: config.ssh.user,
      host: config.ssh.public_host,
      port: config.ssh.public_port || ssh.port,
    });
  }
  // Addresses stand in payloads.
  if (config.webhooks.enabled) {
    stack.use(new HookDeliverer(forge));
  }
  const owned = stack.move();

  return {
    url,
    ssh: forge.addresses.sshBase,
    renewCertificate: () => listener.renew({ onlyIfWritten: false }),
    async [Symbol.asyncDispose]() {
      // Streams of events have no end of their own.
      forge.live[Symbol.dispose]();
      const sshStopped = owned.disposeAsync();
      const { shutdown_grace_seconds: seconds } = config.server;
      if (!(await listener.stop(seconds * 1000))) {
        log.warn({ seconds }, "Requests still ran at the end of the grace period and were cut off");
      }
      await sshStopped;
      packages[Symbol.dispose]();
    },
  };
}

/** Every surface on one Elysia, as one function from request to response. */
function mountSurfaces(forge: Forge, packages: PackageReader): (request: Request) => Promise<Response> {
  const api = apiRoutes(forge);
  const unrouted = unroutedAnswer(forge, api);
  const withCors = prepareCors(forge);
  // Elysia looks for the path from a fixed place in the address: behind "http://", or further on, behind "https://" and a
  // short host. The wrong one takes a host of three letters, or a slash of "https://", for a part of the path.
  const handler = { standardHostname: forge.config.server.tls_certificate_file !== "" };
  // Behind the others, because `/{owner}/{repository}` takes every address.
  const pages = new Elysia({ handler }).use(webRoutes(forge));
  const app = new Elysia({ handler })
    .use(api)
    .use(gitHttpRoutes(forge))
    .use(lfsRoutes(forge))
    .use(registryRoutes(forge, packages))
    .onError({ as: "global" }, ({ code, request, error }) => {
      if (code !== "NOT_FOUND") {
        throw error;
      }
      return isApiPath(pathOf(request.url)) ? unrouted(request) : pages.handle(request);
    });
  return async (request) => {
    const response = await app.handle(request);
    return isApiPath(pathOf(request.url)) ? withCors(request, response) : response;
  };
}

function certificateFilesOf({ config }: Forge): CertificateFiles | null {
  const { tls_certificate_file: certificate, tls_key_file: key } = config.server;
  return certificate === "" ? null : { certificate, key };
}

/** Where the server can be reached from this machine. */
function addressOf({ config }: Forge, port: number): string {
  const scheme = config.server.tls_certificate_file === "" ? "http" : "https";
  const { host } = config.server;
  const name = host === "::" ? "[::1]" : isEveryAddress(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `${scheme}://${name}:${port}`;
}
