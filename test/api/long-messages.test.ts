import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** What is shown of the message of a commit or tag is a setting. */

const app = await useTestApp({ git: { shown_message_bytes: 1024 } });
const alice = await app.user("alice");
await app.repository(alice, "site");

test("of a long message the API and the page show the beginning", async () => {
  const message = `${"é".repeat(700)}\n\nthe end`;
  const content = Buffer.from("a").toString("base64");
  const made = await alice.api.post<{ commit: { sha: string } }>("/repos/alice/site/contents/a", { content, message });
  expect(made.status).toBe(201);
  const { sha } = made.body.commit;
  const shown = "é".repeat(512);

  const one = await alice.api.get<{ commit: { message: string } }>(`/repos/alice/site/git/commits/${sha}`);
  expect(one.body.commit.message).toBe(shown);
  const list = await alice.api.get<{ commit: { message: string } }[]>("/repos/alice/site/commits");
  expect(list.body.map(({ commit }) => commit.message)).toEqual([shown]);
  const page = await (await fetch(`${app.url}/alice/site/commit/${sha}`)).text();
  expect(page).toContain(`<h1 dir="auto">${"é".repeat(499)}…</h1>`);
  expect(page).not.toContain("the end");
  // As git has it: nothing is cut there.
  const mail = await alice.api.fetch("GET", `/repos/alice/site/git/commits/${sha}.patch`);
  expect(await mail.text()).toContain("the end");
});

test("of a long message of a tag the beginning is shown", async () => {
  const message = "x".repeat(3000);
  const tag = await alice.api.post<{ id: string }>("/repos/alice/site/tags", { tag_name: "v1", message });
  expect(tag.status).toBe(201);
  const shown = await alice.api.get<{ message: string }>(`/repos/alice/site/git/tags/${tag.body.id}`);
  expect(shown.body.message).toBe("x".repeat(1024));
});
