import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { fullNumber, testSeed } from "../../support/full-number.ts";
import { untilWorked } from "../../support/process-work.ts";
import { randomFrom } from "../../support/random.ts";
import { ServerProcess } from "../../support/server-process.ts";
import { OpenDirectory } from "../../support/stithy.ts";
import { until } from "../../support/until.ts";
import { smallDeb } from "./deb.ts";
import { readDistribution } from "./read-distribution.ts";
import { DebianRegistry } from "./registry.ts";

/**
 * kill -9 of the server while packages are uploaded to one distribution: between the commit of a package and its index, too. What was answered is in
 * the index, and so is every package that is there at all, without another upload. Each run has moments of its own, and says of which seed they came.
 */

const rounds = fullNumber("STITHY_PACKAGE_KILLS");
setDefaultTimeout(120_000 + rounds * 60_000);

const seed = testSeed();
const random = randomFrom(seed);
const directory = new OpenDirectory();
afterAll(() => directory[Symbol.dispose]());

const uploadersAtOnce = 4;
/** So long the server works before it is killed, at the most. */
const mostMs = 1000;
const root = { name: "root", token: "correct horse battery staple" };

/** Uploads packages one after the other until the server does not answer. */
async function upload(registry: DebianRegistry, name: string, answered: Set<string>): Promise<void> {
  for (let version = 1; ; version++) {
    const answer = await registry.put(smallDeb(name, `${version}`)).catch(() => null);
    if (answer?.status !== 201) {
      return;
    }
    answered.add(`pool/stable/main/${name}_${version}_all.deb`);
  }
}

async function stored(server: ServerProcess): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = await server.api.get<{ name: string; version: string }[]>(`/packages/root?limit=50&page=${page}`);
    names.push(...body.map(({ name, version }) => `pool/stable/main/${name}_${version}_all.deb`));
    if (body.length === 0) {
      return names.sort();
    }
  }
}

test(`${rounds} times uploads are cut off by kill -9: the index has every package that is there`, async () => {
  console.log(`The moments are those of the seed ${seed}`);
  const answered = new Set<string>();
  let server = await ServerProcess.start(directory.path);
  let late = 0;
  for (let round = 1; round <= rounds; round++) {
    const registry = new DebianRegistry(server, root);
    const uploading = Array.from({ length: uploadersAtOnce }, (_, one) =>
      upload(registry, `round${round}-${one}`, answered),
    );
    await untilWorked(server.process.pid, random.below(mostMs));
    server.process.kill("SIGKILL");
    await Promise.all([...uploading, server.process.ended()]);
    server = await ServerProcess.start(directory.path);
    const after = new DebianRegistry(server, root);
    const wanted = await stored(server);
    expect(wanted).toEqual(expect.arrayContaining([...answered]));
    const same = async () => Bun.deepEquals(await readDistribution(after, "stable"), wanted);
    late += (await same()) ? 0 : 1;
    await until("the index has all packages", same);
  }
  console.log(`${answered.size} packages were answered; ${late} times the index was behind after the start`);
  expect(answered.size).toBeGreaterThan(0);
  await server[Symbol.asyncDispose]();
});
