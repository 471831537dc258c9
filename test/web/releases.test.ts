import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, comparable, hiddenFields } from "../support/web-visitor.ts";

/** What a browser shows of releases, and what its forms change. */

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const alice = await app.user("alice");
await app.user("bob");
const nobody = new WebVisitor(app.url);
const [owner, reader] = [new WebVisitor(app.url), new WebVisitor(app.url)];
const base = "/alice/tour/releases";

const release = (repository: string, tag: string, fields: object = {}) =>
  alice.api.post<{ id: number }>(`/repos/alice/${repository}/releases`, { tag_name: tag, name: tag, ...fields });
const one = async (tag: string) =>
  (await alice.api.get<Record<string, unknown>>(`/repos/alice/tour/releases/tags/${tag}`)).body;

/** Sends the form of a page with files, as a browser does. */
async function sendForm(
  visitor: WebVisitor,
  path: string,
  fields: Record<string, string | string[]>,
  files: [name: string, text: string][] = [],
) {
  const { text } = await visitor.get(path);
  const body = new FormData();
  for (const [name, value] of Object.entries({ ...hiddenFields(text, path.split("?")[0] ?? ""), ...fields })) {
    [value].flat().forEach((part) => body.append(name, part));
  }
  files.forEach(([name, content]) => body.append("files", new Blob([content]), name));
  return visitor.request("POST", path.split("?")[0] ?? "", { body });
}

beforeAll(async () => {
  for (const [name, fields] of [
    ["tour", {}],
    ["closed", { private: true }],
    ["off", {}],
    ["old", {}],
  ] as const) {
    await app.repository(alice, name, { auto_init: true, ...fields });
  }
  await release("tour", "v1", { body: "The **first** <script>alert(1)</script>" });
  await release("tour", "v2", { prerelease: true });
  await release("tour", "v3/beta", { name: '<b>"3"</b>' });
  await release("tour", "v4", { draft: true });
  await release("closed", "v1");
  await release("off", "v1");
  await release("old", "v1");
  await alice.api.patch("/repos/alice/off", { has_releases: false });
  await alice.api.patch("/repos/alice/old", { archived: true });
  await owner.signIn("alice", testPassword);
  await reader.signIn("bob", testPassword);
});

describe("who may not", () => {
  test.each(["", "/tag/v1", "/latest"])("see releases is answered as if there were none: %s", async (rest) => {
    const missing = await nobody.get(`/alice/missing/releases${rest}`);
    for (const name of ["closed", "off"]) {
      const { status, text } = await nobody.get(`/alice/${name}/releases${rest}`);
      expect([name, status, comparable(text)]).toEqual([name, 404, comparable(missing.text)]);
    }
  });

  test("write is offered no form and does not see drafts", async () => {
    for (const visitor of [nobody, reader]) {
      const { text } = await visitor.get(base);
      expect(text).not.toContain("releases/new");
      expect(text).not.toContain("v4");
      expect((await visitor.get(`${base}/tag/v4`)).status).toBe(404);
    }
    expect((await owner.get(base)).text).toContain(`${base}/tag/v4`);
  });

  test.each(["/new", "/edit/v1", "/delete/v1", "/uploads", "/uploads/x", "/uploads/x/remove"])(
    "write is refused: %s",
    async (rest) => {
      const fields = hiddenFields((await reader.get("/user/settings/appearance")).text, "/user/settings/appearance");
      expect((await reader.post(base + rest, { ...fields, tag_name: "v9", act: "publish" })).status).toBe(403);
      expect(
        (
          await owner.post(
            `/alice/old/releases${rest}`,
            hiddenFields((await owner.get(`${base}/new`)).text, `${base}/new`),
          )
        ).status,
      ).toBe(423);
      expect((await nobody.get(`${base}/new`)).location).toContain("/user/login");
    },
  );
});

describe("the pages", () => {
  test("list releases with what they are", async () => {
    const { status, text } = await nobody.get(base);
    expect(status).toBe(200);
    expect(text).toContain("The <strong>first</strong>");
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("&lt;b&gt;&quot;3&quot;&lt;/b&gt;");
    expect(text.match(/>Latest</g)).toHaveLength(1);
    expect(text.match(/>Pre-release</g)).toHaveLength(1);
    expect(text).toContain('href="/alice/tour/compare/v1...v2"');
    expect((await nobody.get(`${base}?q=v2`)).text).not.toContain("v3/beta");
    expect((await nobody.get(`${base}?q=%00'--`)).status).toBe(200);
  });

  test("lead to one, to the latest, and from the tags and the front page", async () => {
    expect((await nobody.get(`${base}/latest`)).location).toBe(`${base}/tag/v3/beta`);
    expect((await nobody.get(`${base}/tag/v3/beta`)).text).toContain("<h1>");
    expect((await nobody.get("/alice/tour")).text).toContain(`href="${base}/tag/v3/beta"`);
    expect((await nobody.get("/alice/tour/tags")).text).toContain(`href="${base}/tag/v1"`);
    for (const path of ["/tag/nothing", "/tag/", "/edit/nothing"]) {
      expect((await owner.get(base + path)).status).toBe(404);
    }
    const { body } = await alice.api.get<{ html_url: string }>("/repos/alice/tour/releases/latest");
    expect((await nobody.get(body.html_url)).status).toBe(200);
  });
});

describe("the form", () => {
  test("publishes a release with its files, a new tag and links", async () => {
    const fields = {
      tag_name: "v5",
      title: "Five",
      body: "Text\r\n",
      links: "https://example.org/a.zip\nhttps://example.org/b other.zip",
      act: "publish",
      prerelease: "1",
    };
    const sent = await sendForm(owner, `${base}/new`, { ...fields, target: "main" }, [["a.txt", "hello"]]);
    expect([sent.status, sent.location]).toEqual([303, `${base}/tag/v5`]);
    expect(await one("v5")).toMatchObject({
      name: "Five",
      body: "Text\n",
      draft: false,
      prerelease: true,
      hide_archive_links: false,
    });
    const { text } = await nobody.get(`${base}/tag/v5`);
    expect(text).toContain(`title="sha256:${createHash("sha256").update("hello").digest("hex")}"`);
    expect(await (await fetch(`${app.url}${base}/download/v5/a.txt`)).text()).toBe("hello");
    expect(text).toContain('href="https://example.org/b" dir="auto">other.zip</a>');
  });

  test.each([
    ["no tag", { tag_name: "" }, "tag_name"],
    ["a hostile tag", { tag_name: "../<x>" }, "tag_name"],
    ["a tag with a release", { tag_name: "v1" }, null],
    ["a target that is not there", { tag_name: "v6", target: "nowhere" }, null],
    ["a link of another kind", { tag_name: "v6", links: "javascript:alert(1)" }, null],
    ["an upload that is not there", { tag_name: "v6", upload: "x" }, "files"],
  ])("keeps what was typed after %s", async (_, fields, field) => {
    const before = (await one("v6"))["id"];
    const sent = await sendForm(owner, `${base}/new`, {
      title: "<Kept>",
      body: "kept text",
      act: "publish",
      ...fields,
    });
    expect(sent.status).toBeGreaterThanOrEqual(400);
    expect(sent.status).toBeLessThan(500);
    expect(sent.text).toContain('value="&lt;Kept&gt;"');
    expect(sent.text).toContain("kept text</textarea>");
    expect(sent.text).toContain(field === null ? 'role="alert"' : 'aria-invalid="true"');
    expect((await one("v6"))["id"]).toBe(before);
  });

  test("makes an annotated tag, and drafts that have none", async () => {
    await sendForm(owner, `${base}/new`, { tag_name: "v7", tag_message: "Seven", act: "publish" });
    const { body } = await alice.api.get<{ message: string }>("/repos/alice/tour/tags/v7");
    expect(body.message.trim()).toBe("Seven");
    await sendForm(owner, `${base}/new`, { tag_name: "v8", act: "draft" });
    expect(await one("v8")).toMatchObject({ draft: true });
    expect((await alice.api.get("/repos/alice/tour/tags/v8")).status).toBe(404);
    const sent = await sendForm(owner, `${base}/edit/v8`, { tag_name: "v8", title: "Eight", act: "publish" });
    expect(sent.location).toBe(`${base}/tag/v8`);
    expect((await alice.api.get("/repos/alice/tour/tags/v8")).status).toBe(200);
  });

  test("shows the text rendered, and saves nothing", async () => {
    const sent = await sendForm(owner, `${base}/new`, { tag_name: "v10", body: "**bold**", preview: "1" });
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining("<strong>bold</strong>")]);
    expect((await alice.api.get("/repos/alice/tour/releases/tags/v10")).status).toBe(404);
  });

  test("changes files, and does not write over what somebody else wrote", async () => {
    const [link, other] = (await one("v5"))["assets"] as { id: number; name: string }[];
    const { text } = await owner.get(`${base}/edit/v5`);
    await alice.api.patch(`/repos/alice/tour/releases/${String((await one("v5"))["id"])}`, { body: "theirs" });
    const fields = {
      ...hiddenFields(text, `${base}/edit/v5`),
      body: "mine",
      remove: String(link?.id),
      [`name-${other?.id}`]: "renamed",
    };
    const refused = await owner.post(`${base}/edit/v5`, { ...fields, act: "publish" });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("mine</textarea>")]);
    expect((await one("v5"))["body"]).toBe("theirs");
    const saved = await owner.post(`${base}/edit/v5`, {
      ...fields,
      ...hiddenFields(refused.text, `${base}/edit/v5`),
      act: "publish",
    });
    expect(saved.status).toBe(303);
    const after = await one("v5");
    expect(after["body"]).toBe("mine");
    const names = (after["assets"] as { name: string }[]).map(({ name }) => name);
    expect(names).toContain("renamed");
    expect(names).not.toContain(String(link?.name));
  });
});

test("notes name the pull requests that were merged since the release before, in the groups of the repository", async () => {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const config = "changelog:\n  categories:\n    - title: Mended\n      labels: [bug]\n";
  await alice.api.post("/repos/alice/tour/contents/.github/release.yml", { content: encode(config), message: "c" });
  const { body: label } = await alice.api.post<{ id: number }>("/repos/alice/tour/labels", {
    name: "bug",
    color: "#ff0000",
  });
  for (const [branch, labels] of [
    ["mend", [label.id]],
    ["more", []],
  ] as const) {
    await alice.api.post(`/repos/alice/tour/contents/${branch}.txt`, {
      content: encode(branch),
      message: branch,
      new_branch: branch,
    });
    const { body: pull } = await alice.api.post<{ number: number }>("/repos/alice/tour/pulls", {
      title: `Pull ${branch}`,
      head: branch,
      base: "main",
      labels,
    });
    expect((await alice.api.post(`/repos/alice/tour/pulls/${pull.number}/merge`, { Do: "merge" })).status).toBe(200);
  }
  const sent = await sendForm(owner, `${base}/new`, {
    tag_name: "v11",
    target: "main",
    before: "v1",
    body: "Hello",
    act: "notes",
  });
  expect(sent.status).toBe(200);
  expect(sent.text).toMatch(
    /Hello\n\n## What changed\n\n### Mended\n\n- Pull mend by @alice in #\d+\n\n### Other changes\n\n- Pull more by @alice in #\d+/,
  );
  expect(sent.text).toContain(`${app.url}/alice/tour/compare/v1...v11`);
  expect((await alice.api.get("/repos/alice/tour/releases/tags/v11")).status).toBe(404);
  const wrong = await sendForm(owner, `${base}/new`, { tag_name: "v11", before: "no tag", act: "notes" });
  expect([wrong.status, wrong.text]).toEqual([404, expect.stringContaining("no tag")]);
});

describe("a file in parts", () => {
  const text = "0123456789";
  const digest = (part: string) => createHash("sha256").update(part).digest("hex");
  let token: Record<string, string> = {};

  async function begin(fields: Record<string, string> = {}) {
    token = hiddenFields((await owner.get(`${base}/new`)).text, `${base}/new`);
    const { status, text: answer } = await owner.post(`${base}/uploads`, {
      ...token,
      name: "big.bin",
      size: "10",
      ...fields,
    });
    return { status, ...(JSON.parse(answer) as { id: string; received: number; message?: string }) };
  }
  async function send(id: string, offset: string, part: string, sha256 = digest(part)) {
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...token, offset, sha256 })) {
      body.append(name, value);
    }
    body.append("files", new Blob([part]), "part");
    const { status, text: answer } = await owner.request("POST", `${base}/uploads/${id}`, { body });
    return { status, ...(JSON.parse(answer) as { received: number; sha256: string | null }) };
  }

  test("goes on where it was, is checked, and is attached by the form", async () => {
    const { id } = await begin();
    expect(await send(id, "0", "01234")).toMatchObject({ status: 200, received: 5, sha256: null });
    expect(await send(id, "0", "01234")).toMatchObject({ status: 409, received: 5 });
    expect((await send(id, "5", "56789", digest("damaged"))).status).toBe(422);
    expect(JSON.parse((await owner.get(`${base}/uploads/${id}`)).text)).toMatchObject({ received: 5 });
    expect((await send(id, "5", "567890")).status).toBe(413);
    expect(await send(id, "5", "56789")).toMatchObject({ status: 200, received: 10, sha256: digest(text) });
    const again = await sendForm(owner, `${base}/new`, { tag_name: "", upload: id, act: "publish" });
    expect(again.text).toContain(`name="upload" value="${id}" checked`);
    await sendForm(owner, `${base}/new`, { tag_name: "v12", upload: id, act: "publish" });
    expect(await (await fetch(`${app.url}${base}/download/v12/big.bin`)).text()).toBe(text);
    expect((await owner.get(`${base}/uploads/${id}`)).status).toBe(404);
  });

  test("is its uploader's alone", async () => {
    const { id } = await begin();
    await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
    expect((await reader.get(`${base}/uploads/${id}`)).status).toBe(404);
    const sent = await sendForm(reader, `${base}/new`, { tag_name: "v13", upload: id, act: "publish" });
    expect(sent.status).toBe(422);
    await alice.api.delete("/repos/alice/tour/collaborators/bob");
    expect((await owner.post(`${base}/uploads/${id}/remove`, token)).status).toBe(200);
    expect((await owner.get(`${base}/uploads/${id}`)).status).toBe(404);
  });

  test.each([
    [{ name: "../x" }, 422],
    [{ size: "0" }, 422],
    [{ size: "1e99" }, 422],
    [{ size: "NaN" }, 422],
    [{ size: String(2 ** 45) }, 413],
  ])("is refused at the beginning: %j", async (fields, status) => {
    expect((await begin(fields)).status).toBe(status);
  });

  test("has parts that say where they begin", async () => {
    const { id } = await begin();
    for (const offset of ["", "-1", "x", "1e3"]) {
      expect((await send(id, offset, "0")).status).toBe(422);
    }
  });
});

describe("deleting", () => {
  test("asks first, and keeps the tag", async () => {
    expect((await owner.get(`${base}/delete/v1`)).text).toContain("Delete the tag, too");
    const sent = await owner.submit(`${base}/delete/v1`, {});
    expect([sent.status, sent.location]).toEqual([303, base]);
    expect((await nobody.get(`${base}/tag/v1`)).status).toBe(404);
    expect((await alice.api.get("/repos/alice/tour/tags/v1")).status).toBe(200);
  });

  test("takes the tag with it", async () => {
    await owner.submit(`${base}/delete/v2`, { tag: "1" });
    expect((await alice.api.get("/repos/alice/tour/tags/v2")).status).toBe(404);
  });

  test("says why the tag stays", async () => {
    await alice.api.post("/repos/alice/tour/tag_protections", { name_pattern: "v7" });
    await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "write" });
    await reader.submit(`${base}/delete/v7`, { tag: "1" });
    expect((await reader.get(base)).text).toContain("Its tag stays");
    expect((await alice.api.get("/repos/alice/tour/tags/v7")).status).toBe(200);
  });
});
