import { afterAll, expect, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/** Old addresses of repositories, on every surface: after renames, transfers, and renames of owners, and all of these after each other. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const admin = await app.admin();
const scratch = new Scratch();
const key = new SshKeyPair();
const strangerKey = new SshKeyPair();
const stranger = await app.user("stranger");
await strangerKey.addTo(stranger);
afterAll(() => {
  for (const it of [key, strangerKey, scratch]) {
    it[Symbol.dispose]();
  }
});

const basic = (who: TestUser) => ({ authorization: `Basic ${btoa(`${who.name}:${who.token}`)}` });

/** What an address answers on each surface to somebody: the API, git over HTTP and SSH, LFS, the wiki, archives and pages. */
async function surfaces(who: TestUser, sshKey: SshKeyPair, path: string) {
  const api = await who.api.get(`/repos/${path}`);
  const contents = await who.api.get(`/repos/${path}/contents/README.md`);
  const withToken = app.url.replace("://", `://${who.name}:${who.token}@`);
  const ls = async (url: string) => (await runGit(scratch.path, ["ls-remote", "-q", url], { env: sshKey.env })).code;
  const lfs = await fetch(`${app.url}/${path}.git/info/lfs/objects/batch`, {
    method: "POST",
    headers: {
      ...basic(who),
      "content-type": "application/vnd.git-lfs+json",
      accept: "application/vnd.git-lfs+json",
    },
    body: JSON.stringify({ operation: "download", objects: [{ oid: "a".repeat(64), size: 1 }] }),
  });
  const archive = await fetch(`${app.url}/${path}/archive/main.zip`, { headers: basic(who), redirect: "manual" });
  await archive.body?.cancel();
  const page = await fetch(`${app.url}/${path}`, { redirect: "manual" });
  const location = (headers: Headers) => headers.get("location")?.replace(app.url, "") ?? null;
  return {
    api: [api.status, location(api.headers)],
    contents: [contents.status, location(contents.headers)],
    http: await ls(`${withToken}/${path}.git`),
    ssh: await ls(`${app.ssh}/${path}.git`),
    wiki: await ls(`${withToken}/${path}.wiki.git`),
    lfs: lfs.status,
    archive: [archive.status, location(archive.headers)],
    page: [page.status, location(page.headers)],
  };
}

/** What an old address of a repository that is called `today` answers to somebody who may read it. */
const leadingTo = (today: string, isPublic: boolean) => ({
  api: [307, `/api/v1/repos/${today}`],
  contents: [307, `/api/v1/repos/${today}/contents/README.md`],
  http: 0,
  ssh: 0,
  wiki: 0,
  lfs: 200,
  archive: [307, `/${today}/archive/main.zip`],
  // The page is opened by nobody in particular.
  page: isPublic ? [303, `/${today}`] : [404, null],
});

let made = 0;

/** A repository of a new user, and its former addresses after each kind of move, in turn. */
async function movedRepository(fields: Record<string, unknown>) {
  const one = ++made;
  const [ada, ben] = [await app.user(`ada-${one}`), await app.user(`ben-${one}`)];
  const { id } = await app.repository(ada, "first", { auto_init: true, ...fields });
  expect((await ada.api.patch(`/repos/ada-${one}/first`, { name: "second" })).status).toBe(200);
  expect((await ada.api.post(`/repos/ada-${one}/second/transfer`, { new_owner: ben.name })).status).toBe(201);
  expect((await ben.api.post(`/repos/ada-${one}/second/transfer/accept`)).status).toBe(202);
  expect((await ben.api.patch(`/repos/ben-${one}/second`, { name: "third" })).status).toBe(200);
  for (const name of [`ada-${one}`, `ben-${one}`]) {
    expect((await admin.api.post(`/admin/users/${name}/rename`, { new_username: `new-${name}` })).status).toBe(204);
  }
  return {
    id,
    owner: { ...ben, name: `new-ben-${one}` },
    formerOwner: { ...ada, name: `new-ada-${one}` },
    today: `new-ben-${one}/third`,
    former: [`ada-${one}/first`, `ada-${one}/second`, `ben-${one}/second`, `ben-${one}/third`, `new-ada-${one}/first`],
  };
}

test("all old addresses of a public repository lead to the present one, on every surface", async () => {
  const { id, owner, today, former } = await movedRepository({});
  await key.addTo(owner);
  for (const path of former) {
    expect({ path, ...(await surfaces(owner, key, path)) }).toEqual({ path, ...leadingTo(today, true) });
  }
  expect((await app.anonymous.get<{ full_name: string }>(`/repos/${today}`)).body.full_name).toBe(today);
  expect((await owner.api.get<{ full_name: string }>(`/repositories/${id}`)).body.full_name).toBe(today);
});

test("a clone goes on working under its old address: fetch, push and the wiki", async () => {
  const { owner, today, former } = await movedRepository({ private: true });
  const url = (path: string) => `${app.url.replace("://", `://${owner.name}:${owner.token}@`)}/${path}`;
  const clone = scratch.join(`clone-${made}`);
  await mustGit(scratch.path, ["clone", "-q", url(`${former[0]}.git`), clone]);
  await mustGit(clone, ["commit", "-q", "--allow-empty", "-m", "more"]);
  await mustGit(clone, ["push", "-q", "origin", "HEAD:main"]);
  expect((await runGit(clone, ["push", "-q", url(`${former[2]}.wiki.git`), "HEAD:main"])).code).toBe(0);
  const { body } = await owner.api.get<{ commit: { message: string } }[]>(`/repos/${today}/commits`);
  expect(body[0]?.commit.message.trim()).toBe("more");
  expect(await mustGit(clone, ["ls-remote", url(`${today}.wiki.git`)])).toContain("refs/heads/main");
});

test("an old address tells nothing of a private repository to those who may not see it", async () => {
  const { id, formerOwner, former } = await movedRepository({ private: true });
  const mask = (value: unknown, path: string) => JSON.stringify(value).replaceAll(path, "PATH");
  for (const [who, sshKey] of [
    [stranger, strangerKey],
    [formerOwner, strangerKey],
  ] as const) {
    for (const path of former) {
      const absent = `${path}-absent`;
      const [hidden, missing] = [await surfaces(who, sshKey, path), await surfaces(who, sshKey, absent)];
      expect({ path, ...hidden }).toEqual({ path, ...missing });
      const [one, other] = [await who.api.get(`/repos/${path}`), await who.api.get(`/repos/${absent}`)];
      expect(mask(one.body, path)).toBe(mask(other.body, absent));
    }
    expect((await who.api.get(`/repositories/${id}`)).status).toBe(404);
  }
});

test("a new repository takes over the name of a redirect, however it is made, and only that", async () => {
  const { formerOwner: ada, today, former } = await movedRepository({});
  const at = async (path: string) => {
    const { status, headers, body } = await ada.api.get<{ full_name: string }>(`/repos/${path}`);
    return status === 200 ? body.full_name : (headers.get("location")?.split("/repos/")[1] ?? status);
  };
  expect(await at(`${ada.name}/second`)).toBe(today);
  await app.repository(ada, "second", { template: true, auto_init: true });
  expect(await at(`${ada.name}/second`)).toBe(`${ada.name}/second`);
  // By a template.
  expect(await at(`${ada.name}/first`)).toBe(today);
  const generated = await ada.api.post(`/repos/${ada.name}/second/generate`, {
    owner: ada.name,
    name: "first",
    git_content: true,
  });
  expect(generated.status).toBe(201);
  expect(await at(`${ada.name}/first`)).toBe(`${ada.name}/first`);
  // The other owner's former names still lead there.
  expect(await at(former[2] ?? "")).toBe(today);
  // By a transfer back, and by a rename.
  const { headers } = await ada.api.delete(`/repos/${ada.name}/first`);
  expect(headers.get("location")).toBeNull();
  expect(await at(`${ada.name}/first`)).toBe(404);
});

test("a repository that comes back is where it was, and its address of meanwhile leads there", async () => {
  const [carol, dave] = [await app.user("carol"), await app.user("dave")];
  await app.repository(carol, "boomerang");
  for (const [from, to] of [
    [carol, dave],
    [dave, carol],
  ] as const) {
    expect((await from.api.post(`/repos/${from.name}/boomerang/transfer`, { new_owner: to.name })).status).toBe(201);
    expect((await to.api.post(`/repos/${from.name}/boomerang/transfer/accept`)).status).toBe(202);
  }
  expect((await carol.api.get("/repos/carol/boomerang")).status).toBe(200);
  expect((await carol.api.get("/repos/dave/boomerang")).headers.get("location")).toBe(
    `${app.url}/api/v1/repos/carol/boomerang`,
  );
  // Who takes that name is not in its way.
  await app.repository(dave, "boomerang");
  expect((await dave.api.post("/repos/dave/boomerang/transfer", { new_owner: "carol" })).status).toBe(422);
});
