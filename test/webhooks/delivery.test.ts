import { createHmac } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { afterAll, describe, expect, test } from "bun:test";
import { Receiver } from "../support/receiver.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** How webhooks are told: headers, signatures, order, failures, tries, and the history of it. */

const app = await useTestApp({
  outbound: { allowed_networks: ["127.0.0.1"] },
  webhooks: { timeout_seconds: 1 },
});
const { sql } = app.forge.database;
const receiver = new Receiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const alice = await app.user("alice");

interface Delivery {
  id: number;
  guid: string;
  delivered_at: string | null;
  redelivery: boolean;
  duration: number;
  status: string;
  status_code: number;
  state: string;
  attempts: number;
  event: string;
  action: string | null;
}
interface WholeDelivery extends Delivery {
  url: string;
  request: { headers: Record<string, string>; payload: Record<string, unknown> };
  response: { headers: Record<string, string>; payload: string };
}

let made = 0;

/** A repository of its own with a hook that hears of issues. */
async function makePlace(url: string, fields: Record<string, unknown> = {}, config: Record<string, string> = {}) {
  const name = `repo-${++made}`;
  const { id: repositoryId } = await app.repository(alice, name);
  const { status, body } = await alice.api.post<{ id: number }>(`/repos/alice/${name}/hooks`, {
    type: "gitea",
    active: true,
    events: ["issues_only"],
    ...fields,
    config: { url, content_type: "json", ...config },
  });
  expect(status).toBe(201);
  const path = `/repos/alice/${name}`;
  const hookPath = `${path}/hooks/${body.id}`;
  return {
    repositoryId,
    hookId: body.id,
    path,
    hookPath,
    open: async (title: string) => {
      expect((await alice.api.post(`${path}/issues`, { title })).status).toBe(201);
    },
    deliveries: async () => (await alice.api.get<Delivery[]>(`${hookPath}/deliveries`)).body,
    /** What waits to be tried again is due now. */
    hurry: async () => {
      await sql`update hook set next_at = now() where id = ${body.id} and next_at is not null`;
      app.forge.bell.ring();
    },
  };
}

/** A server that does with each connection what it is told, once a request has come. */
async function listen(answer: (socket: Socket) => void, address = "127.0.0.1") {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, address, resolve);
  await promise;
  afterAll(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

const titlesAt = (path: string) =>
  receiver.received.filter((one) => one.path === path).map(({ body }) => (body["issue"] as { title: string }).title);

describe("a delivery", () => {
  test("is signed, and has the headers of the family and of GitHub", async () => {
    const place = await makePlace(
      receiver.url("/signed"),
      { authorization_header: "Bearer open-sesame" },
      { secret: "hush" },
    );
    await place.open("first");
    await until("it has come", () => titlesAt("/signed").length === 1);
    const got = receiver.received.find(({ path }) => path === "/signed");
    const { headers, text } = got!;
    const signature = createHmac("sha256", "hush").update(text).digest("hex");
    const guid = headers["x-gitea-delivery"];
    expect(headers).toMatchObject({
      "content-type": "application/json",
      authorization: "Bearer open-sesame",
      "x-gitea-event": "issues",
      "x-gitea-event-type": "issues",
      "x-gitea-signature": signature,
      "x-forgejo-delivery": guid,
      "x-forgejo-event": "issues",
      "x-forgejo-event-type": "issues",
      "x-forgejo-signature": signature,
      "x-gogs-delivery": guid,
      "x-gogs-event": "issues",
      "x-gogs-event-type": "issues",
      "x-gogs-signature": signature,
      "x-github-delivery": guid,
      "x-github-event": "issues",
      "x-github-event-type": "issues",
      "x-hub-signature": `sha1=${createHmac("sha1", "hush").update(text).digest("hex")}`,
      "x-hub-signature-256": `sha256=${signature}`,
    });
    await until("it is written down", async () => (await place.deliveries())[0]?.state === "delivered");
    const [listed] = await place.deliveries();
    expect(listed).toEqual({
      ...listed!,
      guid: guid!,
      redelivery: false,
      status: "OK",
      status_code: 200,
      state: "delivered",
      attempts: 1,
      event: "issues",
      action: "opened",
    });
    const { body } = await alice.api.get<WholeDelivery>(`${place.hookPath}/deliveries/${listed!.id}`);
    expect(body).toEqual({
      ...listed!,
      url: receiver.url("/signed"),
      request: { headers: body.request.headers, payload: got!.body },
      response: { headers: body.response.headers, payload: "thanks" },
    });
    expect(body.request.headers["Authorization"]).toBe("********");
    expect(body.request.headers["X-Gitea-Delivery"]).toBe(guid!);
    expect(JSON.stringify(body)).not.toMatch(/hush|sesame/);
  });

  test("is a form where that is asked for, and is unsigned without a secret", async () => {
    const place = await makePlace(receiver.url("/form"), {}, { content_type: "form" });
    await place.open("first");
    await until("it has come", () => titlesAt("/form").length === 1);
    const got = receiver.received.find(({ path }) => path === "/form");
    expect(got!.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(Object.keys(got!.headers).filter((name) => name.includes("signature") || name === "authorization")).toEqual(
      [],
    );
  });

  test("is not for a hook that is not active, that listens to something else, or that came later", async () => {
    const place = await makePlace(receiver.url("/none"), { active: false });
    await alice.api.post(`${place.path}/hooks`, {
      type: "gitea",
      active: true,
      events: ["wiki"],
      config: { url: receiver.url("/none"), content_type: "json" },
    });
    await place.open("first");
    await alice.api.post(`${place.path}/hooks`, {
      type: "gitea",
      active: true,
      events: ["issues"],
      config: { url: receiver.url("/later"), content_type: "json" },
    });
    await place.open("second");
    await until("the last one has come", () => titlesAt("/later").includes("second"));
    expect(titlesAt("/later")).toEqual(["second"]);
    expect(titlesAt("/none")).toEqual([]);
    expect(await place.deliveries()).toEqual([]);
  });
});

describe("a receiver", () => {
  test("that answers 500 has the later deliveries wait, in their order, and no other hook waits for it", async () => {
    const place = await makePlace(receiver.url("/failing"));
    await alice.api.post(`${place.path}/hooks`, {
      type: "gitea",
      active: true,
      events: ["issues"],
      config: { url: receiver.url("/well"), content_type: "json" },
    });
    receiver.answer = ({ path }) => (path === "/failing" ? new Response("no", { status: 500 }) : new Response(""));
    await place.open("first");
    await until("it was tried", async () => (await place.deliveries())[0]?.attempts === 1);
    await place.open("second");
    await place.open("third");
    await until("the other hook has heard", () => titlesAt("/well").length === 3);
    expect(titlesAt("/well")).toEqual(["first", "second", "third"]);
    expect(titlesAt("/failing")).toEqual(["first"]);
    const [third, second, first] = await place.deliveries();
    expect([first, second, third].map((one) => [one!.state, one!.attempts, one!.status, one!.status_code])).toEqual([
      ["waiting", 1, "The receiver answered 500", 500],
      ["waiting", 0, "pending", 0],
      ["waiting", 0, "pending", 0],
    ]);
    const [rest] = await sql<{ seconds: number }[]>`
      select extract(epoch from h.next_at - d.attempted_at)::float8 seconds
      from hook h join hook_delivery d on d.hook_id = h.id where d.id = ${first!.id}`;
    expect(rest!.seconds).toBeWithin(9.5, 60);
    receiver.answer = () => new Response("");
    await place.hurry();
    await until("all have come", () => titlesAt("/failing").length === 4);
    expect(titlesAt("/failing")).toEqual(["first", "first", "second", "third"]);
    await until("it is written down", async () => (await place.deliveries()).every((one) => one.state === "delivered"));
    const guids = receiver.received
      .filter(({ path }) => path === "/failing")
      .map((one) => one.headers["x-gitea-delivery"]);
    expect(new Set(guids).size).toBe(3);
    expect(guids[0]).toBe(guids[1]!);
  });

  test("that fails five times gets the next delivery, and the failed one again when somebody asks", async () => {
    const place = await makePlace(receiver.url("/dead"));
    const isFirst = (body: Record<string, unknown>) => (body["issue"] as { title: string }).title === "first";
    receiver.answer = ({ body }) => new Response("", { status: isFirst(body) ? 503 : 200 });
    await place.open("first");
    await place.open("second");
    const rests: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt++) {
      await until("it was tried", async () => (await place.deliveries()).at(-1)?.attempts === attempt);
      const [row] = await sql<{ seconds: number | null }[]>`
        select extract(epoch from next_at - now())::float8 seconds from hook where id = ${place.hookId}`;
      rests.push(row?.seconds ?? 0);
      await place.hurry();
    }
    expect(
      rests.slice(0, 4).map((seconds) => [10, 60, 600, 3600].find((one) => seconds > one - 10 && seconds <= one)),
    ).toEqual([10, 60, 600, 3600]);
    await until("the second has come", () => titlesAt("/dead").includes("second"));
    expect(titlesAt("/dead")).toEqual(["first", "first", "first", "first", "first", "second"]);
    await until("it is written down", async () => (await place.deliveries())[0]?.state === "delivered");
    const first = (await place.deliveries()).at(-1)!;
    expect([first.state, first.attempts, first.status]).toEqual(["dead", 5, "The receiver answered 503"]);

    receiver.answer = () => new Response("");
    const again = await alice.api.post(`${place.hookPath}/deliveries/${first.id}/attempts`);
    expect(again.status).toBe(202);
    await until("it has come", () => titlesAt("/dead").length === 7);
    await until("it is written down", async () => (await place.deliveries())[0]?.state === "delivered");
    const [redelivered] = await place.deliveries();
    expect([redelivered!.guid, redelivered!.redelivery, redelivered!.attempts]).toEqual([first.guid, true, 1]);
    expect(redelivered!.id).not.toBe(first.id);
  });

  for (const [what, answer, failure] of [
    ["hangs", () => {}, "The answer took longer than 1 seconds"],
    ["resets the connection", (socket) => void socket.resetAndDestroy(), "could not be reached: the connection was"],
    [
      "trickles the head of its answer",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
        const timer = setInterval(() => socket.write("a"), 20);
        socket.on("close", () => clearInterval(timer));
      },
      "The answer took longer than 1 seconds",
    ],
    [
      "redirects to a private address",
      (socket) =>
        void socket.end(
          "HTTP/1.1 307 R\r\nlocation: http://127.0.0.2/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        ),
      'The server does not call "127.0.0.2": it is not a public address; an administrator can allow its network in outbound.allowed_networks',
    ],
    [
      "redirects so that the method would change",
      (socket) =>
        void socket.end("HTTP/1.1 302 R\r\nlocation: /elsewhere\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
      "The receiver answered 302",
    ],
    ["answers what is no HTTP", (socket) => void socket.end("hello\r\n\r\n"), "could not be reached"],
  ] as [string, (socket: Socket) => void, string][]) {
    test(`that ${what} has failed, and says why`, async () => {
      const place = await makePlace(await listen(answer));
      await place.open("first");
      await until("it was tried", async () => (await place.deliveries())[0]?.attempts === 1);
      const [delivery] = await place.deliveries();
      expect([delivery!.state, delivery!.status]).toEqual(["waiting", expect.stringContaining(failure)]);
    });
  }

  test("that trickles its body for ever has said with the status what came of it", async () => {
    const place = await makePlace(
      await listen((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        const timer = setInterval(() => socket.write("1\r\na\r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      }),
    );
    await place.open("first");
    await until("it is delivered", async () => (await place.deliveries())[0]?.state === "delivered");
  });

  test("that hangs delays no other", async () => {
    // Longer than this test waits for the other one.
    await using patient = await TestApp.start({
      outbound: { allowed_networks: ["127.0.0.1"] },
      webhooks: { timeout_seconds: 300, concurrent: 8 },
    });
    const bob = await patient.user("bob");
    await patient.repository(bob, "site");
    const hanging = await listen(() => {});
    for (const url of [...Array<string>(10).fill(hanging), receiver.url("/quick")]) {
      const option = { type: "gitea", active: true, events: ["issues"], config: { url, content_type: "json" } };
      expect((await bob.api.post("/repos/bob/site/hooks", option)).status).toBe(201);
    }
    await bob.api.post("/repos/bob/site/issues", { title: "quick" });
    await until("the other has heard", () => titlesAt("/quick").length === 1);
  });

  test("that hangs, of a user with many on many hosts, delays no other user", async () => {
    await using patient = await TestApp.start({
      outbound: { allowed_networks: ["127.0.0.0/8"] },
      webhooks: { timeout_seconds: 300, concurrent: 8 },
    });
    const [bob, carol] = [await patient.user("bob"), await patient.user("carol")];
    let hang = 0;
    const hanging = await listen(() => void hang++, "0.0.0.0");
    const add = async (user: typeof bob, url: string) => {
      const option = { type: "gitea", active: true, events: ["issues"], config: { url, content_type: "json" } };
      expect((await user.api.post(`/repos/${user.name}/site/hooks`, option)).status).toBe(201);
    };
    await patient.repository(bob, "site");
    await patient.repository(carol, "site");
    for (let host = 1; host <= 20; host++) {
      await add(bob, hanging.replace("127.0.0.1", `127.0.1.${host}`));
    }
    await bob.api.post("/repos/bob/site/issues", { title: "hangs" });
    await until("as many of his hang as may", () => hang >= 4);
    await add(carol, receiver.url("/carol"));
    await carol.api.post("/repos/carol/site/issues", { title: "quick" });
    await until("the other has heard", () => titlesAt("/carol").length === 1);
  });
});

test("a hook that is switched off is not told what waited for it", async () => {
  const place = await makePlace(receiver.url("/off"));
  receiver.answer = () => new Response("", { status: 500 });
  await place.open("first");
  await until("it was tried", async () => (await place.deliveries())[0]?.attempts === 1);
  expect((await alice.api.patch(place.hookPath, { active: false })).status).toBe(200);
  expect((await place.deliveries()).map(({ state, status }) => [state, status])).toEqual([
    ["dead", "The webhook was switched off"],
  ]);
  receiver.answer = () => new Response("");
  await alice.api.patch(place.hookPath, { active: true });
  await place.open("second");
  await until("the next one has come", () => titlesAt("/off").includes("second"));
  expect(titlesAt("/off")).toEqual(["first", "second"]);
});

test("a hook that has failed for days is switched off", async () => {
  const place = await makePlace(receiver.url("/days"));
  receiver.answer = () => new Response("", { status: 500 });
  await place.open("first");
  await until("it was tried", async () => (await place.deliveries())[0]?.attempts === 1);
  await sql`update hook set failing_since = now() - interval '73 hours' where id = ${place.hookId}`;
  await place.hurry();
  await until("it is off", async () => {
    const { body } = await alice.api.get<{ active: boolean }>(place.hookPath);
    return !body.active;
  });
  expect((await place.deliveries()).map(({ state }) => state)).toEqual(["dead"]);
  receiver.answer = () => new Response("");
});

test("the history of deliveries is kept from tokens that may not read what was sent", async () => {
  const place = await makePlace(receiver.url("/history"));
  await place.open("first");
  await until("it is delivered", async () => (await place.deliveries())[0]?.state === "delivered");
  const [delivery] = await place.deliveries();
  const path = `${place.hookPath}/deliveries/${delivery!.id}`;
  const narrow = await app.scoped(alice, "write:repository");
  expect((await narrow.get(path)).status).toBe(403);
  expect((await narrow.post(`${path}/attempts`)).status).toBe(403);
  expect((await alice.api.get(`${place.hookPath}/deliveries/999999`)).status).toBe(404);
  const other = await makePlace(receiver.url("/history"));
  expect((await alice.api.get(`${other.hookPath}/deliveries/${delivery!.id}`)).status).toBe(404);
});
