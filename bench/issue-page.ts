import { join } from "node:path";
import postgres from "postgres";
import { findRunning } from "../src/postgres/find-running.ts";
import { StithyProcess } from "../test/support/stithy.ts";
import { WebVisitor } from "../test/support/web-visitor.ts";
import { fillForIssues } from "./issue-list-cases.ts";
import { cpuOfServer, measureRequests, type RequestFigures } from "./support/measure-requests.ts";

const password = "anvil and hammer";

/** Lists of issues, and what is listed beside them. */
const lists = {
  "issues of a repository": "/alice/large/issues",
  "issues of a repository by an author": "/alice/large/issues?q=author:@me",
  "issues of all repositories of a user": "/issues",
  "issues that a user is assigned to": "/issues?q=assignee:@me",
  notifications: "/notifications",
} as const;

/** Measures lists to somebody who is signed in, on a server that has so many issues. */
export async function measureIssueLists(
  issues: number,
  rounds: number,
): Promise<readonly ({ name: string } & RequestFigures)[]> {
  const seed = { users: ["root", "alice"].map((username) => ({ username, password })) };
  await using server = new StithyProcess(["serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)], {
    // Filling takes longer than any request may.
    env: { STITHY_DATABASE__STATEMENT_TIMEOUT_SECONDS: "3600" },
  });
  const { url, data } = await server.ready<{ url: string; data: string }>();
  const connection = await findRunning(join(data, "postgres"));
  const sql = postgres({ ...connection, max: 1, onnotice: () => {}, connection: { statement_timeout: 0 } });
  try {
    await fillForIssues(sql, issues);
  } finally {
    await sql.end();
  }
  const visitor = new WebVisitor(url);
  await visitor.signIn("alice", password);
  const figures = [];
  for (const [name, path] of Object.entries(lists)) {
    const ask = () => fetch(url + path, { headers: { cookie: visitor.cookie } });
    figures.push({ name, ...(await measureRequests(ask, rounds, cpuOfServer({ pid: server.pid, data }))) });
  }
  return figures;
}
