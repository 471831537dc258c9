import { readFileSync } from "node:fs";
import { untilWorked } from "../../support/process-work.ts";
import type { SeededRandom } from "../../support/random.ts";
import { ServerProcess } from "../../support/server-process.ts";
import { OpenDirectory } from "../../support/stithy.ts";
import { until } from "../../support/until.ts";

/** What a format does in rounds of uploads in which the server is killed. */
export interface KilledUploads {
  readonly rounds: number;
  readonly random: SeededRandom;
  /** Uploads the package of a name; true: the server has taken it, and said so. Throws where it does not answer. */
  upload(server: ServerProcess, name: string): Promise<boolean>;
  /** The format, as the API calls it. */
  readonly type: string;
  /** The names of the packages in the index, once every digest and signature in it was found to be right. */
  indexed(server: ServerProcess): Promise<string[]>;
}

const uploadersAtOnce = 4;
/** So long a server works before it is killed, at the most. */
const mostMs = 1200;

/**
 * Uploads packages in rounds, each cut off by kill -9 of the server, and half the time of its database. After each the index has to
 * have what is stored, and no less than was answered. Returns how many were answered, and how many are there.
 */
export async function killUploads({ rounds, random, upload, type, indexed }: KilledUploads) {
  using directory = new OpenDirectory();
  const answered = new Set<string>();
  let server = await ServerProcess.start(directory.path);
  try {
    for (let round = 1; round <= rounds; round++) {
      const uploaders = Array.from({ length: uploadersAtOnce }, (_, n) =>
        uploadUntilKilled(server, upload, `r${round}u${n}`, answered),
      );
      await untilWorked(server.process.pid, random.below(mostMs));
      server.process.kill("SIGKILL");
      if (random.below(2) === 0) {
        const [pid = ""] = readFileSync(directory.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
        process.kill(Number(pid), "SIGKILL");
      }
      await Promise.all([...uploaders, server.process.ended()]);
      server = await ServerProcess.start(directory.path);
      const there = (await stored(server, type)).toSorted();
      const lost = [...answered].filter((name) => !there.includes(name));
      if (lost.length > 0) {
        throw new Error(`Round ${round}: ${lost.join(", ")} were answered, and are not there`);
      }
      let found: string[] = [];
      await until(`the index has what is stored after round ${round}`, async () => {
        found = (await indexed(server)).toSorted();
        return Bun.deepEquals(found, there);
      });
    }
    return { answered: answered.size, there: (await stored(server, type)).length };
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

async function uploadUntilKilled(
  server: ServerProcess,
  upload: KilledUploads["upload"],
  prefix: string,
  answered: Set<string>,
): Promise<void> {
  for (let index = 0; ; index++) {
    const name = `${prefix}n${index}`;
    const taken = await upload(server, name).catch(() => false);
    if (!taken) {
      return;
    }
    answered.add(name);
  }
}

/** The names of the packages of a format that are stored. */
async function stored(server: ServerProcess, type: string): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const { body } = await server.api.get<{ name: string }[]>(`/packages/root?type=${type}&limit=50&page=${page}`);
    names.push(...body.map(({ name }) => name));
    if (body.length === 0) {
      return names;
    }
  }
}
