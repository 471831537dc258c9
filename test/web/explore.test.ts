import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
await app.repository(alice, "tour", { description: "A tour", auto_init: true });
await app.repository(alice, "closed", { private: true });
await app.organization("forge", alice);
await app.organization("hidden", alice, { visibility: "private" });
await alice.api.put("/repos/alice/tour/topics", { topics: ["travel"] });
await alice.api.put("/repos/alice/closed/topics", { topics: ["secret-topic"] });
await alice.api.post("/repos/alice/tour/contents/main.ts", { content: btoa("export const a = 1;\n") });

async function signedIn(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

const nobody = new WebVisitor(app.url);
const names = (text: string) => [...text.matchAll(/alice\/<b>([^<]*)<\/b>/g)].map(([, name]) => name);

describe("explore", () => {
  test("shows what is hidden only to who may see it", async () => {
    const owner = await signedIn("alice");
    for (const [path, hidden] of [
      ["/explore/repos", "<b>closed</b>"],
      ["/explore/repos", "secret-topic"],
      ["/explore/topics", "secret-topic"],
      ["/explore/organizations", "<b>hidden</b>"],
      ["/explore/organizations?q=HIDD", "<b>hidden</b>"],
    ] as const) {
      expect([path, (await nobody.get(path)).text.includes(hidden)]).toEqual([path, false]);
      expect([path, (await owner.get(path)).text.includes(hidden)]).toEqual([path, true]);
    }
    expect((await nobody.get("/explore/repos?kind=private")).text).not.toContain("<b>closed</b>");
  });

  test("narrows repositories by language, topic, kind and words together", async () => {
    const found = async (query: string) => names((await nobody.get(`/explore/repos?${query}`)).text);
    await until("the languages are counted", async () => (await found("language=TypeScript")).length === 1);
    expect(await found("language=typescript")).toEqual([]);
    expect(await found("topic=travel&q=tour&kind=sources")).toEqual(["tour"]);
    expect(await found("topic=trav")).toEqual([]);
    expect(await found("topic=travel&kind=forks")).toEqual([]);
  });

  test("offers filters as links, and the chosen one leads back", async () => {
    const { text } = await nobody.get("/explore/repos?topic=travel&page=1");
    expect(text).toContain(
      '<a class="tag topic on" rel="nofollow" href="/explore/repos" aria-current="true">travel</a>',
    );
    expect(text).toContain('href="/explore/repos?topic=travel&amp;kind=forks"');
    expect(text).toContain('href="/explore/repos?topic=travel&amp;sort=stars"');
    expect(text).toContain('<input type="hidden" name="topic" value="travel">');
  });

  test("finds people and organizations by name, and says when there is nobody", async () => {
    expect((await nobody.get("/explore/users?q=ALI")).text).toContain("<b>alice</b>");
    expect((await nobody.get("/explore/users?q=ALI")).text).not.toContain("<b>bob</b>");
    expect((await nobody.get("/explore/organizations?q=for")).text).toContain("<b>forge</b>");
    expect((await nobody.get("/explore/users?q=nobody-like-this")).text).toContain("<h2>Nobody</h2>");
    expect((await nobody.get("/explore/topics?q=rave")).text).toContain('href="/explore/repos?topic=travel"');
  });

  test("takes any text without a fault, and shows it escaped", async () => {
    const hostile = encodeURIComponent(`"><script>%_\\' or 1=1 -- \u202e`);
    for (const path of ["repos", "users", "organizations", "topics"]) {
      for (const name of ["q", "language", "topic", "kind", "sort", "page"]) {
        const page = await nobody.get(`/explore/${path}?${name}=${hostile}`);
        expect([path, name, page.status]).toEqual([path, name, 200]);
        expect(page.text).not.toContain('"><script>');
      }
      expect((await nobody.get(`/explore/${path}?q=${"x".repeat(5000)}&page=9999999`)).status).toBe(200);
    }
  });
});

test("the front page tells strangers what this is, and has its public repositories", async () => {
  const { text } = await nobody.get("/");
  expect(text).toContain("This is a Stithy server");
  expect(text).toContain('href="/user/login"');
  expect(names(text)).toEqual(["tour"]);
});
