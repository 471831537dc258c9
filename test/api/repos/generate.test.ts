import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { redact } from "../../support/redact.ts";
import { mustGit, Scratch } from "../../support/git.ts";
import { makeTeam } from "../../support/team.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { measureWork } from "../../support/process-work.ts";

const app = await useTestApp({ ssh: { enabled: true } });
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();

let number = 0;

/** A template of alice with these files, and what its path is. */
async function newTemplate(files: Record<string, string>, fields: Record<string, unknown> = {}) {
  const name = `skeleton-${++number}`;
  await app.repository(alice, name, { template: true, description: "bones", ...fields });
  const made = Object.entries(files).map(([path, text]) => ({
    operation: "create",
    path,
    content: Buffer.from(text).toString("base64"),
  }));
  if (made.length > 0) {
    const { status } = await alice.api.post(`/repos/alice/${name}/contents`, { files: made, message: "bones" });
    expect(status).toBe(201);
  }
  return { name, path: `/repos/alice/${name}` };
}

const generate = (who: TestUser, path: string, fields: Record<string, unknown>) =>
  who.api.post<{ message: string; full_name: string }>(`${path}/generate`, {
    owner: who.name,
    git_content: true,
    ...fields,
  });

/** The paths of a repository's default branch with their contents. */
async function filesOf(who: TestUser, fullName: string): Promise<Record<string, string>> {
  const { body } = await who.api.get<{ tree: { path: string; type: string; sha: string }[] }>(
    `/repos/${fullName}/git/trees/HEAD?recursive=true`,
  );
  const files: Record<string, string> = {};
  for (const { path, type, sha } of body.tree) {
    if (type === "blob") {
      const blob = await who.api.get<{ content: string }>(`/repos/${fullName}/git/blobs/${sha}`);
      files[path] = Buffer.from(blob.body.content, "base64").toString();
    }
  }
  return files;
}

const repositories = async () => Number((await sql`select count(*)::int as n from repository`)[0]!["n"]);
const packs = async () => Number((await sql`select count(*)::int as n from pack`)[0]!["n"]);

describe("who may not", () => {
  test("needs to read the code of the template, and to be somebody", async () => {
    const { path } = await newTemplate({ a: "a" }, { private: true });
    expect((await generate(bob, path, { name: "copy" })).status).toBe(404);
    expect((await app.anonymous.post(`${path}/generate`, { owner: "bob", name: "copy" })).status).toBe(401);
    const reader = await app.scoped(alice, "read:repository");
    expect((await reader.post(`${path}/generate`, { owner: "alice", name: "copy", git_content: true })).status).toBe(
      403,
    );
  });

  test("needs to be entitled to repositories of the owner", async () => {
    const { path } = await newTemplate({ a: "a" });
    await app.organization("closed", alice);
    for (const [who, owner, status] of [
      [bob, "alice", 403],
      [bob, "closed", 403],
      [bob, "nobody-at-all", 404],
      [admin, "bob", 201],
      [alice, "closed", 201],
    ] as const) {
      expect((await generate(who, path, { owner, name: `copy-${++number}` })).status).toBe(status);
    }
    const { body } = await bob.api.post<{ id: number }>("/user/repos", { name: "mine" });
    const token = await app.token(bob, ["write:repository"]);
    const [row] = await sql<
      { id: number }[]
    >`update access_token set restricted = true where last_eight = ${token.slice(-8)} returning id`;
    await sql`insert into access_token_repository (token_id, repository_id) values (${row!.id}, ${body.id})`;
    await sql`insert into access_token_repository (token_id, repository_id)
      select ${row!.id}, id from repository where name = ${path.split("/").at(-1)!}`;
    const answer = await app.withToken(token).post(`${path}/generate`, { owner: "bob", name: "x", git_content: true });
    expect(answer.status).toBe(403);
    const publicOnly = await app.scoped(bob, "public-only", "write:repository");
    const hidden = { owner: "bob", name: "y", git_content: true, private: true };
    expect((await publicOnly.post(`${path}/generate`, hidden)).status).toBe(403);
  });

  test.each([
    ["a repository that is no template", { template: false }, {}, 422, "not a template"],
    ["nothing of it", {}, { git_content: false }, 422, "git_content"],
    ["a name that is none", {}, { name: "a/b" }, 422, "name"],
    ["a branch that is none", {}, { default_branch: "a..b" }, 422, "default_branch"],
    ["no owner", {}, { owner: "" }, 422, "owner"],
    ["git hooks", {}, { git_hooks: true }, 422, "git_hooks"],
    ["a name that is taken", {}, { name: "taken" }, 409, "already exists"],
  ])("%s", async (_, fields, asked, status, words) => {
    if (!(await bob.api.get("/repos/bob/taken")).headers.has("etag")) {
      await app.repository(bob, "taken");
    }
    const { path } = await newTemplate({ a: "a" }, fields);
    const [before, stored] = [await repositories(), await packs()];
    const answer = await generate(bob, path, { name: "copy", ...asked });
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(words)]);
    expect([await repositories(), await packs()]).toEqual([before, stored]);
  });

  test("a repository more than the owner may have", async () => {
    const { path } = await newTemplate({ a: "a" });
    const carol = await app.user("carol");
    await admin.api.patch("/admin/users/carol", { max_repo_creation: 0 });
    expect((await generate(carol, path, { name: "copy" })).status).toBe(403);
  });
});

test("webhooks are taken over, with what is sealed, and only by administrators of the template", async () => {
  const { path } = await newTemplate({ a: "a" });
  const option = { type: "gitea", events: ["push", "issues"], active: true, authorization_header: "Basic eA==" };
  const config = { url: "https://hooks.example.com/", content_type: "json", secret: "hush" };
  const hook = await alice.api.post<{ id: number }>(`${path}/hooks`, { ...option, config });
  expect(hook.status).toBe(201);
  const refused = await generate(bob, path, { name: "no-hooks", webhooks: true });
  expect([refused.status, refused.body.message]).toEqual([
    422,
    "webhooks cannot be taken over: you do not administer the template",
  ]);
  const narrow = await app.scoped(alice, "write:repository");
  const asked = { owner: "alice", name: "with-hooks", webhooks: true };
  expect((await narrow.post(`${path}/generate`, asked)).status).toBe(403);
  expect((await alice.api.post(`${path}/generate`, asked)).status).toBe(201);
  const rows =
    await sql`select url, events, active, secret is not null secret, "authorization" is not null header from hook
    where repository_id = (select id from repository where name = 'with-hooks')`;
  expect([...rows]).toEqual([
    {
      url: config.url,
      events: ["push", "issues", "issue_assign", "issue_label", "issue_milestone", "issue_comment"],
      active: true,
      secret: true,
      header: true,
    },
  ]);
});

test("labels are taken over, those of the template's organization not, and only by readers of its issues", async () => {
  const { name, path } = await newTemplate({ a: "a" });
  for (const label of ["dry", "wet"]) {
    await alice.api.post(`${path}/labels`, { name: label, color: "#aabbcc", description: `It is ${label}` });
  }
  const asked = { name: `labelled-${name}`, git_content: false, labels: true };
  expect((await generate(bob, path, asked)).status).toBe(201);
  const { body } = await bob.api.get<{ name: string }[]>(`/repos/bob/${asked.name}/labels`);
  expect(body).toMatchObject(["dry", "wet"].map((label) => ({ name: label, description: `It is ${label}` })));
  await alice.api.patch(path, { has_issues: false, has_pull_requests: false });
  const refused = await generate(bob, path, { ...asked, name: "unlabelled" });
  expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("labels")]);
});

test("the answer is the repository, with one commit of the doer and nothing of the template's history", async () => {
  const { name, path } = await newTemplate({ "README.md": "one" }, { topics: [] });
  await alice.api.put(`${path}/topics`, { topics: ["bones", "white"] });
  const { body: old } = await alice.api.get<{ content: { sha: string } }>(`${path}/contents/README.md`);
  const oldSha = (old as unknown as { sha: string }).sha;
  await alice.api.put(`${path}/contents/README.md`, { content: btoa("two"), sha: oldSha });
  await alice.api.post(`${path}/contents/more/deep/file.txt`, { content: btoa("deep") });

  const { status, body } = await generate(bob, path, { name: "fresh", description: "flesh", topics: true });
  expect(status).toBe(201);
  expect(redact(body)).toMatchObject({
    full_name: "bob/fresh",
    description: "flesh",
    empty: false,
    private: false,
    fork: false,
    template: false,
    default_branch: "main",
    topics: ["bones", "white"],
    permissions: { admin: true, push: true, pull: true },
  });
  expect(await filesOf(bob, "bob/fresh")).toEqual({ "README.md": "two", "more/deep/file.txt": "deep" });
  const { body: log } =
    await bob.api.get<{ sha: string; parents: unknown[]; commit: { message: string; author: { name: string } } }[]>(
      "/repos/bob/fresh/commits",
    );
  expect(log.map(({ parents, commit }) => [parents, commit.message.trim(), commit.author.name])).toEqual([
    [[], "Initial commit", "bob"],
  ]);
  // What the template was before is no part of it, by no address.
  expect((await bob.api.get(`/repos/bob/fresh/git/blobs/${oldSha}`)).status).toBe(404);
  expect((await bob.api.get(path)).status).toBe(200);
  expect([
    ...(await sql`select count(*)::int as shared from repository_pack one
      join repository_pack other on other.pack_id = one.pack_id and other.repository_id <> one.repository_id
      join repository on repository.id = one.repository_id where repository.name in (${name}, 'fresh')`),
  ]).toEqual([{ shared: 0 }]);
  const told = await sql<{ kind: string }[]>`select kind from outbox
    where repository_id = (select id from repository where name = 'fresh') order by id`;
  expect(told.map(({ kind }) => kind)).toEqual(["repository.created", "refs.moved"]);
});

test("options: another default branch, private, into an organization by somebody who may only create there", async () => {
  const { path } = await newTemplate({ a: "a" });
  await app.organization("forge", alice);
  await makeTeam(alice, "forge", { name: "makers", permission: "read", can_create_org_repo: true }, [bob]);
  const { status, body } = await generate(bob, path, {
    owner: "Forge",
    name: "made",
    private: true,
    default_branch: "trunk",
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({ full_name: "forge/made", private: true, default_branch: "trunk", topics: [] });
  expect(
    (await bob.api.get<{ name: string }[]>("/repos/forge/made/branches")).body.map((branch) => branch.name),
  ).toEqual(["trunk"]);
  expect((await bob.api.get("/repos/forge/made/collaborators/bob/permission")).body).toMatchObject({
    permission: "admin",
  });
});

test("a template without a commit gives an empty repository, and one of SHA-256 one of SHA-256", async () => {
  const hollow = await newTemplate({});
  expect((await generate(bob, hollow.path, { name: "hollow" })).body).toMatchObject({ empty: true });
  const modern = await newTemplate({ a: "a" }, { object_format_name: "sha256" });
  expect((await generate(bob, modern.path, { name: "modern" })).body).toMatchObject({
    object_format_name: "sha256",
    empty: false,
  });
  expect(await filesOf(bob, "bob/modern")).toEqual({ a: "a" });
});

test("an archived template can be used, and topics without content, too", async () => {
  const { path } = await newTemplate({ a: "a" });
  await alice.api.put(`${path}/topics`, { topics: ["old"] });
  await alice.api.patch(path, { archived: true });
  const { status, body } = await generate(bob, path, { name: "only-topics", git_content: false, topics: true });
  expect([status, body]).toEqual([201, expect.objectContaining({ empty: true, topics: ["old"], archived: false })]);
});

test("a picture and LFS objects are taken over, each counted for the new owner", async () => {
  const { name, path } = await newTemplate({ a: "a" });
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  expect((await alice.api.post(`${path}/avatar`, { image: png })).status).toBe(204);
  const bytes = Buffer.alloc(500, 3);
  const oid = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const batch = await fetch(`${app.url}/alice/${name}.git/info/lfs/objects/batch`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`alice:${alice.token}`)}`,
      "content-type": "application/vnd.git-lfs+json",
      accept: "application/vnd.git-lfs+json",
    },
    body: JSON.stringify({ operation: "upload", objects: [{ oid, size: bytes.length }] }),
  });
  type Batch = { objects: { actions: { upload: { href: string; header: Record<string, string> } } }[] };
  const { upload } = ((await batch.json()) as Batch).objects[0]!.actions;
  await fetch(upload.href, { method: "PUT", headers: upload.header, body: bytes });

  const { body } = await generate(bob, path, { name: "rich", avatar: true });
  const { body: template } = await alice.api.get<{ avatar_url: string }>(path);
  const { id, avatar_url: picture, size } = body as unknown as { id: number; avatar_url: string; size: number };
  expect(picture.split("/").at(-1)).toBe(template.avatar_url.split("/").at(-1)!);
  expect((await fetch(picture)).status).toBe(200);
  expect(size).toBeGreaterThan(0);
  expect([
    ...(await sql`select kind, owner_id::int, bytes::int from blob_reference where subject_id = ${id} order by kind`),
  ]).toEqual([
    { kind: "lfs-object", owner_id: bob.id, bytes: 500 },
    { kind: "repository-avatar", owner_id: bob.id, bytes: Buffer.from(png, "base64").length },
  ]);
  expect([...(await sql`select lfs_bytes::int from repository_size where repository_id = ${id}`)]).toEqual([
    { lfs_bytes: 500 },
  ]);
});

describe("variables", () => {
  test("are replaced in the files that the template names, in their names and contents, and nowhere else", async () => {
    const { name, path } = await newTemplate({
      ".gitea/template": "# what is expanded\n\n**.md\r\nsrc/{main,other}.[tj]s\n**/$REPO_NAME_*.txt\n",
      "README.md":
        "# ${REPO_NAME_TITLE}\n$REPO_NAME by ${REPO_OWNER}, of $TEMPLATE_OWNER/${TEMPLATE_NAME}: $REPO_DESCRIPTION\n",
      "docs/deep/${REPO_NAME}.md":
        "${REPO_NAME_SNAKE} ${REPO_NAME_KEBAB} ${REPO_NAME_CAMEL} ${REPO_NAME_PASCAL} ${REPO_NAME_LOWER} ${REPO_NAME_UPPER}\n",
      "src/main.ts": "$UNKNOWN ${UNKNOWN} $$REPO_NAME $${REPO_NAME} $REPO_NAMES $ ${} $1 ${REPO_NAME",
      "src/other.js": "${TEMPLATE_DESCRIPTION}|${REPO_LINK}|${REPO_HTTPS_URL}|${REPO_SSH_URL}|${TEMPLATE_LINK}",
      "src/else.ts": "${REPO_NAME}",
      "src/deep/main.ts": "${REPO_NAME}",
      "a/$REPO_NAME_UPPER/$REPO_NAME_x.txt": "",
      "text/$REPO_NAME_.txt": "$YEAR-$MONTH-$DAY $MONTH_ENGLISH_UPPER",
      "bytes.md": "\u00e9 $REPO_OWNER_UPPER \u{1f600}",
    });
    const before = new Date();
    const { status } = await generate(bob, path, { name: "myHTTP-tool_v2", description: "fl\u00e9sh" });
    expect(status).toBe(201);
    const clone = (owner: string, of: string) => `${app.url}/${owner}/${of}`;
    const files = await filesOf(bob, "bob/myHTTP-tool_v2");
    const today = files["text/$REPO_NAME_.txt"]!;
    expect(files).toEqual({
      "README.md": `# Myhttp-Tool_v2\nmyHTTP-tool_v2 by bob, of alice/${name}: fl\u00e9sh\n`,
      "docs/deep/myHTTP-tool_v2.md":
        "my_http_tool_v2 my-http-tool-v2 myHttpToolV2 MyHttpToolV2 myhttp-tool_v2 MYHTTP-TOOL_V2\n",
      "src/main.ts": "$UNKNOWN ${UNKNOWN} $REPO_NAME ${REPO_NAME} $REPO_NAMES $ ${} $1 ${REPO_NAME",
      "src/other.js": `bones|${clone("bob", "myHTTP-tool_v2")}|${clone("bob", "myHTTP-tool_v2")}.git|${app.ssh}/bob/myHTTP-tool_v2.git|${clone("alice", name)}`,
      "src/else.ts": "${REPO_NAME}",
      "src/deep/main.ts": "${REPO_NAME}",
      "a/MYHTTP-TOOL_V2/$REPO_NAME_x.txt": "",
      "text/$REPO_NAME_.txt": today,
      "bytes.md": "\u00e9 BOB \u{1f600}",
    });
    const months = before.toLocaleDateString("en", { month: "long", timeZone: "UTC" }).toUpperCase();
    expect(today).toBe(`${before.toISOString().slice(0, 10)} ${months}`);
  });

  test("as Forgejo's list says, where there are two, and no list is copied", async () => {
    const { path } = await newTemplate({
      ".forgejo/template": "one.txt\n",
      ".gitea/template": "**\n",
      ".gitea/workflows/x.yml": "$REPO_NAME",
      "one.txt": "$REPO_NAME",
      "two.txt": "$REPO_NAME",
    });
    await generate(bob, path, { name: "listed" });
    expect(await filesOf(bob, "bob/listed")).toEqual({
      ".gitea/workflows/x.yml": "$REPO_NAME",
      "one.txt": "listed",
      "two.txt": "$REPO_NAME",
    });
  });

  test("leave bytes that are no text, and the targets of symbolic links", async () => {
    const { name, path } = await newTemplate({ ".gitea/template": "**\n" });
    using scratch = new Scratch();
    const directory = join(scratch.path, "clone");
    const url = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
    await mustGit(scratch.path, ["clone", "-q", url, directory]);
    await Bun.write(`${directory}/raw.bin`, new Uint8Array([0xff, 0x24, 0x44, 0x41, 0x59, 0x00, 0xfe]));
    await Bun.$`ln -s '../$REPO_NAME' link && chmod +x raw.bin`.cwd(directory);
    await mustGit(directory, ["add", "."]);
    await mustGit(directory, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]);
    await mustGit(directory, ["push", "-q"]);
    expect((await generate(bob, path, { name: "linked" })).status).toBe(201);
    const day = String(new Date().getUTCDate()).padStart(2, "0");
    const { body } = await bob.api.get<{ tree: { path: string; mode: string; sha: string }[] }>(
      "/repos/bob/linked/git/trees/HEAD?recursive=true",
    );
    expect(body.tree.map((entry) => [entry.path, entry.mode])).toEqual([
      ["link", "120000"],
      ["raw.bin", "100755"],
    ]);
    const read = async (sha: string) =>
      Buffer.from(
        (await bob.api.get<{ content: string }>(`/repos/bob/linked/git/blobs/${sha}`)).body.content,
        "base64",
      );
    expect((await read(body.tree[0]!.sha)).toString()).toBe("../$REPO_NAME");
    expect([...(await read(body.tree[1]!.sha))]).toEqual([0xff, ...Buffer.from(day), 0x00, 0xfe]);
  });

  test.each([
    ["a path outside", { "${REPO_DESCRIPTION}.txt": "x" }, "../../etc/passwd", "not allowed in it"],
    ["an absolute path", { "${REPO_DESCRIPTION}": "x" }, "/etc/passwd", "relative"],
    ["into git's own directory", { "${REPO_DESCRIPTION}": "x" }, ".git/config", "not allowed in it"],
    ["a path that is none", { "${REPO_DESCRIPTION}": "x" }, "", "not empty"],
    ["a file that is there", { "${REPO_DESCRIPTION}": "x", here: "y" }, "here", "exists already"],
    ["below a file", { "${REPO_DESCRIPTION}": "x", here: "y" }, "here/there", "not a directory"],
    ["one place for two files", { "${REPO_NAME}": "x", "${REPO_NAME_LOWER}": "y" }, "", "exists already"],
  ])("that lead to %s are a clear error, and nothing is stored", async (_, files, description, words) => {
    const { path } = await newTemplate({ ".gitea/template": "**\n", ...files });
    const [before, stored] = [await repositories(), await packs()];
    const answer = await generate(bob, path, { name: `outside-${++number}`, description });
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(words)]);
    expect(answer.body.message).toStartWith("The template cannot be used: ");
    expect([await repositories(), await packs()]).toEqual([before, stored]);
  });

  test.each([
    ["patterns without end", { ".gitea/template": `${"{a,b}".repeat(30)}\n` }, "patterns"],
    ["a list without end", { ".gitea/template": "x\n".repeat(200_000) }, "bytes"],
    ["a pattern without end", { ".gitea/template": `${"x*".repeat(5000)}\n` }, "characters"],
    ["more text than is made", { ".gitea/template": "**\n", big: "$REPO_DESCRIPTION ".repeat(500_000) }, "too large"],
    ["more text than is read", { ".gitea/template": "**\n", big: "x".repeat(17 * 1024 * 1024) }, "too large together"],
  ])("a template with %s is refused", async (_, files, words) => {
    const { path } = await newTemplate(files);
    const workedMs = measureWork();
    const answer = await generate(bob, path, { name: `bomb-${++number}`, description: "d".repeat(2000) });
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(words)]);
    expect(workedMs()).toBeLessThan(5000);
  });
});
