import type { TestUser } from "./test-app.ts";

/** A pull request as far as tests look at it. */
export interface PullJson {
  number: number;
  title: string;
  body: string;
  state: string;
  draft: boolean;
  mergeable: boolean;
  merged: boolean;
  flow: number;
  merge_base: string;
  additions: number;
  deletions: number;
  changed_files: number;
  allow_maintainer_edit: boolean;
  base: { label: string; ref: string; sha: string; repo_id: number; repo: { full_name: string } | null };
  head: { label: string; ref: string; sha: string; repo_id: number; repo: { full_name: string } | null };
  labels: { id: number; name: string }[];
  assignees: { login: string }[] | null;
  milestone: { id: number } | null;
  due_date: string | null;
  user: { login: string } | null;
  requested_reviewers: { login: string }[];
  requested_reviewers_teams: { name: string }[];
  message: string;
}

/** Commits a file over the API, to a branch that it makes of another one where it is not there. Returns the commit. */
export async function commitFile(
  { api }: TestUser,
  repository: string,
  { path, text, branch = "main", from }: { path: string; text: string; branch?: string; from?: string },
): Promise<string> {
  const branches = from === undefined ? { branch } : { branch: from, new_branch: branch };
  const { status, body } = await api.post<{ commit: { sha: string } }>(`/repos/${repository}/contents/${path}`, {
    content: btoa(text),
    message: `Add ${path}`,
    ...branches,
  });
  if (status !== 201) {
    throw new Error(`A file was not committed: ${status}`);
  }
  return body.commit.sha;
}

/** Writes a file of a branch, which is made from the default branch if it is not there. Returns the commit. */
export async function writeFile(
  user: TestUser,
  repository: string,
  branch: { branch: string } | { new_branch: string },
  path: string,
  content: string,
): Promise<string> {
  const where = `/repos/${repository}/contents/${path}`;
  const known = "branch" in branch ? await user.api.get<{ sha: string }>(`${where}?ref=${branch.branch}`) : null;
  const other = known === null ? await user.api.get<{ sha: string }>(where) : known;
  const fields = { ...branch, content: Buffer.from(content).toString("base64"), message: `Write ${path}` };
  const { status, body } =
    other.status === 200
      ? await user.api.put<{ commit: { sha: string } }>(where, { ...fields, sha: other.body.sha })
      : await user.api.post<{ commit: { sha: string } }>(where, fields);
  if (status > 201) {
    throw new Error(`The file could not be written: ${JSON.stringify(body)}`);
  }
  return body.commit.sha;
}

/** Opens a pull request of a branch. Returns its number and the id of its issue. */
export async function openPull(
  author: TestUser,
  repository: string,
  { head, base = "main", title = "Change it" }: { head: string; base?: string; title?: string },
): Promise<{ number: number; id: number }> {
  const fields = { title, head, base };
  const { status, body } = await author.api.post<{ number: number; id: number }>(`/repos/${repository}/pulls`, fields);
  if (status !== 201) {
    throw new Error(`The pull request could not be opened: ${JSON.stringify(body)}`);
  }
  return body;
}
