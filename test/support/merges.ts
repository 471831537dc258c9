import { expect } from "bun:test";
import type { ApiClient } from "./client.ts";
import { mustGit, type Scratch } from "./git.ts";
import { commitFile, type PullJson } from "./pulls.ts";
import { testPassword, type TestApp, type TestUser } from "./test-app.ts";

/** Branches made by tests of this process: a fork has those of its parent. */
let made = 0;

/** What happens to branches and files of a repository, and pull requests of them. Every branch is from main and changes a file of its own. */
export class PullsOf {
  constructor(
    private readonly app: TestApp,
    private readonly owner: TestUser,
    readonly repository: string,
  ) {}

  /** Makes a branch of main with a commit for each of the files; one of its own where none is named. Returns its name. */
  async branch(files: Readonly<Record<string, string>> = {}, from = "main"): Promise<string> {
    const name = `branch-${++made}`;
    const entries =
      Object.entries(files).length === 0 ? [[`${name}.txt`, `${name}\n`] as const] : Object.entries(files);
    for (const [index, [path, text]] of entries.entries()) {
      await this.write(path, text, index === 0 ? { branch: name, from } : { branch: name });
    }
    return name;
  }

  /** Writes a file to a branch, whether it is there or not. Returns the commit. */
  async write(path: string, text: string, at: { branch?: string; from?: string } = {}): Promise<string> {
    const branch = at.branch ?? "main";
    const ref = at.from ?? branch;
    const there = await this.owner.api.get<{ sha: string }>(`/repos/${this.repository}/contents/${path}?ref=${ref}`);
    if (there.status !== 200) {
      return commitFile(this.owner, this.repository, { path, text, ...at, branch });
    }
    const { status, body } = await this.owner.api.put<{ commit: { sha: string } }>(
      `/repos/${this.repository}/contents/${path}`,
      {
        content: btoa(text),
        sha: there.body.sha,
        message: `Change ${path}`,
        ...(at.from === undefined ? { branch } : { branch: at.from, new_branch: branch }),
      },
    );
    expect(status).toBe(200);
    return body.commit.sha;
  }

  /** Opens a pull request to main. */
  async open(head: string, fields: object = {}, api: ApiClient = this.owner.api): Promise<PullJson> {
    const { status, body } = await api.post<PullJson>(`/repos/${this.repository}/pulls`, {
      title: `About ${head}`,
      base: "main",
      head,
      ...fields,
    });
    expect(status).toBe(201);
    return body;
  }

  merge(number: number, body: object, api: ApiClient = this.owner.api) {
    return api.post(`/repos/${this.repository}/pulls/${number}/merge`, { Do: "merge", ...body });
  }

  async isMerged(number: number): Promise<boolean> {
    const { status } = await this.owner.api.get(`/repos/${this.repository}/pulls/${number}/merge`);
    expect([204, 404]).toContain(status);
    return status === 204;
  }

  /** The commit of a branch; null when there is none. */
  async tip(branch = "main"): Promise<string | null> {
    const { status, body } = await this.owner.api.get<{ commit: { id: string } }>(
      `/repos/${this.repository}/branches/${branch}`,
    );
    return status === 200 ? body.commit.id : null;
  }

  /** Clones the repository by real git, with the refs of its pull requests. Returns the path. */
  async clone(scratch: Scratch): Promise<string> {
    const path = scratch.join(`clone-${++made}`);
    const url = new URL(`/${this.repository}.git`, this.app.url);
    url.username = this.owner.name;
    url.password = testPassword;
    await mustGit(scratch.path, ["clone", "-q", url.href, path]);
    await mustGit(path, ["fetch", "-q", "origin", "+refs/pull/*/head:refs/pull/*/head"]);
    return path;
  }
}

/** What a refused merge says; the answer has no body. */
export function expectRefused(answer: { status: number; headers: Headers; body: unknown }): string {
  expect(answer.status).toBe(405);
  expect(answer.body).toBeNull();
  return Buffer.from(answer.headers.get("x-merge-refused") ?? "", "latin1").toString("utf8");
}
