/** `bun run bench:registries`: how long package registries take that have thousands of packages. See docs/benchmarks.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { smallDeb } from "../test/registries/debian/deb.ts";
import { makeRpm } from "../test/registries/rpm/make-rpm.ts";
import { makeTarGz } from "../test/registries/shared/make-archive.ts";
import { load, type LoadFigures } from "./support/load.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { run } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import { startStithy, type StithyServer } from "./support/stithy-server.ts";
import { figure, formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const usage = `Usage: bun run bench:registries [options]

  --binary FILE   measure this executable instead of the source
  --packages N    how many there are in each index (default 10000)
  --more N        how many are added to them one after the other (default 30)
  --seconds N     how long each file of an index is asked for (default 5)
  --only FORMAT   debian, rpm or cran alone
  --no-scratch    leave out the usual programs that make an index from nothing: they take minutes
  --json FILE     write the figures there, too
`;

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    packages: { type: "string", default: "10000" },
    more: { type: "string", default: "30" },
    seconds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    "no-scratch": { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

interface Format {
  readonly name: string;
  /** Where packages are put, and what their files are called. */
  readonly upload: string;
  readonly file: (name: string) => string;
  readonly make: (name: string) => Uint8Array<ArrayBuffer>;
  /** The file that a client asks for first, and the largest one. */
  readonly indexes: readonly string[];
  /** Makes the same index from the files alone, from nothing; null: what does so is not measured. */
  readonly fromScratch: ((directory: string) => readonly string[]) | null;
}

const formats: readonly Format[] = [
  {
    name: "debian",
    upload: "debian/pool/stable/main/upload",
    file: (name) => `${name}.deb`,
    make: (name) => smallDeb(name, "1.0", "amd64"),
    indexes: ["debian/dists/stable/InRelease", "debian/dists/stable/main/binary-amd64/Packages.gz"],
    fromScratch: (directory) => ["dpkg-scanpackages", "--multiversion", directory],
  },
  {
    name: "rpm",
    upload: "rpm/stable/upload",
    file: (name) => `${name}.rpm`,
    make: (name) => makeRpm({ name }),
    indexes: ["rpm/stable/repodata/repomd.xml", "rpm/stable/repodata/primary.xml.gz"],
    fromScratch: (directory) => ["createrepo_c", "--quiet", directory],
  },
  {
    name: "cran",
    upload: "cran/src",
    file: (name) => `${name}.tar.gz`,
    make: (name) =>
      new Uint8Array(
        makeTarGz([{ path: `${name}/DESCRIPTION`, content: `Package: ${name}\nVersion: 1.0\nLicense: MIT\n` }]),
      ),
    indexes: ["cran/src/contrib/PACKAGES.gz"],
    fromScratch: null,
  },
];

interface Figures {
  format: string;
  packages: number;
  /** Of all packages, by 16 writers at once. */
  uploadedPerSecond: number;
  /** One more, after which its index names it. */
  oneMoreMs: number;
  oneMoreMaxMs: number;
  files: Record<string, { bytes: number; whole: LoadFigures; unchanged: LoadFigures }>;
  /** null: not measured. */
  fromScratchMs: number | null;
}

const writers = 16;
const connections = 16;
const nameOf = (at: number): string => `package${String(at).padStart(6, "0")}x`;

async function measure(server: StithyServer, format: Format, packages: number): Promise<Figures> {
  const root = `${server.url}/api/packages/root`;
  const authorization = `Basic ${btoa(`root:${server.token}`)}`;
  const put = async (at: number): Promise<void> => {
    const body = format.make(nameOf(at));
    const response = await fetch(`${root}/${format.upload}`, { method: "PUT", headers: { authorization }, body });
    if (response.status !== 201) throw new Error(`${format.name}: ${response.status} ${await response.text()}`);
  };

  let next = 0;
  const began = performance.now();
  const write = async (): Promise<void> => {
    for (let at = next++; at < packages; at = next++) await put(at);
  };
  await Promise.all(Array.from({ length: writers }, write));
  const uploadedPerSecond = (packages / (performance.now() - began)) * 1000;

  const times: number[] = [];
  for (let more = 0; more < wholeNumber("more", values.more); more++) {
    const before = performance.now();
    await put(packages + more);
    times.push(performance.now() - before);
  }

  const files: Figures["files"] = {};
  const seconds = wholeNumber("seconds", values.seconds);
  for (const path of format.indexes) {
    const url = `${root}/${path}`;
    const response = await fetch(url);
    const bytes = (await response.bytes()).length;
    const headers = { "if-none-match": response.headers.get("etag") ?? "" };
    files[path] = {
      bytes,
      whole: await load("builtin", { url, headers: {}, status: 200 }, connections, seconds),
      unchanged: await load("builtin", { url, headers, status: 304 }, connections, seconds),
    };
  }
  return {
    format: format.name,
    packages,
    uploadedPerSecond,
    oneMoreMs: median(times),
    oneMoreMaxMs: Math.max(...times),
    files,
    fromScratchMs:
      format.fromScratch === null || values["no-scratch"]
        ? null
        : await measureFromScratch(format, format.fromScratch, packages),
  };
}

/** How long the usual program takes that makes the index of a directory of files. */
async function measureFromScratch(
  format: Format,
  command: (directory: string) => readonly string[],
  packages: number,
): Promise<number | null> {
  const [program = ""] = command("");
  if (Bun.which(program) === null) {
    console.log(`Without ${program}, which is not installed`);
    return null;
  }
  const directory = await mkdtemp(join(tmpdir(), "stithy-bench-packages-"));
  try {
    for (let at = 0; at < packages; at++) {
      await Bun.write(join(directory, format.file(nameOf(at))), format.make(nameOf(at)));
    }
    const began = performance.now();
    await run(command(directory));
    return performance.now() - began;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const packages = wholeNumber("packages", values.packages);
const machine = await describeMachine();
console.log(machineLine(machine));
const measured: Figures[] = [];
for (const format of formats.filter(({ name }) => values.only === "" || name === values.only)) {
  // One server each: what one format has written does not burden the next.
  await using server = await startStithy(values.binary ?? null);
  measured.push(await measure(server, format, packages));
}
console.log(
  `\n${formatTable(
    ["index", "packages", "uploads/s", "one more ms (max)", "from scratch ms"],
    measured.map((one) => [
      one.format,
      String(one.packages),
      figure(one.uploadedPerSecond),
      `${figure(one.oneMoreMs)} (${figure(one.oneMoreMaxMs)})`,
      one.fromScratchMs === null ? "-" : figure(one.fromScratchMs),
    ]),
  )}\n`,
);
console.log(
  formatTable(
    ["file of an index", "bytes", "whole/s", "p99 ms", "unchanged/s", "p99 ms"],
    measured.flatMap(({ files }) =>
      Object.entries(files).map(([path, { bytes, whole, unchanged }]) => [
        path,
        String(bytes),
        figure(whole.perSecond),
        figure(whole.p99Ms),
        figure(unchanged.perSecond),
        figure(unchanged.p99Ms),
      ]),
    ),
  ),
);
if (values.json !== undefined) await Bun.write(values.json, `${JSON.stringify({ machine, measured }, null, 2)}\n`);
