import type { ApiClient } from "./client.ts";

/** The people of the content; mara administers the server and owns the organization forge. */
export const people = ["mara", "oskar", "priya", "tomas"] as const;
export type Person = (typeof people)[number];

const day = 86_400_000;
const encode = (text: string) => Buffer.from(text).toString("base64");

const readme = `# Stithy

Stithy is a self-hosted git forge in one executable. Run it at home, in a company or inside a test suite. It serves git over HTTP and SSH and the REST API that Gitea and Forgejo share, and it brings its own PostgreSQL.

- **One executable, no setup.** You install no \`git\`, no database server and no web server.
- **Durable.** Refs are rows in PostgreSQL. Packs are immutable files, written to disk before the server answers a push.
- **Its own git engine.** Clones stream packs as they are on disk. Pushes are checked as strictly as \`git fsck --strict\` does.

## Start it, test it

In a checkout of this repository:

\`\`\`sh
npx -y bun@1.4.5 run start -- serve --data /var/lib/stithy --port 3000 --a-line-that-is-wider-than-the-column-of-the-page=yes
\`\`\`

The server listens on <http://127.0.0.1:3000>. Its first start creates an administrator named \`root\` and shows the password once, at the end.

| part | what |
|---|---|
| api | the REST API |
| git | the engine |
`;

const source = `import { join } from "node:path";

/** Opens the forge: the database first, then the stores. */
export async function open(directory: string): Promise<Forge> {
  const database = await openDatabase(join(directory, "postgres"));
  return new Forge(database, { limit: 1_000, name: "forge" });
}
`;

type Files = Readonly<Record<string, string>>;

/** Commits of forge/stithy: who, how many days ago, the message, and the whole contents of files. */
const history: readonly [by: Person, daysAgo: number, message: string, files: Files][] = [
  ["mara", 21, "begin", { LICENSE: mit("mara"), "src/main.ts": source, ".gitattributes": "*.bundle binary\n" }],
  ["oskar", 14, "test: keep bundles as they are", { ".gitattributes": "*.bundle -text\n" }],
  [
    "mara",
    9,
    "build: name the piece of the executable that is missing",
    { "build.ts": source, "build.sh": "bun build\n" },
  ],
  [
    "priya",
    8,
    "deps: openpgp 6.3.2",
    { "package.json": '{ "name": "stithy", "version": "0.1.0" }\n', "bun.lock": "{}\n" },
  ],
  [
    "oskar",
    6,
    "docs: README anew, deploy and testing, a Dockerfile",
    { "README.md": readme, "docs/deploy.md": "# Deploy\n" },
  ],
  ["mara", 5, "notifications: count them by the index that has all columns", { "drizzle/0001.sql": "create index;\n" }],
  ["tomas", 4, "queue: look for jobs only where there may be some", { "src/queue.ts": source }],
  ["priya", 3, "bench: keep the measured server’s database on the disk", { "bench/api.ts": source }],
  ["oskar", 3, "test: run sweeps that take longer than ten seconds in the long run", { "test/sweep.test.ts": source }],
  [
    "oskar",
    3,
    "docs: figures of sign-ins, measured again",
    { "CHANGELOG.md": "# Changes\n", "docs/benchmarks.md": "# Figures\n" },
  ],
];

function mit(holder: string): string {
  return `MIT License

Copyright (c) 2026 ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
}

/**
 * Fills a server with what the pages of the test and the pictures show: forge/stithy with a history, branches, tags, a release, issues
 * and a pull request, and repositories that are private, empty or a fork. It needs no network. `clients` are those of `people`.
 */
export async function makeWebContent(clients: Readonly<Record<Person, ApiClient>>, now = Date.now()): Promise<void> {
  async function call<Body>(
    by: Person,
    method: "GET" | "POST" | "PUT" | "PATCH",
    path: string,
    body?: unknown,
  ): Promise<Body> {
    const reply = await clients[by].request<Body>(method, path, { body });
    if (reply.status >= 400) {
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    return reply.body;
  }
  const known = new Map<string, string>();
  async function commit(by: Person, daysAgo: number, message: string, files: Files, newBranch?: string) {
    const at = new Date(now - daysAgo * day).toISOString();
    const operations = Object.entries(files).map(([path, text]) => {
      const sha = known.get(path);
      const operation = sha === undefined ? { operation: "create" } : { operation: "update", sha };
      return Object.assign(operation, { path, content: encode(text) });
    });
    const author = { name: by, email: `${by}@example.com` };
    const made = await call<{ commit: { sha: string }; files: ({ path: string; sha: string } | null)[] }>(
      "mara",
      "POST",
      "/repos/forge/stithy/contents",
      {
        message,
        files: operations,
        author,
        committer: author,
        dates: { author: at, committer: at },
        ...(newBranch === undefined ? {} : { new_branch: newBranch }),
      },
    );
    if (newBranch === undefined) {
      for (const file of made.files) {
        known.set(file?.path ?? "", file?.sha ?? "");
      }
    }
    return made.commit.sha;
  }

  await call("mara", "POST", "/orgs", { username: "forge", full_name: "The forge" });
  await call("mara", "POST", "/orgs/forge/repos", {
    name: "stithy",
    description: "A self-hosted git forge in one executable",
  });
  await call("mara", "PATCH", "/repos/forge/stithy", { website: "https://stithy.example.org" });
  await call("mara", "PUT", "/repos/forge/stithy/topics", { topics: ["forge", "git", "self-hosted", "bun"] });
  let head = "";
  for (const [by, daysAgo, message, files] of history) {
    head = await commit(by, daysAgo, message, files);
  }
  const changed = source.replace("1_000", "2_000");
  await commit("tomas", 1, "queue: take more at once", { "src/queue.ts": changed }, "queue/more-at-once");
  await commit("priya", 2, "docs: say how to deploy", { "docs/deploy.md": "# Deploy\n\nCopy the file.\n" }, "docs");
  for (const state of ["success", "pending"] as const) {
    const context = state === "success" ? "ci/test" : "ci/long";
    await call("mara", "POST", `/repos/forge/stithy/statuses/${head}`, { state, context, description: "The tests" });
  }
  await call("mara", "POST", `/repos/forge/stithy/statuses/${head}`, { state: "success", context: "ci/long" });
  for (const tag of ["v0.1.0", "v0.1.1"]) {
    await call("mara", "POST", "/repos/forge/stithy/releases", {
      tag_name: tag,
      name: tag,
      body: "The **first** ones",
    });
  }
  await call("mara", "POST", "/repos/forge/stithy/releases", { tag_name: "v0.2.0", name: "The next one", draft: true });
  const { id: releaseId } = await call<{ id: number }>("mara", "GET", "/repos/forge/stithy/releases/tags/v0.1.1");
  const assets = `/repos/forge/stithy/releases/${releaseId}/assets`;
  await clients.mara.request("POST", `${assets}?name=${encodeURIComponent("stithy-linux-x64.tar.gz")}`, {
    body: Buffer.from("the executable"),
  });
  const issues = [
    "A clone over SSH stops at 2 GB behind the company’s proxy",
    "Sessions list shows raw user agents",
    "Offer merge queues for busy branches",
  ];
  for (const title of issues) {
    await call("oskar", "POST", "/repos/forge/stithy/issues", { title, body: "It _happens_ each time." });
  }
  await call("mara", "POST", "/repos/forge/stithy/issues/1/comments", {
    body: "Thank you, @oskar\n\n- [x] found\n- [ ] mended",
  });
  const label = await call<{ id: number }>("mara", "POST", "/repos/forge/stithy/labels", {
    name: "kind/bug",
    color: "#d6453d",
    description: "Something is wrong",
  });
  const milestone = await call<{ id: number }>("mara", "POST", "/repos/forge/stithy/milestones", {
    title: "0.2",
    due_on: new Date(now + 17 * day).toISOString(),
    description: "The **second** one",
  });
  await call("mara", "PATCH", "/repos/forge/stithy/issues/1", {
    title: "A clone over SSH stops at 2 GB behind the company's proxy",
    milestone: milestone.id,
    assignees: ["mara"],
  });
  await call("mara", "POST", "/repos/forge/stithy/issues/1/labels", { labels: [label.id] });
  await call("oskar", "POST", "/repos/forge/stithy/issues/1/reactions", { content: "+1" });
  const pull = { title: "Take more jobs at once", head: "queue/more-at-once", base: "main" };
  await call("mara", "POST", "/repos/forge/stithy/pulls", pull);
  // One whose history was rewritten.
  const docs = { title: "Say how to deploy", head: "docs", base: "queue/more-at-once" };
  await call("mara", "POST", "/repos/forge/stithy/pulls", docs);
  await call("mara", "POST", "/repos/forge/stithy/pulls/5/update?style=rebase");
  // One with conflicts.
  const fewer = { "src/queue.ts": source.replace("1_000", "500") };
  await commit("oskar", 1, "queue: take fewer at once", fewer, "queue/fewer-at-once");
  const clash = { title: "Take fewer jobs at once", head: "queue/fewer-at-once", base: "queue/more-at-once" };
  await call("mara", "POST", "/repos/forge/stithy/pulls", clash);
  await call("mara", "POST", "/repos/forge/stithy/branch_protections", {
    rule_name: "queue/**",
    enable_push: true,
    required_approvals: 1,
    enable_status_check: true,
    status_check_contexts: ["ci/test"],
  });
  await call("mara", "POST", "/repos/forge/stithy/tag_protections", {
    name_pattern: "v*",
    whitelist_usernames: ["mara"],
  });
  const wiki = "# The wiki\n\nSee [[Setup]] and [[what is missing|Nothing#here]].\n\n## More\n";
  await call("mara", "POST", "/repos/forge/stithy/wiki/new", { title: "Home", content_base64: encode("# The wiki\n") });
  await call("mara", "PATCH", "/repos/forge/stithy/wiki/page/Home", {
    content_base64: encode(wiki),
    message: "Say more",
  });
  for (const title of ["Setup", "_Sidebar", "_Footer"]) {
    await call("mara", "POST", "/repos/forge/stithy/wiki/new", {
      title,
      content_base64: encode("A [[Home]] of its own\n"),
    });
  }
  for (const version of ["0.9.0", "1.0.0"]) {
    // The registries are beside the API.
    const put = await clients.mara.fetch("PUT", `/../packages/forge/generic/anvil/${version}/anvil.tar.gz`, {
      body: version,
    });
    if (put.status !== 201) {
      throw new Error(`A package could not be published: ${put.status} ${await put.text()}`);
    }
  }
  await call("mara", "POST", "/packages/forge/generic/anvil/-/link/stithy");
  const hook = await call<{ id: number }>("mara", "POST", "/repos/forge/stithy/hooks", {
    type: "gitea",
    config: { url: "https://ci.example.invalid/hook", content_type: "json", secret: "anvil" },
    events: ["push", "pull_request"],
    active: true,
  });
  await call("mara", "POST", `/repos/forge/stithy/hooks/${hook.id}/tests`);
  for (const by of ["oskar", "priya", "tomas"] as const) {
    await call(by, "PUT", "/user/starred/forge/stithy");
  }
  await call("oskar", "POST", "/repos/forge/stithy/forks", {});
  await call("mara", "POST", "/user/repos", { name: "secret", private: true, auto_init: true });
  await call("mara", "POST", "/user/repos", { name: "empty" });
  await call("oskar", "POST", "/user/repos", {
    name: "dotfiles",
    auto_init: true,
    template: true,
    description: "Mine",
  });
  await call("oskar", "PATCH", "/repos/oskar/dotfiles", { archived: true });
}
