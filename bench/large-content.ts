import { join } from "node:path";
import type { ApiClient } from "../test/support/client.ts";
import { projectDirectory } from "./support/environment.ts";

const comments = 300;
/** Each adds a label and takes it away again: two more events. */
const labelings = 100;
const changedLines = 3000;
const repository = "/repos/forge/large";

/** What is measured beside the content of test/support/web-content.ts. */
export interface LargePages {
  /** An issue with 500 events. */
  readonly conversation: string;
  /** The files of a pull request that changes 3,000 lines. */
  readonly files: string;
}

/** Makes the repository forge/large. `client`: an owner of the organization. */
export async function makeLargeContent(client: ApiClient): Promise<LargePages> {
  const call = async <Body>(method: string, path: string, body: unknown): Promise<Body> => {
    const reply = await client.request<Body>(method, path, { body });
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  await call("POST", "/orgs/forge/repos", { name: "large" });
  const conversation = await makeConversation(call);
  const files = await makeChange(call);
  return { conversation: `/forge/large/issues/${conversation}`, files: `/forge/large/pulls/${files}/files` };
}

type Call = <Body>(method: string, path: string, body: unknown) => Promise<Body>;

async function makeConversation(call: Call): Promise<number> {
  const label = await call<{ id: number }>("POST", `${repository}/labels`, { name: "bug", color: "d6453d" });
  const body =
    "What happens: a clone **stops**.\n\n```sh\ngit clone http://127.0.0.1/forge/large\n```\n\nIt should go on.";
  const { number } = await call<{ number: number }>("POST", `${repository}/issues`, { title: "A clone stops", body });
  const issue = `${repository}/issues/${number}`;
  for (let n = 0; n < comments; n++)
    await call("POST", `${issue}/comments`, {
      body: `Try ${n}: it *stops* after \`${n}\` seconds, @oskar.\n\n- [ ] mend\n- [x] find`,
    });
  for (let n = 0; n < labelings; n++) {
    await call("POST", `${issue}/labels`, { labels: [label.id] });
    await call("DELETE", `${issue}/labels/${label.id}`, undefined);
  }
  return number;
}

/** Files of this project's git engine, and the same with 3,000 lines that differ. */
async function makeChange(call: Call): Promise<number> {
  const source = join(projectDirectory, "src", "git");
  const paths = [...new Bun.Glob("**/*.ts").scanSync(source)].toSorted();
  const created: unknown[] = [];
  const changed: { path: string; text: string }[] = [];
  let lines = 0;
  for (const path of paths) {
    if (lines >= changedLines) break;
    const text = await Bun.file(join(source, path)).text();
    const after = changeText(text, Math.ceil((changedLines - lines) / 2));
    created.push({ operation: "create", path, content: Buffer.from(text).toString("base64") });
    changed.push({ path, text: after.text });
    lines += 2 * after.count;
  }
  const commit = (body: object) =>
    call<{ files: { path: string; sha: string }[] }>("POST", `${repository}/contents`, { message: "change", ...body });
  const { files } = await commit({ files: created });
  const shas = new Map(files.map(({ path, sha }) => [path, sha]));
  await commit({
    new_branch: "change",
    files: changed.map(({ path, text }) => ({
      operation: "update",
      path,
      sha: shas.get(path),
      content: Buffer.from(text).toString("base64"),
    })),
  });
  const pull = { title: "Change much", head: "change", base: "main" };
  return (await call<{ number: number }>("POST", `${repository}/pulls`, pull)).number;
}

/** Changes a word in two lines of every ten, at most so many lines. */
function changeText(text: string, most: number): { text: string; count: number } {
  let count = 0;
  const lines = text.split("\n").map((line, index) => {
    const next = index % 10 < 2 && count < most ? line.replace(/[a-z]{3,}/, (word) => `${word}Again`) : line;
    count += next === line ? 0 : 1;
    return next;
  });
  return { text: lines.join("\n"), count };
}
