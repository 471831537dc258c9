import { lookAgainAtReader } from "../../domain/server/look-again.ts";
import { Forbidden } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { demandTo } from "../../domain/spine/guard.ts";
import { targetIn } from "../../domain/spine/permit.ts";
import { countNotifications } from "../../domain/work/notifications/queries.ts";
import { isCrossSite } from "../../http/cross-site.ts";
import { remoteAddressOf } from "../../http/remote-address.ts";
import { withoutTimeLimit } from "../../http/time-limit.ts";
import { ownAccount, type DeclarePage, type PageRoute, type PageSpec } from "../pages.ts";
import type { Visit } from "../visit.ts";
import type { Sight } from "./live-stream.ts";
import { LiveStreams } from "./live-streams.ts";
import { subjectsOf } from "./seen.ts";

const readsAny = { may: { on: "repository", do: "read", unit: "any" }, frameless: true } as const satisfies PageSpec;
const seesInbox = { ...ownAccount, frameless: true } as const satisfies PageSpec;

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Proxies such as nginx would keep small messages back.
  "x-accel-buffering": "no",
};

/** Where open pages hear that what they show has changed. */
export function eventPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const streams = new LiveStreams(forge);

  async function open(visit: Visit, { may }: PageSpec): Promise<Response> {
    const { request, subject, query } = visit;
    if (isCrossSite(request, forge.addresses.own.base)) {
      throw new Forbidden("Events are told to pages of this server only");
    }
    // Whatever else follows links would wait for the end.
    if (request.headers.get("accept")?.includes("text/event-stream") !== true) {
      return new Response("This is a stream of events, for Accept: text/event-stream\n", { status: 406 });
    }
    const sees = query.get("see") ?? "";
    const permit = {
      demand: demandTo(may, "read", []),
      named: { what: "page", name: visit.here },
      target: targetIn(subject),
    };
    const look = async (): Promise<Sight> => {
      const seen = await lookAgainAtReader(forge.identity.findSubject, subject, permit);
      const [subjects, unread] = await Promise.all([
        subjectsOf(forge, seen, sees),
        seen.actor === null ? 0 : countNotifications(forge.database.db, seen, { statuses: ["unread"], isLater: false }),
      ]);
      return { subjects, inbox: seen.actor === null ? null : { subject: `inbox:${seen.actor.id}`, unread } };
    };
    if (request.method === "HEAD") {
      await look();
      return new Response(null, { headers });
    }
    const since = Number(query.get("since") ?? NaN);
    const stream = await streams.open(
      { subject, address: remoteAddressOf(request), since: Number.isNaN(since) ? visit.now : since },
      look,
    );
    request.signal.addEventListener("abort", () => stream[Symbol.dispose](), { once: true });
    withoutTimeLimit(request);
    return new Response(stream.body, { headers });
  }

  return [
    page("GET", "/-/events", seesInbox, ({ visit }) => open(visit, seesInbox)),
    page("GET", "/:owner/:repo/-/events", readsAny, ({ visit }) => open(visit, readsAny)),
  ];
}
