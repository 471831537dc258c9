import { join } from "node:path";
import postgres from "postgres";
import { findRunning } from "../src/postgres/find-running.ts";
import { StithyProcess } from "../test/support/stithy.ts";
import { WebVisitor } from "../test/support/web-visitor.ts";
import { fillForIssues } from "./issue-list-cases.ts";
import { cpuOfServer, measureRequests, type RequestFigures } from "./support/measure-requests.ts";

const password = "anvil and hammer";

/** Measures the page of a repository's issues to somebody who is signed in, on a server that has so many of them. */
export async function measureIssueList(issues: number, rounds: number): Promise<RequestFigures> {
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
  const ask = () => fetch(`${url}/alice/large/issues`, { headers: { cookie: visitor.cookie } });
  return await measureRequests(ask, rounds, cpuOfServer({ pid: server.pid, data }));
}
