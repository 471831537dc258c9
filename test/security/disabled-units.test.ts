import { afterAll, describe, expect, test } from "bun:test";
import { findEndpointSpec } from "../../src/api/common/endpoint.ts";
import { apiRoutes } from "../../src/api/index.ts";
import { units, type Unit } from "../../src/db/schema/owners.ts";
import { forgeWithoutLimits } from "../contract/product-document.ts";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/** Units of a repository that are switched off: every operation of the unit, for whoever asks. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const owner = await app.user("owner");
const collaborator = await app.user("collaborator");
const member = await app.user("member");
const root = await app.admin("root");
const scratch = new Scratch();
const key = new SshKeyPair();
await key.addTo(owner);
afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const flags: Readonly<Record<Unit, string>> = {
  code: "has_code",
  issues: "has_issues",
  pulls: "has_pull_requests",
  releases: "has_releases",
  wiki: "has_wiki",
  packages: "has_packages",
  projects: "has_projects",
  actions: "has_actions",
};

/** Every operation on a repository, with the unit that it is done with. */
const operations = apiRoutes(forgeWithoutLimits()).routes.flatMap(({ handler, method, path }) => {
  const spec = findEndpointSpec(handler);
  return spec === null || spec.may.on !== "repository" || method === "HEAD"
    ? []
    : [{ method, path, unit: spec.may.unit }];
});

const examples: Readonly<Record<string, string>> = {
  sha: "main",
  ref: "main",
  id: "1",
  attachment_id: "1",
  pageName: "Home",
};

const addressOf = (path: string, organization: string, repo: string) =>
  path
    .replace(":owner", organization)
    .replace(":repo", repo)
    .replace(/:(\w+)/g, (_, name: string) => examples[name] ?? "x")
    .replace("*", "main");

let made = 0;

/** A repository of an organization, with a commit. */
async function newRepository(): Promise<{ organization: string; path: string }> {
  const organization = `org-${++made}`;
  await app.organization(organization, owner);
  await app.repository(owner, "tool", { auto_init: true }, organization);
  return { organization, path: `/repos/${organization}/tool` };
}

const wiki = scratch.join("wiki");
await mustGit(scratch.path, ["init", "-q", "-b", "main", wiki]);
await mustGit(wiki, ["commit", "-q", "--allow-empty", "-m", "wiki"]);

/** The same with a wiki, for a collaborator, and for a team by its units. */
async function newSharedRepository(): Promise<{ organization: string; path: string }> {
  const { organization, path } = await newRepository();
  await owner.api.put(`${path}/collaborators/collaborator`, { permission: "admin" });
  const unitsMap = Object.fromEntries(units.map((unit) => [`repo.${unit}`, "write"]));
  await makeTeam(owner, organization, { name: "team", includes_all_repositories: true, units_map: unitsMap }, [member]);
  const address = app.url.replace("://", `://owner:${owner.token}@`);
  await mustGit(wiki, ["push", "-q", `${address}/${organization}/tool.wiki.git`, "HEAD:main"]);
  return { organization, path };
}

const who: Readonly<Record<string, TestUser>> = { owner, collaborator, member, root };

describe.each(units.map((unit) => [unit, operations.filter((one) => one.unit === unit)] as const))(
  "%s",
  (unit, ofUnit) => {
    test("is switched off and on, and the repository says so", async () => {
      const { path } = await newRepository();
      for (const on of [false, true, false]) {
        const { status, body } = await owner.api.patch<Record<string, unknown>>(path, { [flags[unit]]: on });
        expect([status, body[flags[unit]]]).toEqual([200, on]);
        expect((await owner.api.get<Record<string, unknown>>(path)).body[flags[unit]]).toBe(on);
      }
    });

    test("hides every operation of it while it is off, from everybody", async () => {
      const { organization, path } = await newSharedRepository();
      const ask = async (name: string, { method, path: of }: (typeof ofUnit)[number]) => {
        const response = await fetch(app.url + addressOf(of, organization, "tool"), {
          method,
          headers: { authorization: `token ${who[name]!.token}`, "content-type": "application/json" },
          ...(method === "GET" ? {} : { body: "{" }),
        });
        return { status: response.status, text: await response.text() };
      };
      const hidden = JSON.stringify({
        message: `There is no repository "${organization}/tool"`,
        url: `${app.url}/api/swagger`,
      });
      const seen: string[] = [];
      for (const operation of ofUnit) {
        seen.push((await ask("owner", operation)).text);
      }
      expect(seen.filter((text) => text === hidden)).toEqual([]);
      expect((await owner.api.patch(path, { [flags[unit]]: false })).status).toBe(200);
      for (const operation of ofUnit) {
        for (const name of Object.keys(who)) {
          const what = `${operation.method} ${operation.path} as ${name}`;
          // A question is answered without a body, whatever there is to ask about.
          const text = operation.method === "GET" && operation.path.endsWith("/merge") ? "" : hidden;
          expect({ what, ...(await ask(name, operation)) }).toEqual({ what, status: 404, text });
        }
      }
      // The repository as such is there.
      expect((await collaborator.api.get(path)).status).toBe(200);
    });
  },
);

test("at least one unit stays", async () => {
  const { path } = await newRepository();
  const off = Object.fromEntries(Object.values(flags).map((flag) => [flag, false]));
  const { status, body } = await owner.api.patch<{ message: string }>(path, off);
  expect([status, body.message]).toEqual([422, "At least one part of the repository must stay enabled"]);
  expect((await owner.api.get<Record<string, unknown>>(path)).body["has_code"]).toBe(true);
  for (const flag of Object.values(flags).filter((one) => one !== "has_wiki")) {
    expect((await owner.api.patch(path, { [flag]: false })).status).toBe(200);
  }
  expect((await owner.api.patch(path, { has_wiki: false })).status).toBe(422);
});

test("code and wiki are switched off for git, LFS and archives, too, each for itself", async () => {
  const { organization, path } = await newSharedRepository();
  const reach = async () => {
    const withToken = app.url.replace("://", `://owner:${owner.token}@`);
    const ls = async (url: string) =>
      (await runGit(scratch.path, ["ls-remote", "-q", url], { env: key.env })).code === 0;
    const basic = { authorization: `Basic ${btoa(`owner:${owner.token}`)}` };
    const lfs = await fetch(`${app.url}/${organization}/tool.git/info/lfs/locks`, {
      headers: { ...basic, accept: "application/vnd.git-lfs+json" },
    });
    const archive = await fetch(`${app.url}/${organization}/tool/archive/main.zip`, { headers: basic });
    await archive.body?.cancel();
    return {
      code: [await ls(`${withToken}/${organization}/tool.git`), await ls(`${app.ssh}/${organization}/tool.git`)],
      wiki: [
        await ls(`${withToken}/${organization}/tool.wiki.git`),
        await ls(`${app.ssh}/${organization}/tool.wiki.git`),
      ],
      lfs: lfs.status,
      archive: archive.status,
    };
  };
  const on = { code: [true, true], wiki: [true, true], lfs: 200, archive: 200 };
  expect(await reach()).toEqual(on);
  await owner.api.patch(path, { has_wiki: false });
  expect(await reach()).toEqual({ ...on, wiki: [false, false] });
  await owner.api.patch(path, { has_wiki: true, has_code: false });
  expect(await reach()).toEqual({ code: [false, false], wiki: [true, true], lfs: 404, archive: 404 });
  await owner.api.patch(path, { has_code: true });
  expect(await reach()).toEqual(on);
});
