import { expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

/** What a search for words finds: words and their beginnings, in titles, texts and comments. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site", { auto_init: true });
const at = "/repos/alice/site/issues";

async function open(title: string, body = ""): Promise<number> {
  return (await alice.api.post<{ number: number }>(at, { title, body })).body.number;
}

async function comment(number: number, body: string): Promise<number> {
  return (await alice.api.post<{ id: number }>(`${at}/${number}/comments`, { body })).body.id;
}

/** The titles that both lists find, which are to agree. */
async function find(words: string, client = bob.api): Promise<string[]> {
  const query = `q=${encodeURIComponent(words)}&state=all&limit=50`;
  const [here, everywhere] = await Promise.all(
    [`${at}?${query}`, `/repos/issues/search?${query}`].map((path) => client.get<{ title: string }[]>(path)),
  );
  const titles = [here, everywhere].map((answer) => answer?.body.map(({ title }) => title));
  expect([here?.status, everywhere?.status, titles[0]]).toEqual([200, 200, titles[1]]);
  expect(everywhere?.headers.get("x-total-count")).toBe(String(titles[0]?.length));
  return titles[0] ?? [];
}

test("the beginning of a word finds it, in title and text; the end does not", async () => {
  await open("Anvils are heavy", "Their lifting needs a crane-driver");
  expect(await find("anv")).toEqual(["Anvils are heavy"]);
  expect(await find("ANVIL heav lift")).toEqual(["Anvils are heavy"]);
  expect(await find("crane-dr")).toEqual(["Anvils are heavy"]);
  expect(await find("nvils")).toEqual([]);
  expect(await find("anv bellows")).toEqual([]);
});

test.each(["'", "\\", "a'b\\c:*", ":*", "!", "&", "<->", "don't | (", '"quoted words"'])(
  "%s is a text as any other",
  async (words) => {
    await open(`Odd ${words} title`);
    const found = await find(words);
    // What has no word finds nothing.
    expect(found.includes(`Odd ${words} title`)).toBe(/\w/.test(words));
  },
);

test("comments are found as they are now, and not before they are there", async () => {
  const number = await open("Commented");
  expect(await find("bellows")).toEqual([]);
  const id = await comment(number, "The bellows leak");
  expect(await find("bellow leak")).toEqual(["Commented"]);
  // All words are of one text.
  expect(await find("commented bellows")).toEqual([]);
  await alice.api.patch(`/repos/alice/site/issues/comments/${id}`, { body: "The hearth leaks" });
  expect([await find("bellows"), await find("hearth")]).toEqual([[], ["Commented"]]);
  await alice.api.delete(`/repos/alice/site/issues/comments/${id}`);
  expect(await find("hearth")).toEqual([]);
});

test("of the best matches, those in titles come first and those in comments last", async () => {
  await comment(await open("Told of"), "poker");
  await open("Text", "poker");
  await open("Poker");
  const { body } = await bob.api.get<{ title: string }[]>("/repos/issues/search?q=poker&sort=relevance");
  expect(body.map(({ title }) => title)).toEqual(["Poker", "Text", "Told of"]);
});

test("a comment of a review is found when the review is submitted, and no hidden issue is found by its comments", async () => {
  await alice.api.post("/repos/alice/site/contents/new.txt", {
    content: btoa("new\n"),
    message: "x",
    new_branch: "feature",
  });
  const pull = (
    await alice.api.post<{ number: number }>("/repos/alice/site/pulls", {
      base: "main",
      head: "feature",
      title: "Pull",
    })
  ).body.number;
  const reviews = `/repos/alice/site/pulls/${pull}/reviews`;
  const review = await bob.api.post<{ id: number }>(reviews, {
    comments: [{ path: "new.txt", new_position: 1, body: "mandrel" }],
  });
  expect(await find("mandrel", alice.api)).toEqual([]);
  await bob.api.post(`${reviews}/${review.body.id}`, { event: "COMMENT", body: "swage" });
  const search = "/repos/issues/search?type=pulls&q=";
  for (const word of ["mandr", "swage"]) {
    const { body } = await alice.api.get<{ title: string }[]>(search + word);
    expect([word, body.map(({ title }) => title)]).toEqual([word, ["Pull"]]);
  }
  await comment(await open("Hidden"), "tuyere");
  await alice.api.patch("/repos/alice/site", { private: true });
  expect((await bob.api.get("/repos/issues/search?q=tuyere")).body).toEqual([]);
  expect(await find("tuyere", alice.api)).toEqual(["Hidden"]);
});
