import { expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { PullsOf } from "../../support/merges.ts";
import { useTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** Work that takes longer than the idle timeout of a connection. */

setDefaultTimeout(120_000);

const app = await useTestApp({ server: { idle_timeout_seconds: 1 } });
const alice = await app.user("alice");
const site = new PullsOf(app, alice, "alice/site");
/** Bun ends a connection up to four seconds late, and the server allows four more. */
const workMs = 14_000;

test("a client that waits for a merge is not idle", async () => {
  await app.repository(alice, "site");
  await site.write("a.txt", "a\n");
  const { number } = await site.open(await site.branch());
  const { engine } = app.forge.git;
  const write = engine.write.bind(engine);
  const spy = spyOn(engine, "write").mockImplementation(async (view, name, args, signal) => {
    const started = performance.now();
    await until("it has worked", () => performance.now() - started >= workMs);
    return write(view, name, args, signal);
  });
  const began = performance.now();
  const { status } = await site.merge(number, {});
  spy.mockRestore();
  expect([status, performance.now() - began >= workMs]).toEqual([200, true]);
  expect(await site.isMerged(number)).toBe(true);
});

test("a client that sends no more of its body is", async () => {
  const { hostname, port } = new URL(app.url);
  const closed = Promise.withResolvers<string>();
  let answer = "";
  const began = performance.now();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, bytes) => void (answer += bytes.toString()),
      close: () => closed.resolve(answer),
      error: (_, error) => closed.reject(error),
    },
  });
  socket.write(
    `POST /api/v1/user/repos HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: token ${alice.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  await closed.promise;
  expect(performance.now() - began).toBeLessThan(30_000);
});
