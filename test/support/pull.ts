import type { TestApp, TestUser } from "./test-app.ts";

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
  app: TestApp,
  author: TestUser,
  repository: string,
  { head, base = "main", title = "Change it" }: { head: string; base?: string; title?: string },
): Promise<{ number: number; id: number }> {
  const { sql } = app.forge.database;
  const { body } = await author.api.post<{ number: number; id: number }>(`/repos/${repository}/issues`, { title });
  const tip = async (branch: string) =>
    (await author.api.get<{ commit: { id: string } }>(`/repos/${repository}/branches/${branch}`)).body.commit.id;
  await sql`update issue set is_pull = true where id = ${body.id}`;
  await sql`insert into pull (issue_id, base_repository_id, base_branch, base_oid, head_repository_id, head_branch, head_oid)
    select id, repository_id, ${base}, decode(${await tip(base)}, 'hex'), repository_id, ${head}, decode(${await tip(head)}, 'hex')
    from issue where id = ${body.id}`;
  return body;
}
