import { packRequest } from "./pack-request.ts";

/**
 * Clones that keep nothing: `bun bench/pack-client.ts JOB` with a `PackJob` as JSON sends the same request for a pack on
 * several connections at once, reads the answers to their end, and prints a `PackResult` as JSON. The git client would
 * index what it gets, which on one machine takes longer than all that a server does.
 */
export interface PackJob {
  /** of the repository, without credentials */
  url: string;
  /** what is wanted, hex */
  oids: string[];
  clients: number;
}

export interface PackResult {
  wallMs: number;
  /** of each answer */
  bytes: number[];
}

const job = JSON.parse(process.argv[2] ?? "") as PackJob;
const body = new TextEncoder().encode(packRequest(job.oids));
const started = performance.now();
const bytes = await Promise.all(Array.from({ length: job.clients }, fetchPack));
const result: PackResult = { wallMs: performance.now() - started, bytes };
await Bun.write(Bun.stdout, `${JSON.stringify(result)}\n`);
process.exit(0);

async function fetchPack(): Promise<number> {
  const response = await fetch(`${job.url}/git-upload-pack`, {
    method: "POST",
    headers: { "content-type": "application/x-git-upload-pack-request", "git-protocol": "version=2" },
    body,
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`The fetch was refused: ${response.status} ${await response.text()}`);
  let length = 0;
  // The end may come in pieces.
  let last = "";
  for await (const chunk of response.body) {
    length += chunk.length;
    last = (last + Buffer.from(chunk.subarray(-4)).toString("latin1")).slice(-4);
  }
  if (last !== "0000") throw new Error(`The answer of ${length} bytes has no end`);
  return length;
}
