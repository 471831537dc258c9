import { beforeAll, describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
await app.repository(bob, "other", { auto_init: true });
await alice.api.post("/orgs", { username: "forge" });
await alice.api.post("/orgs/forge/repos", { name: "open", auto_init: true });
await alice.api.post("/orgs/forge/repos", { name: "hidden", private: true, auto_init: true });

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const nobody = new WebVisitor(app.url);
const owner = await signedIn("alice");
const stranger = await signedIn("bob");

interface Issue {
  number: number;
  title: string;
  state: string;
  labels: { name: string }[];
  milestone: { title: string } | null;
  assignees: { login: string }[] | null;
  pin_order: number;
}
const tour = "/alice/tour/issues";
async function open(title: string, by = alice, repository = "alice/tour"): Promise<number> {
  return (await by.api.post<Issue>(`/repos/${repository}/issues`, { title, body: "" })).body.number;
}
const issue = async (number: number) => (await alice.api.get<Issue>(`/repos${tour}/${number}`)).body;
const label = async (name: string, more: object = {}) =>
  (await alice.api.post<{ id: number }>("/repos/alice/tour/labels", { name, color: "#112233", ...more })).body.id;
const search = (list: string, q: string) => `${list}?${new URLSearchParams({ q }).toString()}`;

describe("what somebody may not do", () => {
  test("one's own lists are for the signed-in", async () => {
    for (const path of ["/issues", "/pulls", "/milestones", "/issues/filter?by=label"]) {
      const { status, location } = await nobody.get(path);
      expect([path, status, location.split("?")[0]]).toEqual([path, 303, "/user/login"]);
    }
  });

  test("no list and no filter shows what is hidden", async () => {
    await open("Secret of alice", alice, "alice/closed");
    await open("Secret of the organization", alice, "forge/hidden");
    await alice.api.post("/repos/forge/hidden/labels", { name: "hidden-label", color: "#112233" });
    await alice.api.post("/repos/forge/hidden/milestones", { title: "hidden-milestone" });
    for (const visitor of [nobody, stranger]) {
      for (const path of [
        "/org/forge/issues",
        "/org/forge/issues?q=is:all+repo:forge/hidden",
        "/org/forge/pulls",
        "/org/forge/milestones",
        "/org/forge/issues/filter?by=label",
        "/org/forge/issues/filter?by=milestone",
        "/org/forge/issues/filter?by=repo",
        ...(visitor === stranger ? ["/issues?q=author:alice", "/issues?q=repo:alice/closed", "/milestones"] : []),
      ]) {
        const { status, text } = await visitor.get(path);
        expect([path, status]).toEqual([path, 200]);
        expect(text).not.toContain("Secret of");
        expect(text).not.toContain("hidden-");
        expect(text).not.toContain("forge/hidden</");
      }
      for (const path of ["/alice/closed/issues/filter?by=label", "/alice/closed/milestone/1/filter"]) {
        expect((await visitor.get(path)).status).toBe(404);
      }
    }
    expect((await owner.get("/org/forge/issues")).text).toContain("Secret of the organization");
    expect((await owner.get("/org/forge/issues/filter?by=label")).text).toContain("hidden-label");
    expect((await owner.get("/issues")).text).toContain("Secret of alice");
  });

  test("who may not write changes nothing of several, deletes nothing, and moves no pin", async () => {
    const number = await open("Left alone", bob);
    const fields = { number: String(number), act: "close", confirm: "1", position: "1" };
    for (const path of ["batch", "batch/delete", "pins"]) {
      expect([path, (await stranger.send(tour, `${tour}/${path}`, fields)).status]).toEqual([path, 403]);
    }
    expect((await issue(number)).state).toBe("open");
    expect((await stranger.get(tour)).text).not.toContain('id="batch"');
    expect((await nobody.get(tour)).text).not.toContain('id="batch"');
  });

  test("a saved search is its user's alone", async () => {
    await owner.send(tour, `${tour}/searches`, { name: "Mine alone" });
    expect((await stranger.get(tour)).text).not.toContain("Mine alone");
    const [, id = ""] = /name="delete" value="(\d+)"/.exec((await owner.get(tour)).text) ?? [];
    const { status } = await stranger.send(tour, `${tour}/searches`, { delete: id });
    expect(status).toBe(404);
    expect((await owner.get(tour)).text).toContain("Mine alone");
  });
});

describe("lists over repositories", () => {
  test("show what is in one's repositories, and what is about oneself anywhere", async () => {
    await open("In tour", bob);
    await open("Elsewhere by alice", alice, "bob/other");
    await open("Elsewhere by bob", bob, "bob/other");
    const own = (await owner.get("/issues")).text;
    expect(own).toContain("In tour");
    expect(own).not.toContain("Elsewhere");
    const created = (await owner.get("/issues?q=author:@me")).text;
    expect(created).toContain("Elsewhere by alice");
    expect(created).toContain('href="/bob/other"');
    expect(created).not.toContain("Elsewhere by bob");
    expect((await owner.get("/issues?q=author:bob")).text).toContain("In tour");
    expect((await owner.get("/issues?q=repo:forge/open")).text).not.toContain("In tour");
  });

  test("an organization's list has its repositories alone, in each order", async () => {
    const [one, two] = [await open("Forge one", alice, "forge/open"), await open("Forge two", bob, "forge/open")];
    await alice.api.patch(`/repos/forge/open/issues/${one}`, { due_date: "2030-01-01T00:00:00Z" });
    for (const sort of ["latest", "oldest", "recentupdate", "mostcomment", "nearduedate", "farduedate", "relevance"]) {
      const { text } = await nobody.get(search("/org/forge/issues", `sort:${sort}`));
      expect(text).toContain("Forge one");
      expect(text).toContain("Forge two");
      expect(text).not.toContain("In tour");
    }
    const { text } = await nobody.get(search("/org/forge/issues", "sort:oldest"));
    expect(text.indexOf("Forge one")).toBeLessThan(text.indexOf("Forge two"));
    expect(two).toBe(one + 1);
  });

  test("milestones are searched, sorted and counted", async () => {
    for (const title of ["Alpha", "Beta"]) {
      await alice.api.post("/repos/forge/open/milestones", { title });
    }
    const { text } = await nobody.get("/org/forge/milestones?sort=name");
    expect(text.indexOf("Alpha")).toBeLessThan(text.indexOf("Beta"));
    const found = (await owner.get("/milestones?q=bet")).text;
    expect(found).toContain("Beta");
    expect(found).not.toContain("Alpha");
  });
});

describe("the search box", () => {
  test("says which words are no filters", async () => {
    const { text } = await nobody.get(search(tour, "is:open colour:<b>red</b> http://x.example"));
    expect(text).toContain("<code>colour:&lt;b&gt;red&lt;/b&gt;</code>");
    expect(text).not.toContain("<code>http");
  });

  test("narrows to what has no label, no milestone and no assignee", async () => {
    const [bare, full] = [await open("Bare one"), await open("Full one")];
    await label("full");
    await alice.api.post(`/repos${tour}/${full}/labels`, { labels: ["full"] });
    await alice.api.patch(`/repos${tour}/${full}`, { assignees: ["alice"] });
    for (const q of ["no:label", "no:assignee"]) {
      const { text } = await nobody.get(search(tour, q));
      expect(text).toContain(`href="${tour}/${bare}"`);
      expect(text).not.toContain(`href="${tour}/${full}"`);
    }
    expect((await nobody.get(search(tour, "no:milestone"))).text).toContain(`href="${tour}/${full}"`);
  });

  test("the choices of a filter are searched, counted, and lead to the list with them", async () => {
    await label('wild "<i>');
    const { text } = await nobody.get(`${tour}/filter?by=label&find=FUL&q=is:open`);
    expect(text).toContain('data-value="label:full"');
    expect(text).toContain(`href="${search(tour, "is:open label:full").replace("&", "&amp;")}"`);
    expect(text).toContain('<span class="count">1</span>');
    expect(text).not.toContain("wild");
    expect((await nobody.get(`${tour}/filter?by=label&find=wild`)).text).toContain("wild &quot;&lt;i&gt;");
    expect((await nobody.get(`${tour}/filter?find=mile`)).text).toContain('data-value="milestone:"');
    for (const by of ["is", "-label", "milestone", "no", "author", "assignee", "mentions", "sort", "repo", "x"]) {
      expect([by, (await nobody.get(`${tour}/filter?by=${by}&find=a`)).status]).toEqual([by, 200]);
      expect([by, (await owner.get(`/pulls/filter?by=${by}&find=`)).status]).toEqual([by, 200]);
    }
  });
});

describe("saved searches", () => {
  test("are kept by name, replaced, shown on the dashboard and deleted", async () => {
    const list = search(tour, "is:closed slow");
    const saved = await owner.send(list, `${tour}/searches?q=is%3Aclosed+slow`, { name: "Slow <ones>" });
    expect(saved.status).toBe(303);
    await owner.send(list, `${tour}/searches?q=is%3Aclosed+slower`, { name: "slow <ONES>" });
    const { text } = await owner.get(tour);
    expect(text.split("slow &lt;ONES&gt;</bdi></a>")).toHaveLength(2);
    expect(text).toContain(search(tour, "is:closed slower"));
    expect((await owner.get("/")).text).toContain("slow &lt;ONES&gt;");
    const [, id = ""] = /name="delete" value="(\d+)">Delete<span class="sr"> the search slow/.exec(text) ?? [];
    await owner.send(tour, `${tour}/searches`, { delete: id });
    expect((await owner.get(tour)).text).not.toContain("slow &lt;ONES&gt;");
  });

  test("a wrong name is refused at its field, and there are so many at most", async () => {
    const refused = await owner.send("/issues", "/issues/searches", { name: " " });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('aria-describedby="search-problem"');
    for (let number = 0; number < 55; number++) {
      await stranger.send("/pulls", "/pulls/searches", { name: `n${number}` });
    }
    const { status, text } = await stranger.send("/pulls", "/pulls/searches", { name: "one more" });
    expect(status).toBe(422);
    expect(text).toContain("50 searches");
  });
});

describe("a change of several", () => {
  beforeAll(async () => {
    await label("kind/bug", { exclusive: true });
    await label("kind/wish", { exclusive: true });
  });
  const idOf = async (name: string) =>
    (await alice.api.get<{ id: number; name: string }[]>("/repos/alice/tour/labels")).body.find(
      (one) => one.name === name,
    )?.id ?? 0;

  test("closes, labels, assigns and puts into a milestone, and keeps the search", async () => {
    const numbers = [await open("First of several"), await open("Second of several")];
    const { body: milestone } = await alice.api.post<{ id: number }>("/repos/alice/tour/milestones", { title: "M" });
    await alice.api.post(`/repos${tour}/${numbers[0]}/labels`, { labels: ["kind/bug"] });
    const changed = await owner.send(search(tour, "several"), `${tour}/batch?q=several`, {
      number: numbers.map(String),
      act: "change",
      label: `+${await idOf("kind/wish")}`,
      milestone: String(milestone.id),
      assignee: "+alice",
    });
    expect([changed.status, changed.location]).toEqual([303, search(tour, "is:open several")]);
    for (const number of numbers) {
      expect(await issue(number)).toMatchObject({
        labels: [{ name: "kind/wish" }],
        milestone: { title: "M" },
        assignees: [{ login: "alice" }],
      });
    }
    await owner.send(tour, `${tour}/batch`, { number: numbers.map(String), act: "close" });
    expect(await Promise.all(numbers.map(async (number) => (await issue(number)).state))).toEqual(["closed", "closed"]);
    await owner.send(tour, `${tour}/batch`, {
      number: numbers.map(String),
      act: "change",
      label: `-${await idOf("kind/wish")}`,
      milestone: "none",
      assignee: "none",
    });
    expect(await issue(numbers[0] ?? 0)).toMatchObject({ labels: [], milestone: null, assignees: null });
  });

  test("tells which were refused and why, and changes the others", async () => {
    const [waits, other, free] = [await open("Waits"), await open("Comes first"), await open("Free")];
    await alice.api.post(`/repos${tour}/${waits}/dependencies`, { owner: "alice", repo: "tour", index: other });
    const { status, text } = await owner.send(tour, `${tour}/batch`, {
      number: [String(waits), String(free), "99999"],
      act: "close",
    });
    expect(status).toBe(422);
    expect(text).toContain(`<li>#${waits}: `);
    expect(text).toContain("<li>#99999: ");
    expect(text).not.toContain(`<li>#${free}: `);
    expect(text).toMatch(new RegExp(`value="${waits}" aria-label="[^"]*" checked`));
    expect([(await issue(waits)).state, (await issue(free)).state]).toEqual(["open", "closed"]);
  });

  test("of nothing, of too many or of something strange is refused", async () => {
    const number = String(await open("Not changed"));
    for (const fields of [
      { act: "close" },
      { act: "close", number: "x" },
      { act: "change", number },
      { act: "change", number, label: "+x" },
      { act: "change", number, milestone: "-1" },
      { act: "close", number: Array.from({ length: 101 }, (_, index) => String(index + 1)) },
    ]) {
      const { status, text } = await owner.send(tour, `${tour}/batch`, fields as Record<string, string>);
      expect([JSON.stringify(fields).slice(0, 60), status]).toEqual([JSON.stringify(fields).slice(0, 60), 422]);
      expect(text).toContain('role="alert"');
    }
    const wrong = await owner.send(tour, `${tour}/batch`, {
      act: "change",
      number,
      assignee: "+bob",
      label: "+999999",
    });
    expect(wrong.status).toBe(422);
    expect((await issue(Number(number))).state).toBe("open");
  });

  test("deletes once it is confirmed", async () => {
    const numbers = [await open("To go 1"), await open("To go 2")];
    const asked = await owner.send(tour, `${tour}/batch/delete`, { number: numbers.map(String) });
    expect(asked.text).toContain("Delete these 2?");
    expect((await issue(numbers[0] ?? 0)).title).toBe("To go 1");
    const done = await owner.send(tour, `${tour}/batch/delete`, { number: numbers.map(String), confirm: "1" });
    expect(done.status).toBe(303);
    expect((await alice.api.get(`/repos${tour}/${numbers[0]}`)).status).toBe(404);
  });
});

test("pins are moved, and a wrong place is refused", async () => {
  const numbers = [await open("Pin 1"), await open("Pin 2"), await open("Pin 3")];
  for (const number of numbers) {
    await alice.api.post(`/repos${tour}/${number}/pin`);
  }
  const [first, , third] = numbers.map(String);
  await owner.send(tour, `${tour}/pins`, { number: third ?? "", position: "1" });
  expect(await Promise.all(numbers.map(async (number) => (await issue(number)).pin_order))).toEqual([2, 3, 1]);
  for (const fields of [
    { number: first ?? "", position: "0" },
    { number: "x", position: "1" },
  ]) {
    expect((await owner.send(tour, `${tour}/pins`, fields)).status).toBe(422);
  }
  expect((await owner.send(tour, `${tour}/pins`, { number: "99999", position: "1" })).status).toBe(404);
  const { text } = await owner.get(tour);
  expect(text).toContain("Reorder");
  expect((await stranger.get(tour)).text).not.toContain("Reorder");
});

describe("a list of pull requests", () => {
  test("shows the review, the size and a conflict, and what waits for one's review first", async () => {
    const content = (text: string) => Buffer.from(text).toString("base64");
    await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
    await alice.api.post("/repos/alice/tour/contents/a.txt", {
      content: content("one\ntwo\n"),
      message: "a",
      new_branch: "topic",
    });
    const pull = { title: "Adds a file", head: "topic", base: "main" };
    const { body } = await alice.api.post<Issue>("/repos/alice/tour/pulls", pull);
    await alice.api.post(`/repos/alice/tour/pulls/${body.number}/requested_reviewers`, { reviewers: ["bob"] });
    const asked = await stranger.get("/alice/tour/pulls");
    expect(asked.text).toContain("Waiting for your review");
    expect(asked.text).toContain("review awaited");
    expect(asked.text).toContain("in 1 file");
    await bob.api.post(`/repos/alice/tour/pulls/${body.number}/reviews`, { event: "APPROVED", body: "" });
    const approved = await nobody.get("/alice/tour/pulls");
    expect(approved.text).toContain("approved");
    expect(approved.text).not.toContain("Waiting for your review");
  });
});
