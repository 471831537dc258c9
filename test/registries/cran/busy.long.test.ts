import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { fullNumber, testSeed } from "../../support/full-number.ts";
import { randomFrom } from "../../support/random.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { useTestApp } from "../../support/test-app.ts";
import { killUploads } from "../shared/kill-uploads.ts";
import { makeTarGz } from "../shared/make-archive.ts";
import { missingPrograms, ScratchDirectory } from "../shared/run-program.ts";
import { prepareR } from "./run-r.ts";

/** Many upload to one index while R reads it, and the server is killed while they do. Nothing is lost, and no sum is ever wrong. */

const rounds = fullNumber("STITHY_PACKAGE_KILLS");
setDefaultTimeout(300_000 + rounds * 60_000);

const source = (name: string, version: string) =>
  new Uint8Array(
    makeTarGz([{ path: `${name}/DESCRIPTION`, content: `Package: ${name}\nVersion: ${version}\nLicense: MIT\n` }]),
  );

const put = async (root: string, authorization: string, body: Uint8Array<ArrayBuffer>): Promise<number> => {
  const answer = await fetch(`${root}/src`, { method: "PUT", headers: { authorization }, body });
  await answer.body?.cancel();
  return answer.status;
};

/** The packages of PACKAGES with their versions, once each file was found to have the sum that is named. */
async function readIndex(root: string): Promise<string[]> {
  const answer = await fetch(`${root}/src/contrib/PACKAGES`);
  if (answer.status === 404) {
    return [];
  }
  const names: string[] = [];
  for (const record of (await answer.text()).trim().split("\n\n")) {
    const [, name, version, sum] = /^Package: (.+)\nVersion: (.+)\n(?:.+\n)*?MD5sum: (.+)\n/.exec(record) ?? [];
    const file = await (await fetch(`${root}/src/contrib/${name}_${version}.tar.gz`)).bytes();
    expect(createHash("md5").update(file).digest("hex")).toBe(sum ?? "");
    names.push(`${name} ${version}`);
  }
  return names;
}

const isMissing = missingPrograms("R beside uploads", ["Rscript"]);
const app = await useTestApp();
const scratch = new ScratchDirectory();
afterAll(() => scratch[Symbol.dispose]());

test.skipIf(isMissing)("20 upload at the same time while R lists and downloads without a pause", async () => {
  const alice = await app.user("alice");
  const root = `${app.url}/api/packages/alice/cran`;
  const authorization = `token ${alice.token}`;
  expect(await put(root, authorization, source("first", "1.0"))).toBe(201);
  const { script } = prepareR(scratch.path);
  const done = new AbortController();
  const reading = (async () => {
    let seen = 0;
    do {
      const said = await script(
        `all <- available.packages(repos = "${root}", type = "source", fields = "MD5sum", filters = list())`,
        `got <- download.packages(all[nrow(all), "Package"], ".", available = all, repos = "${root}", type = "source", quiet = TRUE)`,
        "stopifnot(identical(unname(tools::md5sum(got[1, 2])), unname(all[nrow(all), 'MD5sum'])))",
        "cat('listed', nrow(all))",
      );
      const count = Number(/listed (\d+)$/.exec(said)?.[1]);
      expect(count).toBeGreaterThanOrEqual(Math.max(1, seen));
      seen = count;
    } while (!done.signal.aborted);
  })();
  const uploading = Promise.all(
    Array.from({ length: 20 }, async (_, one) => {
      for (const version of ["1.0", "1.1", "1.2"]) {
        expect(await put(root, authorization, source(`busy${one}x`, version))).toBe(201);
        // An upload is in the index when it is answered.
        const index = await (await fetch(`${root}/src/contrib/PACKAGES`)).text();
        expect(index).toContain(`Package: busy${one}x\nVersion: ${version}\n`);
      }
    }),
  ).finally(() => done.abort());
  await Promise.all([reading, uploading]);
  expect(await readIndex(root)).toEqual(
    ["first 1.0", ...Array.from({ length: 20 }, (_, one) => `busy${one}x 1.2`)].toSorted(),
  );
});

test(`${rounds} times uploads are cut off by kill -9: the index has every package that is there`, async () => {
  const seed = testSeed();
  console.log(`The moments are those of the seed ${seed}`);
  const rootOf = ({ url }: ServerProcess) => `${url}/api/packages/root/cran`;
  const authorization = `Basic ${btoa("root:correct horse battery staple")}`;
  const { answered, there } = await killUploads({
    rounds,
    random: randomFrom(seed),
    upload: async (server, name) => (await put(rootOf(server), authorization, source(name, "1.0"))) === 201,
    type: "cran",
    indexed: async (server) => (await readIndex(rootOf(server))).map((one) => one.split(" ")[0] ?? ""),
  });
  expect(there).toBeGreaterThanOrEqual(answered);
  expect(answered).toBeGreaterThan(0);
});
