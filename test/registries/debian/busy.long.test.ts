import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";
import { missingPrograms } from "../shared/run-program.ts";
import { Apt } from "./apt.ts";
import { smallDeb } from "./deb.ts";
import { readDistribution } from "./read-distribution.ts";
import { DebianRegistry } from "./registry.ts";

/** Many upload to one distribution while clients read it. No client sees two generations mixed, and nothing is lost. */

const isMissing = missingPrograms("Debian's client beside uploads", ["apt-get"]);
setDefaultTimeout(300_000);

const app = await useTestApp();
const alice = await app.user("alice");
const registry = new DebianRegistry(app, alice);
const uploads = 20;
const each = 5;
const apts: Apt[] = [];
afterAll(() => apts.forEach((apt) => apt[Symbol.dispose]()));

test.skipIf(isMissing)(`${uploads} upload at the same time while apt updates without a pause`, async () => {
  await registry.publish(smallDeb("first"), "busy/main");
  const line = `deb [signed-by=KEY] ${registry.url} busy main`;
  const key = await registry.text("repository.key");
  const done = new AbortController();
  const updates = Array.from({ length: 2 }, async () => {
    const apt = await Apt.start(line, key);
    apts.push(apt);
    let count = 0;
    do {
      await apt.update();
      count += 1;
    } while (!done.signal.aborted);
    return count;
  });
  const reading = (async () => {
    let before: string[] = [];
    do {
      const names = await readDistribution(registry, "busy");
      // What was there stays there.
      expect(names).toEqual(expect.arrayContaining(before));
      before = names;
    } while (!done.signal.aborted);
  })();
  const stopped = Promise.all([...updates, reading]);
  const uploading = Promise.all(
    Array.from({ length: uploads }, async (_, one) => {
      for (let version = 1; version <= each; version++) {
        await registry.publish(smallDeb(`busy-${one}`, `${version}.0`, "amd64"), "busy/main");
        // An upload is in the lists when it is answered.
        expect(await readDistribution(registry, "busy")).toContain(`pool/busy/main/busy-${one}_${version}.0_amd64.deb`);
      }
    }),
  ).finally(() => done.abort());
  const [[first, second]] = await Promise.all([stopped, uploading]);
  expect(Math.min(first as number, second as number)).toBeGreaterThan(0);
  const names = await readDistribution(registry, "busy");
  expect(names).toHaveLength(1 + uploads * each);
  await apts[0]!.update();
  const said = await apts[0]!.must(
    "install",
    "--simulate",
    ...Array.from({ length: uploads }, (_, one) => `busy-${one}`),
  );
  expect(said.match(/^Inst busy-\d+ \(5\.0 /gm)).toHaveLength(uploads);
});
