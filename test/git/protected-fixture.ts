import { afterAll, expect } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/**
 * For a whole file: a server with the organization forge of alice, bob and carl who write to its repositories, and a work
 * tree with three commits in main. Pushes go by HTTP and SSH.
 */
export async function useProtectedRefs() {
  const app = await useTestApp({ ssh: { enabled: true } });
  const alice = await app.user("alice");
  const bob = await app.user("bob");
  const carl = await app.user("carl");
  const scratch = new Scratch();
  const keys = new Map<TestUser, SshKeyPair>();
  const work = scratch.join("work");
  afterAll(() => {
    keys.forEach((key) => key[Symbol.dispose]());
    scratch[Symbol.dispose]();
  });
  await app.organization("forge", alice);
  for (const user of [alice, bob, carl]) {
    const key = new SshKeyPair();
    keys.set(user, key);
    await key.addTo(user);
  }
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  for (const message of ["one", "two", "three"]) {
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", message]);
  }

  type Push = (user: TestUser, name: string, ...args: string[]) => ReturnType<typeof runGit>;
  const http: Push = (user, name, ...args) =>
    runGit(work, ["push", `${app.url.replace("://", `://${user.name}:${user.token}@`)}/forge/${name}.git`, ...args]);
  const ssh: Push = (user, name, ...args) =>
    runGit(work, ["push", `${app.ssh}/forge/${name}.git`, ...args], { env: keys.get(user)!.env });

  return {
    app,
    alice,
    bob,
    carl,
    keys,
    work,
    http,
    ssh,
    /** A repository of forge that bob and carl may write to, with main~1 in main. Answers its path in the API. */
    async repository(name: string): Promise<string> {
      await app.repository(alice, name, {}, "forge");
      for (const user of [bob, carl]) {
        await alice.api.put(`/repos/forge/${name}/collaborators/${user.name}`, { permission: "write" });
      }
      expect((await http(alice, name, "main~1:refs/heads/main")).code).toBe(0);
      return `/repos/forge/${name}`;
    },
    async protect(base: string, rule: Record<string, unknown>): Promise<void> {
      const { status, body } = await alice.api.post(`${base}/branch_protections`, rule);
      expect([status, body]).toEqual([201, expect.anything()]);
    },
    /** Where a branch is, as the API says. */
    async tip(base: string, branch = "main"): Promise<string | undefined> {
      return (await alice.api.get<{ commit?: { id: string } }>(`${base}/branches/${branch}`)).body.commit?.id;
    },
    /** The oid of a revision of the work tree. */
    async oid(revision: string): Promise<string> {
      return (await mustGit(work, ["rev-parse", revision])).trim();
    },
    /** Commits files on what is checked out. */
    async commitFile(files: Record<string, string>): Promise<void> {
      for (const [path, text] of Object.entries(files)) {
        await Bun.write(`${work}/${path}`, text);
        await mustGit(work, ["add", path]);
      }
      await mustGit(work, ["commit", "-q", "-m", "files"]);
    },
    /** Runs with HEAD detached at main, and is back there. */
    async aside(run: () => Promise<void>): Promise<void> {
      await mustGit(work, ["checkout", "-q", "--detach", "main"]);
      await run();
      await mustGit(work, ["checkout", "-q", "-f", "main"]);
    },
  };
}
