import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { debOf, tarOf } from "../registries/debian/deb.ts";
import { makeRpm } from "../registries/rpm/make-rpm.ts";
import { BesideServer, expectUndisturbed } from "./beside.ts";

/** Packages that cost much to read. */

setDefaultTimeout(300_000);

let server: BesideServer;
beforeAll(async () => {
  server = await BesideServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const authorization = `Basic ${btoa("root:correct horse battery staple")}`;

async function upload(path: string, body: Uint8Array): Promise<number> {
  const answer = await fetch(`${server.url}/api/packages/root/${path}`, {
    method: "PUT",
    headers: { authorization },
    body,
  });
  await answer.bytes();
  return answer.status;
}

async function uploadAll(path: (number: number) => string, bodies: readonly Uint8Array[], statuses: readonly number[]) {
  const seen = await server.during(async () => {
    const answers = await Promise.all(bodies.map((body, number) => upload(path(number), body)));
    expect(answers.filter((status) => !statuses.includes(status))).toEqual([]);
  });
  console.log(JSON.stringify({ waits: seen.waits, memory: Math.round(seen.memory / 1024 / 1024) }));
  expectUndisturbed(seen);
}

/** A control archive with 15 MB before its control file. */
async function slowDeb(number: number): Promise<Uint8Array> {
  const control = `Package: slow${number}\nVersion: 1.0\nArchitecture: all\nDescription: slow\n`;
  const archive = tarOf([
    ["./padding", Buffer.alloc(15_000_000)],
    ["./control", Buffer.from(control)],
  ]);
  const xz = Bun.spawn(["xz", "-c", "-1"], { stdin: archive, stdout: "pipe" });
  return debOf("control.tar.xz", await new Response(xz.stdout).bytes());
}

test("forty packages of Debian that unpack to 15 MB each", async () => {
  const packages = await Promise.all(Array.from({ length: 4 }, (_, number) => slowDeb(number)));
  expect(packages[0]!.length).toBeLessThan(20_000);
  await uploadAll(
    () => "debian/pool/stable/main/upload",
    Array.from({ length: 40 }, (_, number) => packages[number % 4]!),
    [201, 400, 409],
  );
});

const zeros = (count: number) => ({ numbers: Array.from({ length: count }, () => 0) });

test.each([
  ["50,000 requirements", 49_999, 10],
  ["400,000 requirements", 400_000, 1],
  ["700,000 requirements with long names", 700_000, 12],
])("rpm packages with %s", async (_, count, length) => {
  const packages = Array.from({ length: 3 }, (_, number) =>
    makeRpm({
      name: `wide${number}`,
      tags: {
        1049: Array.from({ length: count }, (_, at) => `${at.toString(36)}${"x".repeat(length)}`),
        1048: zeros(count),
        1050: Array.from({ length: count }, () => ""),
      },
    }),
  );
  await uploadAll(() => "rpm/wide/upload", packages, [201, 400, 409]);
});

test.each([200_000, 1_000_000])("rpm packages with %d files", async (count) => {
  const body = makeRpm({
    tags: {
      1117: Array.from({ length: count }, (_, at) => at.toString(36)),
      1116: zeros(count),
      1030: { ...zeros(count), bits: 16 },
      1037: zeros(count),
      1118: ["/usr/share/wide/"],
    },
  });
  await uploadAll(() => "rpm/files/upload", [body, body, body], [201, 400, 409]);
});

test("packages of Alpine whose control segment is large", async () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `depend = d${at}`).join("\n");
  const info = `pkgname = wide\npkgver = 1.0-r0\narch = x86_64\n${lines}\n`;
  const body = Buffer.concat([
    gzipSync(tarOf([[".PKGINFO", Buffer.from(info)]]).subarray(0, -1024)),
    gzipSync(Buffer.alloc(1024)),
  ]);
  await uploadAll(
    () => "alpine/v3/main",
    Array.from({ length: 20 }, () => body),
    [201, 400, 409],
  );
});
