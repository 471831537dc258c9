import { expect, setDefaultTimeout, test } from "bun:test";
import { fullNumber, testSeed } from "../../support/full-number.ts";
import { randomFrom } from "../../support/random.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { killUploads } from "../shared/kill-uploads.ts";
import { makeRpm } from "./make-rpm.ts";
import { readIndex } from "./read-index.ts";

const rounds = fullNumber("STITHY_PACKAGE_KILLS");
setDefaultTimeout(120_000 + rounds * 60_000);

const authorization = `Basic ${btoa("root:correct horse battery staple")}`;
const at = ({ url }: ServerProcess, path: string) => `${url}/api/packages/root/rpm/${path}`;

test(`${rounds} times uploads are cut off by kill -9, also between a package and its index: the index has what is there`, async () => {
  const seed = testSeed();
  console.log(`The moments are those of the seed ${seed}`);
  const { answered, there } = await killUploads({
    rounds,
    random: randomFrom(seed),
    async upload(server, name) {
      const request = { method: "PUT", headers: { authorization }, body: makeRpm({ name }) };
      return (await fetch(at(server, "killed/upload"), request)).status === 201;
    },
    type: "rpm",
    async indexed(server) {
      const key = await (await fetch(at(server, "repository.key"))).text();
      const index = await readIndex((path) => fetch(at(server, `killed/${path}`)), key);
      return (index?.packages ?? []).map((one) => one.slice(0, one.indexOf(" ")));
    },
  });
  console.log(`${answered} uploads were answered, and ${there} packages are there`);
  expect(there).toBeGreaterThan(rounds);
});
