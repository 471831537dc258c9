import { describe, expect, test } from "bun:test";
import { mustGit, runGit } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { makeTeam } from "../support/team.ts";
import { until } from "../support/until.ts";
import { useProtectedRefs } from "./protected-fixture.ts";
import { measureWork } from "../support/process-work.ts";
import { repeated } from "../support/thorough.ts";

/** What protections of branches and tags do to real pushes by HTTP and SSH. The API's part is in `test/api/protected-refs.test.ts`. */

const { app, alice, bob, carl, keys, work, http, ssh, repository, protect, tip, oid, commitFile, aside } =
  await useProtectedRefs();
const transports = [
  ["HTTP", http],
  ["SSH", ssh],
] as const;

describe.each(repeated(transports, 1))("over %s", (transport, push) => {
  test("a protected branch takes pushes of those on its list, and says why it takes no others", async () => {
    const base = await repository(`list-${transport}`);
    const name = `list-${transport}`;
    await protect(base, {
      rule_name: "main",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob"],
    });
    const before = await tip(base);
    for (const user of [carl, alice]) {
      const refused = await push(user, name, "main");
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toMatch(
        /remote: protected branch main: you are not on the list of those who may push to it/,
      );
      expect(refused.stderr).toContain(
        "[remote rejected] main -> main (protected branch main: you are not on the list",
      );
    }
    expect(await tip(base)).toBe(before);
    expect((await push(bob, name, "main")).code).toBe(0);
    expect(await tip(base)).toBe(await oid("main"));
    // Other branches are free.
    expect((await push(carl, name, "main:refs/heads/topic", "+main~2:refs/heads/other")).code).toBe(0);
    expect((await push(carl, name, "+main~1:topic", ":other")).code).toBe(0);
  });

  test("a branch that takes no push takes none of its administrators either; a push is done as far as it may be", async () => {
    const name = `closed-${transport}`;
    const base = await repository(name);
    await protect(base, { rule_name: "main" });
    const both = await push(alice, name, "main", "main:refs/heads/topic");
    expect(both.stderr).toContain("protected branch main: nobody may push to it; changes come by pull requests");
    expect([await tip(base), await tip(base, "topic")]).toEqual([await oid("main~1"), await oid("main")]);
    const atomic = await push(alice, name, "--atomic", "main", "main:refs/heads/second");
    expect(atomic.stderr).toContain("remote: protected branch main: nobody may push to it");
    expect(await tip(base, "second")).toBeUndefined();
  });

  test("nobody forces or deletes a protected branch, but those who may", async () => {
    const name = `forced-${transport}`;
    const base = await repository(name);
    await push(alice, name, "main", "main:refs/heads/dev");
    await protect(base, { rule_name: "dev", enable_push: true });
    expect((await push(bob, name, "+main~2:dev")).stderr).toContain("protected branch dev: nobody may force it");
    expect((await push(bob, name, ":dev")).stderr).toContain("protected branch dev: nobody may delete it");
    const rule = `${base}/branch_protections/dev`;
    await alice.api.patch(rule, {
      enable_force_push: true,
      enable_force_push_allowlist: true,
      force_push_allowlist_usernames: ["carl"],
      enable_delete: true,
      enable_delete_allowlist: true,
      delete_allowlist_usernames: ["carl"],
    });
    expect((await push(bob, name, "+main~2:dev")).stderr).toContain("not on the list of those who may force it");
    expect((await push(bob, name, ":dev")).stderr).toContain("not on the list of those who may delete it");
    expect(await tip(base, "dev")).toBe(await oid("main"));
    expect((await push(carl, name, "+main~2:dev")).code).toBe(0);
    expect((await push(bob, name, "main:dev")).code).toBe(0);
    expect((await push(carl, name, ":dev")).code).toBe(0);
    expect(await tip(base, "dev")).toBeUndefined();
    // The rule stays, and is for whoever makes the branch again.
    await alice.api.patch(rule, { enable_push: false });
    expect((await push(bob, name, "main:refs/heads/dev")).stderr).toContain("nobody may push to it");
  });

  test("patterns protect what is new, too; the exact name comes first", async () => {
    const name = `globs-${transport}`;
    const base = await repository(name);
    await protect(base, { rule_name: "release/*" });
    await protect(base, { rule_name: "release/open", enable_push: true });
    await protect(base, {
      rule_name: "{x,y}/**",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["carl"],
    });
    const result = await push(
      bob,
      name,
      "main:refs/heads/release/1",
      "main:refs/heads/release/open",
      "main:refs/heads/release/1/0",
      "main:refs/heads/y/a/b",
    );
    const refused = [...result.stderr.matchAll(/! \[remote rejected\] main -> (\S+)/g)].map(([, ref]) => ref);
    expect(refused.toSorted()).toEqual(["release/1", "y/a/b"]);
    expect((await push(carl, name, "main:refs/heads/y/a/b")).code).toBe(0);
  });

  test("protected files stay as they are, and unprotected ones are for everybody", async () => {
    const name = `files-${transport}`;
    const base = await repository(name);
    await push(alice, name, "main");
    await protect(base, {
      rule_name: "main",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob"],
      protected_file_patterns: "secret/**;*.lock",
      unprotected_file_patterns: "docs/**",
    });
    await aside(async () => {
      await commitFile({ "docs/a.txt": "1\n" });
      const docs = await oid("HEAD");
      expect((await push(carl, name, `${docs}:main`)).code).toBe(0);
      await commitFile({ "docs/b.txt": "1\n", "code.ts": "1\n" });
      expect((await push(carl, name, "HEAD:main")).stderr).toContain(
        '"code.ts" is none of the files that anybody may change',
      );
      expect((await push(bob, name, "HEAD:main")).code).toBe(0);
      await commitFile({ "secret/deep/key": "1\n" });
      expect((await push(bob, name, "HEAD:main")).stderr).toContain(
        'protected branch main: the file "secret/deep/key" is protected',
      );
      // A branch that is new is compared with the default one.
      await protect(base, { rule_name: "new/*", enable_push: true, protected_file_patterns: "secret/**" });
      expect((await push(bob, name, "HEAD:refs/heads/new/a")).stderr).toContain(
        'the file "secret/deep/key" is protected',
      );
      expect((await push(bob, name, "HEAD~1:refs/heads/new/b")).code).toBe(0);
    });
  });

  test("commits have to be signed by somebody whom the server knows", async () => {
    const name = `signed-${transport}`;
    const base = await repository(name);
    await push(alice, name, "main");
    await protect(base, { rule_name: "main", enable_push: true, require_signed_commits: true });
    const key = keys.get(bob)!;
    const { body } = await bob.api.get<{ email: string }>("/user");
    await aside(async () => {
      const sign = ["-c", "gpg.format=ssh", "-c", `user.signingkey=${key.path}.pub`, "-c", `user.email=${body.email}`];
      await mustGit(work, [...sign, "commit", "-q", "-S", "--allow-empty", "-m", "signed"], {
        env: { GIT_COMMITTER_EMAIL: body.email },
      });
      const signed = await oid("HEAD");
      await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "unsigned"]);
      const unsigned = await oid("HEAD");
      const refused = await push(bob, name, "HEAD:main");
      expect(refused.stderr).toContain(
        `protected branch main: its commits have to be signed, and ${unsigned.slice(0, 10)}`,
      );
      expect((await push(bob, name, `${signed}:main`)).code).toBe(0);
      // That a commit is in another branch already does not make it signed.
      expect((await push(bob, name, "HEAD:refs/heads/free")).code).toBe(0);
      expect((await push(bob, name, "HEAD:main")).code).not.toBe(0);
      expect(await tip(base)).toBe(signed);
    });
  });

  test("tags are made, moved and deleted by those on the list", async () => {
    const name = `tags-${transport}`;
    const base = await repository(name);
    const { status } = await alice.api.post(`${base}/tag_protections`, {
      name_pattern: "v*",
      whitelist_usernames: ["bob"],
    });
    expect(status).toBe(201);
    const refused = await push(alice, name, "main:refs/tags/v1", "main:refs/tags/other");
    expect(refused.stderr).toContain("remote: protected tag v1: only the users and teams on the list");
    expect(refused.stderr).toContain("[new tag]");
    expect((await push(bob, name, "main:refs/tags/v1")).code).toBe(0);
    expect((await push(carl, name, "+main~1:refs/tags/v1")).stderr).toContain("protected tag v1");
    expect((await push(carl, name, ":refs/tags/v1")).stderr).toContain("protected tag v1");
    expect((await alice.api.get<{ id: string }>(`${base}/tags/v1`)).body.id).toBe(await oid("main"));
    expect((await push(bob, name, "+main~1:refs/tags/v1")).code).toBe(0);
    expect((await push(bob, name, ":refs/tags/v1")).code).toBe(0);
  });
});

test("a deploy key pushes where the rule says so, and is on no list of users", async () => {
  const base = await repository("deployed");
  await protect(base, {
    rule_name: "main",
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ["bob"],
  });
  await alice.api.post(`${base}/tag_protections`, { name_pattern: "v*", whitelist_usernames: ["bob"] });
  using key = new SshKeyPair();
  expect((await alice.api.post(`${base}/keys`, { title: "ci", key: key.publicKey, read_only: false })).status).toBe(
    201,
  );
  const deploy = (...args: string[]) =>
    runGit(work, ["push", `${app.ssh}/forge/deployed.git`, ...args], { env: key.env });
  expect((await deploy("main")).stderr).toContain("protected branch main: you are not on the list");
  expect((await deploy("main:refs/tags/v1")).stderr).toContain("protected tag v1");
  await alice.api.patch(`${base}/branch_protections/main`, { push_whitelist_deploy_keys: true });
  expect((await deploy("main")).code).toBe(0);
  await alice.api.patch(`${base}/branch_protections/main`, { enable_delete: true });
  expect((await deploy(":main")).stderr).toContain("refusing to delete the default branch");
});

test("a member of a listed team pushes for as long as they are one", async () => {
  const base = await repository("by-team");
  const devs = await makeTeam(alice, "forge", { name: "devs", permission: "write", includes_all_repositories: true }, [
    carl,
  ]);
  await protect(base, {
    rule_name: "main",
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_teams: ["devs"],
  });
  expect((await http(bob, "by-team", "main")).code).not.toBe(0);
  expect((await http(carl, "by-team", "main")).code).toBe(0);
  await alice.api.delete(`/teams/${devs.id}/members/carl`);
  await mustGit(work, ["checkout", "-q", "main"]);
  await aside(async () => {
    await commitFile({ "more.txt": "1\n" });
    expect((await http(carl, "by-team", "HEAD:main")).stderr).toContain("not on the list");
  });
});

test("a rule that is made while a push is on its way counts for it", async () => {
  const base = await repository("raced");
  // The repository's row is held, so that the push waits with its pack checked.
  const { sql } = app.forge.database;
  let pushed: ReturnType<typeof runGit> | null = null;
  await sql.begin(async (tx) => {
    const [row] = await tx`select id from repository where name = 'raced' for update`;
    pushed = http(alice, "raced", "main");
    const waits = async () =>
      Number((await sql`select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'`)[0]?.["n"]) > 0;
    await until("the push waits for the repository", waits);
    await tx`insert into branch_protection (repository_id, rule_name, priority) values (${row?.["id"]}, 'main', 1)`;
  });
  expect((await pushed!).stderr).toContain("protected branch main: nobody may push to it");
  expect(await tip(base)).toBe(await oid("main~1"));
});

test("a push that names another old commit than the branch has is told so, whatever the rule would have to look at", async () => {
  const base = await repository("stale");
  await protect(base, {
    rule_name: "main",
    enable_push: true,
    require_signed_commits: true,
    protected_file_patterns: "*",
  });
  const before = await tip(base);
  const lease = await http(alice, "stale", `--force-with-lease=main:${await oid("main~2")}`, "main~2:main");
  expect(lease.stderr).toContain("stale info");
  // Not from git: an old oid that the server has no object of.
  const line = `${"1".repeat(40)} ${await oid("main~1")} refs/heads/main\0report-status`;
  const command = `${(line.length + 4).toString(16).padStart(4, "0")}${line}0000`;
  const response = await fetch(`${app.url}/forge/stale.git/git-receive-pack`, {
    method: "POST",
    headers: {
      "content-type": "application/x-git-receive-pack-request",
      authorization: `Basic ${btoa(`${alice.name}:${alice.token}`)}`,
    },
    body: Buffer.concat([Buffer.from(command), emptyPack()]),
  });
  expect(await response.text()).toContain("ng refs/heads/main cannot lock ref");
  expect(await tip(base)).toBe(before);
});

/** A pack of no objects. */
function emptyPack(): Buffer {
  const head = Buffer.from("5041434b0000000200000000", "hex");
  return Buffer.concat([head, new Bun.CryptoHasher("sha1").update(head).digest()]);
}

test("more commits than are checked at once are pushed in parts", async () => {
  const base = await repository("many");
  await protect(base, { rule_name: "main", enable_push: true, require_signed_commits: true });
  const stream = Array.from(
    { length: 501 },
    (_, at) =>
      `commit refs/heads/many\ncommitter C <c@example.com> ${1_700_000_000 + at} +0000\ndata 1\nx\n${at === 0 ? "from refs/heads/main\n" : ""}\n`,
  ).join("");
  await mustGit(work, ["fast-import", "--quiet"], { input: stream });
  const refused = await http(alice, "many", "many:main");
  expect(refused.stderr).toContain("these are more than are looked at at once; push them in parts");
  expect(await tip(base)).toBe(await oid("main~1"));
});

test("patterns and names that were made to take long are refused, and hold nobody up", async () => {
  const base = await repository("slow");
  // Parts of a path have at most 255 bytes where git keeps refs in files.
  const long = Array.from({ length: 7 }, () => "a".repeat(250)).join("/");
  expect((await http(alice, "slow", `main:refs/heads/${long}`)).code).toBe(0);
  await app.forge.database.sql`insert into branch_protection (repository_id, rule_name, priority)
    select id, repeat('**a', 80) || n, n from repository, generate_series(1, 100) n where name = 'slow'`;
  const workedMs = measureWork();
  const listed = await alice.api.get<{ message: string }>(`${base}/branches`);
  expect([listed.status, listed.body.message]).toEqual([
    429,
    expect.stringContaining("The names are more than the patterns"),
  ]);
  const pushed = await http(alice, "slow", `main~1:refs/heads/${long}x`);
  expect(pushed.stderr).toContain("The names are more than the patterns");
  // Far more than it takes: without a bound it would be minutes.
  expect(workedMs()).toBeLessThan(15_000);
  expect((await http(alice, "slow", "main:refs/heads/short")).code).toBe(0);
});
