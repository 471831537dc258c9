import { afterAll, describe, expect, test } from "bun:test";
import { apiRoutes } from "../../src/api/index.ts";
import { gitHttpRoutes } from "../../src/githttp/routes.ts";
import { lfsRoutes } from "../../src/lfs/routes.ts";
import { webRoutes } from "../../src/web/routes.ts";
import { forgeWithoutLimits } from "../contract/product-document.ts";
import { inParallel } from "../support/in-parallel.ts";
import { TestApp, testPassword } from "../support/test-app.ts";
import { comparable, WebVisitor } from "../support/web-visitor.ts";
import { expectRepository, expectUser } from "./rules.ts";
import { makeScene, roles, visibilities, type Role } from "./scene.ts";
import { surfaces } from "./surface-list.ts";

const app = await TestApp.start({
  auth: { failed_sign_ins_per_minute: 1_000_000, failed_sign_ins_per_account: 1_000_000 },
});
afterAll(() => app[Symbol.asyncDispose]());
const scene = await makeScene(app);
for (const { organization, name } of scene.repositories) {
  const made = await scene.users.owner.api.post(`/repos/org-${organization}/${name}/releases`, { tag_name: "v1" });
  expect(made.status).toBe(201);
}
let answers = 0;
afterAll(() => console.log(`Beside the API: ${Object.values(surfaces).flat().length} routes, ${answers} answers`));

test("every route beside the API has a place here, and every place a route", () => {
  const forge = forgeWithoutLimits();
  const all = [webRoutes(forge), gitHttpRoutes(forge), lfsRoutes(forge), apiRoutes(forge)].flatMap(({ routes }) =>
    routes.map(({ method, path }) => ({ method, path })),
  );
  const names = all
    .filter(({ method, path }) => method !== "HEAD" && method !== "OPTIONS" && !path.startsWith("/api/v1/"))
    .map(({ method, path }) => `${method} ${path.replace(/\/assets\/.*/, "/assets/*")}`)
    // Only there where Kerberos is set up, which test/auth/kerberos.test.ts does, and on ephemeral servers (test/api/idle.test.ts).
    .filter((name) => name !== "GET /user/login/negotiate" && name !== "POST /api/internal/idle");
  expect([...new Set(names)].toSorted()).toEqual(Object.values(surfaces).flat().toSorted());
});

const visitors = new Map<Role | string, WebVisitor>();
async function visitor(role: string): Promise<WebVisitor> {
  const known = visitors.get(role);
  if (known !== undefined) {
    return known;
  }
  const made = new WebVisitor(app.url);
  if (role !== "nobody") {
    await made.signIn(role, testPassword);
  }
  visitors.set(role, made);
  return made;
}

const hideNames = (text: string, ...names: string[]) =>
  comparable(names.reduce((left, name) => left.replaceAll(name, "<name>"), text));

/** What a page answers: whether it is there, compared with one that is not. */
async function look(
  role: string,
  path: string,
  absentPath: string,
  names: string[],
  absentNames: string[],
): Promise<string> {
  const who = await visitor(role);
  const there = await who.get(path);
  answers++;
  if (there.status !== 404) {
    return there.status === 200 || there.status === 303 || there.status === 302 ? "allowed" : String(there.status);
  }
  const absent = await who.get(absentPath);
  expect(absent.status).toBe(404);
  return hideNames(there.text, ...names) === hideNames(absent.text, ...absentNames) ? "hidden" : "not found";
}

describe("pages", () => {
  test("of repositories are there for those who may read the code or the wiki, and absent for others", async () => {
    const code = ["", "/find/branch/main", "/search?q=x", "/src/branch/main", "/src/branch/main/README.md"];
    code.push("/raw/branch/main/README.md", "/media/branch/main/README.md", "/releases/latest");
    code.push("/compare", "/compare/main...main");
    code.push("/commits/branch/main", "/branches", "/graph", "/refs", "/tags", "/activity/contributors");
    const kindOf = (rest: string) =>
      /^\/(wiki|issues|pulls)/.exec(rest)?.[1] ?? (/^\/(labels|milestones)/.test(rest) ? "issues-or-pulls" : "code");
    for (const rest of [...code, "/wiki", "/wiki/_pages", "/issues", "/pulls", "/labels", "/milestones"]) {
      for (const { organization, name } of scene.repositories) {
        for (const role of roles) {
          const kind = `read ${kindOf(rest)}` as Parameters<typeof expectRepository>[0];
          const expected = expectRepository(kind, role, { organization, name });
          const [owner, absent] = [`org-${organization}`, "absent".slice(0, name.length)];
          const what = `${owner}/${name}${rest} as ${role}`;
          // Whoever sees the repository and not its code gets a page without it, and none of its files.
          const seesOther =
            expected === "hidden" && expectRepository("read", role, { organization, name }) === "allowed";
          if (!seesOther) {
            const seen = await look(
              role,
              `/${owner}/${name}${rest}`,
              `/${owner}/${absent}${rest}`,
              [owner, name],
              [owner, absent],
            );
            expect({ what, seen }).toEqual({ what, seen: expected });
          } else if (rest !== "") {
            const page = await (await visitor(role)).get(`/${owner}/${name}${rest}`);
            expect({ what, status: page.status }).toEqual({ what, status: 404 });
          }
        }
      }
    }
  });

  test("of users are there for those who may know of them", async () => {
    for (const visibility of visibilities) {
      const name = scene.selves[visibility].name;
      for (const role of ["self", "nobody", "stranger", "kept-small", "site-administrator"] as const) {
        const seen = await look(
          role === "self" ? name : role,
          `/${name}`,
          `/${name.replace("user", "resu")}`,
          [name],
          [name.replace("user", "resu")],
        );
        expect({ name, role, seen }).toEqual({ name, role, seen: expectUser("see-owner", role, visibility) });
      }
    }
  });

  test("of one's account send strangers to sign in, and take no form that is not from a page of ours", async () => {
    const stranger = await visitor("stranger");
    for (const route of surfaces.account) {
      const [method = "", path = ""] = route.split(" ");
      const nobody =
        method === "GET" ? await new WebVisitor(app.url).get(path) : await new WebVisitor(app.url).post(path, {});
      answers += 2;
      if (method === "GET") {
        expect({ route, status: nobody.status, to: nobody.location.replace(app.url, "") }).toMatchObject({
          route,
          to: `/user/login?redirect_to=${encodeURIComponent(path)}`,
        });
        expect({ route, status: (await stranger.get(path)).status }).toEqual({ route, status: 200 });
        continue;
      }
      expect({ route, refused: nobody.status === 403 || nobody.location.includes("/user/login") }).toEqual({
        route,
        refused: true,
      });
      expect({ route, status: (await stranger.post(path, {})).status }).toEqual({ route, status: 403 });
      const elsewhere = new WebVisitor(app.url, {
        origin: "https://elsewhere.example",
        "sec-fetch-site": "cross-site",
      });
      elsewhere.cookie = stranger.cookie;
      expect({ route, status: (await elsewhere.post(path, {})).status }).toEqual({ route, status: 403 });
    }
  });

  test("take no credential but the cookie, and the API none that a browser adds by itself", async () => {
    const withToken = new WebVisitor(app.url, { authorization: `token ${scene.users.owner.token}` });
    expect((await withToken.get("/org-private/secret")).status).toBe(404);
    const { cookie } = await visitor("owner");
    expect((await app.anonymous.with({ cookie }).get("/user")).status).toBe(401);
    expect((await app.anonymous.with({ cookie }).get("/repos/org-private/secret")).status).toBe(404);
  });
});

describe("git and LFS over HTTP", () => {
  const json = { "content-type": "application/vnd.git-lfs+json", accept: "application/vnd.git-lfs+json" };
  const oid = "0".repeat(64);
  const flush = (service: string) => ({
    method: "POST",
    path: `git-${service}`,
    headers: { "content-type": `application/x-git-${service}-request` },
    body: "0000",
  });
  const requests: {
    kind: "read code" | "write code" | "participate code-of-pulls" | "read wiki" | "write wiki";
    method: string;
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }[] = [
    { kind: "read code", method: "GET", path: "info/refs?service=git-upload-pack" },
    // Whoever may read may offer changes: what they push to anything but refs/for/ is refused in the report.
    { kind: "participate code-of-pulls", method: "GET", path: "info/refs?service=git-receive-pack" },
    { kind: "read code", ...flush("upload-pack") },
    { kind: "participate code-of-pulls", ...flush("receive-pack") },
    { kind: "read wiki", method: "GET", path: "info/refs?service=git-upload-pack" },
    { kind: "write wiki", method: "GET", path: "info/refs?service=git-receive-pack" },
    { kind: "read wiki", ...flush("upload-pack") },
    { kind: "write wiki", ...flush("receive-pack") },
    {
      kind: "read code",
      method: "POST",
      path: "info/lfs/objects/batch",
      headers: json,
      body: JSON.stringify({ operation: "download", objects: [] }),
    },
    {
      kind: "write code",
      method: "POST",
      path: "info/lfs/objects/batch",
      headers: json,
      body: JSON.stringify({ operation: "upload", objects: [] }),
    },
    { kind: "read code", method: "GET", path: `info/lfs/objects/${oid}` },
    { kind: "write code", method: "PUT", path: `info/lfs/objects/${oid}`, body: "x" },
    { kind: "write code", method: "POST", path: "info/lfs/verify", headers: json, body: "{" },
    {
      kind: "read wiki",
      method: "POST",
      path: "info/lfs/objects/batch",
      headers: json,
      body: JSON.stringify({ operation: "download", objects: [] }),
    },
    {
      kind: "write wiki",
      method: "POST",
      path: "info/lfs/objects/batch",
      headers: json,
      body: JSON.stringify({ operation: "upload", objects: [] }),
    },
    { kind: "read wiki", method: "GET", path: `info/lfs/objects/${oid}` },
    { kind: "write wiki", method: "PUT", path: `info/lfs/objects/${oid}`, body: "x" },
    { kind: "write wiki", method: "POST", path: "info/lfs/verify", headers: json, body: "{" },
    { kind: "read wiki", method: "GET", path: "info/lfs/locks", headers: json },
    { kind: "write wiki", method: "POST", path: "info/lfs/locks", headers: json, body: "{" },
    { kind: "read code", method: "GET", path: "info/lfs/locks", headers: json },
    { kind: "write code", method: "POST", path: "info/lfs/locks", headers: json, body: "{" },
    { kind: "write code", method: "POST", path: "info/lfs/locks/verify", headers: json, body: "{" },
    { kind: "write code", method: "POST", path: "info/lfs/locks/999/unlock", headers: json, body: "{" },
  ];

  async function send(
    role: Role,
    owner: string,
    name: string,
    { kind, method, path, headers, body }: (typeof requests)[number],
  ) {
    const credential =
      role === "nobody"
        ? {}
        : { authorization: `Basic ${Buffer.from(`x:${scene.users[role].token}`).toString("base64")}` };
    const of = kind.endsWith("wiki") ? ".wiki" : "";
    const response = await fetch(`${app.url}/${owner}/${name}${of}.git/${path}`, {
      method,
      headers: { ...headers, ...credential },
      ...(body === undefined ? {} : { body }),
    });
    answers++;
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate") ?? response.headers.get("lfs-authenticate"),
      text: hideNames(await response.text(), owner, name),
    };
  }

  test("for every role on every repository", async () => {
    const cases = requests.flatMap((request) =>
      scene.repositories.flatMap((target) => roles.map((role) => ({ request, target, role }))),
    );
    await inParallel(cases, async ({ request, target: { organization, name }, role }) => {
      const [owner, absentName] = [`org-${organization}`, "absent".slice(0, name.length)];
      const what = `${request.kind}: ${request.method} ${owner}/${name}.git/${request.path} as ${role}`;
      const expected = expectRepository(request.kind, role, { organization, name });
      const there = await send(role, owner, name, request);
      const absent = await send(role, owner, absentName, request);
      // What is not there asks strangers for a credential, and tells others that it is not there; so does what is hidden.
      expect({ what, status: absent.status }).toEqual({ what, status: role === "nobody" ? 401 : 404 });
      if (expected === "hidden" || expected === "sign-in") {
        expect({ what, ...there }).toEqual({ what, ...absent });
      } else if (expected === "forbidden") {
        expect({ what, status: there.status }).toEqual({ what, status: 403 });
      } else {
        expect({ what, denied: [401, 403].includes(there.status) || there.text === absent.text }).toEqual({
          what,
          denied: false,
        });
      }
    });
  });

  test("for an archived repository: it is read, and refuses every write", async () => {
    const { owner } = scene.users;
    await app.repository(owner, "attic", { auto_init: true }, "org-public");
    expect((await owner.api.patch("/repos/org-public/attic", { archived: true })).status).toBe(200);
    for (const request of requests) {
      for (const role of ["owner", "site-administrator"] as const) {
        const what = `${request.method} ${request.path} as ${role}`;
        const { status, text } = await send(role, "org-public", "attic", request);
        const isRefused = status === 403 && text.includes("is archived: unarchive it in its settings");
        expect({ what, isRefused }).toEqual({ what, isRefused: !request.kind.startsWith("read") });
      }
    }
  });
});
