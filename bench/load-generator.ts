/**
 * A load generator in a process of its own: `bun bench/load-generator.ts JOB` with a `LoadJob` as JSON, prints a
 * `LoadResult` as JSON. Raw sockets, keep-alive, one request at a time on each connection.
 */
import { ResponseReader } from "./support/response-reader.ts";
import { percentile } from "./support/statistics.ts";

export interface LoadJob {
  host: string;
  port: number;
  /** whole requests, sent in turn */
  requests: string[];
  connections: number;
  /** how long to measure; null: until standard input ends */
  seconds: number | null;
  /** requests a second, on a fixed schedule; null: as fast as answers come */
  rate: number | null;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  /** how often each status came */
  statuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

interface Connection {
  send(due: number): void;
}

const job = JSON.parse(process.argv[2] ?? "") as LoadJob;
const latencies: number[] = [];
const statuses: Record<string, number> = {};
const requests = job.requests.map((text) => Buffer.from(text));
const idle: Connection[] = [];
/** scheduled requests for which no connection was free, by the time at which they were due */
const overdue: number[] = [];
let sent = 0;
let running = true;

async function connect(): Promise<Connection> {
  let started = 0;
  const connection: Connection = {
    send(due) {
      started = due;
      const bytes = requests[sent % requests.length] ?? Buffer.alloc(0);
      sent++;
      if (socket.write(bytes) !== bytes.length) throw new Error("A request did not fit into the socket's buffer");
    },
  };
  const reader = new ResponseReader((status) => {
    const now = performance.now();
    if (!running) return;
    latencies.push(now - started);
    statuses[status] = (statuses[status] ?? 0) + 1;
    // A request that had to wait for a connection counts from when it was due: a stalled server is not spared.
    const due = job.rate === null ? now : overdue.shift();
    if (due === undefined) idle.push(connection);
    else connection.send(due);
  });
  const socket = await Bun.connect({
    hostname: job.host,
    port: job.port,
    socket: {
      data: (_, bytes) => reader.push(bytes),
      close() {
        if (running) throw new Error("The server closed a connection");
      },
      error(_, error) {
        throw error;
      },
    },
  });
  return connection;
}

const connections = await Promise.all(Array.from({ length: job.connections }, connect));
const began = performance.now();
if (job.rate === null) {
  for (const connection of connections) connection.send(performance.now());
} else {
  idle.push(...connections);
  const interval = 1000 / job.rate;
  let scheduled = 0;
  setInterval(() => {
    const now = performance.now();
    for (; began + scheduled * interval <= now; scheduled++) {
      const connection = idle.shift();
      if (connection) connection.send(performance.now());
      else overdue.push(now);
    }
  }, 1);
}
if (job.seconds === null) await Bun.stdin.bytes();
else await Bun.sleep(job.seconds * 1000);
running = false;
const seconds = (performance.now() - began) / 1000;
const sorted = Float64Array.from(latencies).sort();
const result: LoadResult = {
  requests: sorted.length,
  seconds,
  statuses,
  p50Ms: percentile(sorted, 0.5),
  p99Ms: percentile(sorted, 0.99),
  maxMs: percentile(sorted, 1),
};
await Bun.write(Bun.stdout, `${JSON.stringify(result)}\n`);
process.exit(0);
