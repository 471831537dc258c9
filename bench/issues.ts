import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillNotifications } from "./issue-list-cases.ts";
import { median } from "./support/statistics.ts";
import type { Generator } from "./support/generator.ts";
import { loadWarm, type LoadFigures } from "./support/load.ts";
import type { StithyServer } from "./support/stithy-server.ts";

const users = 1000;
const repositories = 200;
const commentsPerIssue = 5;
/** Of each user, in all repositories: those of a page are of thirty of them. */
const notificationsEach = 300;
/** Of the issue whose timeline is asked for. */
const manyComments = 100;
/** A word of the titles that is searched for stands in so many of them at most. */
const mostMatches = 1000;
/** Words that begin with it are found, too: up to 69 words there is none but itself. */
const search = "/repos/issues/search?q=word7";
/** Times that the search is made with and without a change before it. */
const changes = 100;

export interface IssueFigures {
  issues: number;
  comments: number;
  seededSeconds: number;
  /** of a search for a word, right after an issue has changed and without that */
  searchMs: { changed: number; unchanged: number };
  rows: ({ label: string } & LoadFigures)[];
}

const userOf = (number: number): string => `bench-${number % users}`;
const repositoryOf = (number: number): string => `${userOf(number % repositories)}/issues-${number % repositories}`;

/** A seed with a line for each ten issues. */
async function writeSeed(path: string, issues: number): Promise<number> {
  const writer = Bun.file(path).writer();
  const line = (part: object): void => void writer.write(`${JSON.stringify(part)}\n`);
  line({ users: Array.from({ length: users }, (_, number) => ({ username: userOf(number) })) });
  const numbers = [...Array(repositories).keys()];
  line({ repositories: numbers.map((number) => ({ owner: userOf(number), name: `issues-${number}` })) });
  const labels = ["bug", "docs", "help", "kind/a", "kind/b"];
  line({
    labels: numbers.flatMap((number) =>
      labels.map((name) => ({ repository: repositoryOf(number), name, color: "00aabb" })),
    ),
    milestones: numbers.map((number) => ({ repository: repositoryOf(number), title: "1.0" })),
  });
  const words = Math.ceil(issues / mostMatches);
  let comments = 0;
  for (let number = 0; number < issues; number++) {
    const length = number === 0 ? manyComments : commentsPerIssue;
    comments += length;
    line({
      issues: [
        {
          repository: repositoryOf(number),
          title: `Issue ${number} about word${number % words}`,
          body: `What happens: it stops after ${number} seconds, as @${userOf(number * 3)} said.\n\nWhat should happen: it goes on.`,
          author: userOf(number * 7),
          state: number % 3 === 2 ? "closed" : "open",
          labels: [labels[number % labels.length]],
          milestone: "1.0",
          assignees: [userOf(number % repositories)],
          comments: Array.from({ length }, (_, index) => ({
            author: userOf(number + index),
            body: `Comment ${index} on ${number}: I see the same here.`,
          })),
        },
      ],
    });
    if (number % 1000 === 0) await writer.flush();
  }
  await writer.end();
  return comments;
}

/** Seeds users, repositories, issues and comments with `stithy admin seed`, and how many requests about them are answered. */
export async function measureIssues(
  server: StithyServer,
  issues: number,
  { generator, connections, seconds }: { generator: Generator; connections: number; seconds: number },
): Promise<IssueFigures> {
  const directory = await mkdtemp(join(tmpdir(), "stithy-bench-issues-"));
  try {
    const path = join(directory, "seed.jsonl");
    const comments = await writeSeed(path, issues);
    const started = performance.now();
    await server.seed(path);
    const seededSeconds = (performance.now() - started) / 1000;
    const sql = await server.connect();
    try {
      // Seeding sends none.
      await fillNotifications(sql, notificationsEach);
    } finally {
      await sql.end();
    }
    const repository = `/repos/${repositoryOf(0)}`;
    const rows: IssueFigures["rows"] = [];
    for (const [label, path] of [
      ["issues of a repository", `${repository}/issues`],
      ["one issue", `${repository}/issues/1`],
      ["timeline of 50 entries", `${repository}/issues/1/timeline?limit=50`],
      ["comments of an issue", `${repository}/issues/1/comments`],
      ["search in all repositories", search],
      ["notifications", "/notifications"],
    ] as const) {
      const target = {
        url: `${server.url}/api/v1${path}`,
        headers: { Authorization: `token ${server.token}` },
        status: 200,
      };
      rows.push({ label, ...(await loadWarm(generator, target, connections, seconds)) });
    }
    const searchMs = await measureSearch(server, `${repository}/issues/1`);
    return { issues, comments, seededSeconds, searchMs, rows };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The server remembers what a search finds until any issue changes: how long one takes that has to find it again, and one that has not. */
async function measureSearch(server: StithyServer, changed: string): Promise<IssueFigures["searchMs"]> {
  const headers = { Authorization: `token ${server.token}`, "Content-Type": "application/json" };
  const times: { changed: number[]; unchanged: number[] } = { changed: [], unchanged: [] };
  for (let count = 0; count < changes; count++) {
    const body = JSON.stringify({ title: `Issue 0 about word0, changed ${count} times` });
    const { status } = await fetch(`${server.url}/api/v1${changed}`, { method: "PATCH", headers, body });
    if (status !== 201) throw new Error(`${changed} could not be changed: ${status}`);
    for (const kind of ["changed", "unchanged"] as const) {
      const started = performance.now();
      await (await fetch(`${server.url}/api/v1${search}`, { headers })).arrayBuffer();
      times[kind].push(performance.now() - started);
    }
  }
  return { changed: median(times.changed), unchanged: median(times.unchanged) };
}
