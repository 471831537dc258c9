import { expect, setDefaultTimeout, test } from "bun:test";
import { fullNumber, testSeed } from "../../support/full-number.ts";
import { randomFrom } from "../../support/random.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { killUploads } from "../shared/kill-uploads.ts";
import { makeApk } from "./make-apk.ts";
import { readSignedIndex } from "./read-index.ts";

const rounds = fullNumber("STITHY_PACKAGE_KILLS");
setDefaultTimeout(120_000 + rounds * 60_000);

const authorization = `Basic ${btoa("root:correct horse battery staple")}`;
const at = ({ url }: ServerProcess, path: string) => `${url}/api/packages/root/alpine/${path}`;

test(`${rounds} times uploads are cut off by kill -9, also between a package and its index: the index has what is there`, async () => {
  const seed = testSeed();
  console.log(`The moments are those of the seed ${seed}`);
  const { answered, there } = await killUploads({
    rounds,
    random: randomFrom(seed),
    async upload(server, name) {
      const request = { method: "PUT", headers: { authorization }, body: makeApk({ name }) };
      return (await fetch(at(server, "v3.20/killed"), request)).status === 201;
    },
    type: "alpine",
    async indexed(server) {
      const key = await fetch(at(server, "key"));
      const [, name = ""] = /filename="([^"]+)"/.exec(key.headers.get("content-disposition") ?? "") ?? [];
      const index = await fetch(at(server, "v3.20/killed/x86_64/APKINDEX.tar.gz"));
      const records = index.ok
        ? readSignedIndex(Buffer.from(await index.arrayBuffer()), { name, pem: await key.text() })
        : "";
      return [...records.matchAll(/^P:(.*)$/gm)].map(([, one = ""]) => one);
    },
  });
  console.log(`${answered} uploads were answered, and ${there} packages are there`);
  expect(there).toBeGreaterThan(rounds);
});
