import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fullNumber, testSeed } from "../support/full-number.ts";
import { untilWorked } from "../support/process-work.ts";
import { randomFrom } from "../support/random.ts";
import { Receiver } from "../support/receiver.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/**
 * kill -9 of the server, and half the time of its database, while issues are opened and two webhooks are told of them. What was answered is
 * told at least once, in order, and always with the same id. Each run has moments of its own, and says of which seed they came.
 */

const rounds = fullNumber("STITHY_HOOK_KILLS");
setDefaultTimeout(120_000 + rounds * 60_000);

const seed = testSeed();
const random = randomFrom(seed);
const directory = new OpenDirectory();
const receiver = new Receiver();
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

const openersAtOnce = 4;
/** So long the server works before it is killed, at the most. */
const mostMs = 1500;
const paths = ["/one", "/two"];
const settings = { STITHY_OUTBOUND__ALLOWED_NETWORKS: "127.0.0.1" };

interface Told {
  id: string;
  number: number;
}

/** What came to a path, in the order in which it came. */
function toldTo(path: string): Told[] {
  return receiver.received
    .filter((one) => one.path === path)
    .map(({ headers, body }) => ({
      id: headers["x-gitea-delivery"] ?? "",
      number: (body["issue"] as { number: number }).number,
    }));
}

/** Opens issues one after the other until the server does not answer. */
async function openIssues(server: ServerProcess, round: number, answered: Set<number>): Promise<void> {
  for (let index = 0; ; index++) {
    const made = await server.api
      .post<{ number: number }>("/repos/root/site/issues", { title: `round ${round}, ${index}` })
      .catch(() => null);
    if (made?.status !== 201) {
      return;
    }
    answered.add(made.body.number);
  }
}

async function numbersOfIssues(server: ServerProcess): Promise<number[]> {
  const numbers: number[] = [];
  for (let page = 1; ; page++) {
    const { body } = await server.api.get<{ number: number }[]>(
      `/repos/root/site/issues?state=all&limit=50&page=${page}`,
    );
    numbers.push(...body.map(({ number }) => number));
    if (body.length === 0) {
      return numbers.toSorted((one, other) => one - other);
    }
  }
}

test(`${rounds} times deliveries are cut off by kill -9: each event is told at least once, in order, with one id`, async () => {
  console.log(`The moments are those of the seed ${seed}`);
  let server = await ServerProcess.start(directory.path, settings);
  // Each takes as long as a few requests of its own, so that deliveries are under way when the server is killed.
  receiver.answer = async () => {
    for (let left = random.below(4); left > 0; left--) {
      await server.health().catch(() => {});
    }
    return new Response("");
  };
  await server.repository("site");
  for (const path of paths) {
    const option = {
      type: "gitea",
      active: true,
      events: ["issues_only"],
      config: { url: receiver.url(path), content_type: "json" },
    };
    expect((await server.api.post("/repos/root/site/hooks", option)).status).toBe(201);
  }
  const answered = new Set<number>();
  for (let round = 1; round <= rounds; round++) {
    const opening = Array.from({ length: openersAtOnce }, () => openIssues(server, round, answered));
    await untilWorked(server.process.pid, random.below(mostMs));
    server.process.kill("SIGKILL");
    if (random.below(2) === 0) {
      const [pid = ""] = readFileSync(directory.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
      process.kill(Number(pid), "SIGKILL");
    }
    await Promise.all([...opening, server.process.ended()]);
    server = await ServerProcess.start(directory.path, settings);
  }
  const numbers = await numbersOfIssues(server);
  expect(numbers).toEqual(expect.arrayContaining([...answered]));
  for (const path of paths) {
    await until(
      `${path} has heard of all`,
      () => new Set(toldTo(path).map(({ number }) => number)).size === numbers.length,
    );
    const told = toldTo(path);
    const ids = new Map<number, string>();
    told.forEach(({ id, number }) => ids.set(number, ids.get(number) ?? id));
    // A map has its keys in the order in which they came first.
    expect([...ids.keys()]).toEqual(numbers);
    expect(told.filter(({ id, number }) => ids.get(number) !== id)).toEqual([]);
    expect(new Set(ids.values()).size).toBe(numbers.length);
    console.log(`${path} heard of ${numbers.length} issues, of ${told.length - numbers.length} of them again`);
  }
  await server[Symbol.asyncDispose]();
});
