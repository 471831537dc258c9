import { Type } from "typebox";
import { Value } from "typebox/value";
import { median } from "./support/statistics.ts";
import type { StithyServer } from "./support/stithy-server.ts";

const statuses = 10_000;
const contexts = 40;
const writers = 16;
const reads = 100;

/** One question about a commit that has no statuses, and about one that has 10,000 of 40 contexts. */
export interface StatusFigures {
  label: string;
  noneMs: number;
  manyMs: number;
}

/** How long statuses take to read, medians; and how many are added in a second by 16 writers at once. */
export async function measureStatuses(
  server: StithyServer,
  repository: string,
): Promise<{ addedPerSecond: number; rows: StatusFigures[] }> {
  const api = `${server.url}/api/v1/repos/${repository}`;
  const headers = { Authorization: `token ${server.token}`, "Content-Type": "application/json" };
  const json = async (path: string): Promise<unknown> => {
    const response = await fetch(api + path, { headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const oids = Value.Parse(
    Type.Array(Type.Object({ sha: Type.String() })),
    await json("/commits?limit=2&stat=false&files=false&verification=false"),
  );
  const [many = "", none = ""] = oids.map(({ sha }) => sha);
  const started = performance.now();
  let next = 0;
  const write = async (): Promise<void> => {
    for (let number = next++; number < statuses; number = next++) {
      const body = JSON.stringify({
        state: number % 3 === 0 ? "pending" : "success",
        context: `ci/${number % contexts}`,
      });
      const response = await fetch(`${api}/statuses/${many}`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      await response.body?.cancel();
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const addedPerSecond = (statuses / (performance.now() - started)) * 1000;

  const time = async (path: string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < reads; round++) {
      const before = performance.now();
      await json(path);
      times.push(performance.now() - before);
    }
    return median(times);
  };
  const rows: StatusFigures[] = [];
  for (const [label, path] of [
    ["combined status", (oid: string) => `/commits/${oid}/status`],
    ["newest statuses", (oid: string) => `/statuses/${oid}`],
    ["last page of statuses", (oid: string) => `/statuses/${oid}?page=${Math.ceil(statuses / 30)}`],
  ] as const) {
    rows.push({ label, noneMs: await time(path(none)), manyMs: await time(path(many)) });
  }
  return { addedPerSecond, rows };
}
