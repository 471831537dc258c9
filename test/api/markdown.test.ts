import { describe, expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** Long enough for what is refused for other reasons, on a machine that is busy. */
const app = await useTestApp({ markdown: { time_limit_milliseconds: 5000 } });

describe("POST /markdown", () => {
  test("renders for anybody, as HTML", async () => {
    const { status, headers, body } = await app.anonymous.post("/markdown", { Text: "# Hi *there*" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(body).toBe('<h1 id="user-content-hi-there">Hi <em>there</em></h1>\n');
  });

  test("takes its fields in lower case too", async () => {
    const { body } = await app.anonymous.post("/markdown", { text: "a\nb", mode: "gfm" });
    expect(body).toBe("<p>a<br />b</p>\n");
  });

  test("makes addresses relative to the context", async () => {
    const render = async (fields: object) =>
      (await app.anonymous.post<string>("/markdown", { Text: "[a](b.md) ![c](d.png)", ...fields })).body;
    expect(await render({ Context: "alice/site/src/branch/main" })).toBe(
      `<p><a href="${app.url}/alice/site/src/branch/main/b.md" rel="nofollow">a</a> <img src="${app.url}/alice/site/raw/branch/main/d.png" alt="c" /></p>\n`,
    );
    expect(await render({ Context: "https://other.example/x" })).toContain('href="https://other.example/x/b.md"');
    expect(await render({ Context: "/alice/site", Wiki: true })).toContain(`href="${app.url}/alice/site/wiki/b.md"`);
    expect(await render({})).toContain('href="b.md"');
  });

  test("names the field that is wrong", async () => {
    const { status, body } = await app.anonymous.post<{ message: string }>("/markdown", { Text: "a", Mode: "latex" });
    expect(status).toBe(422);
    expect(body.message).toContain("Mode must be one of");
  });

  test("leaves out what runs", async () => {
    const { body } = await app.anonymous.post("/markdown", {
      Text: "<script>alert(1)</script>\n\n[x](javascript:alert(1))",
    });
    expect(body).toBe('<p><a rel="nofollow">x</a></p>\n');
  });
});

describe("POST /markdown/raw", () => {
  test("renders a text", async () => {
    const { status, body } = await app.anonymous.request("POST", "/markdown/raw", {
      headers: { "content-type": "text/plain" },
      body: "*a*",
    });
    expect({ status, body }).toEqual({ status: 200, body: "<p><em>a</em></p>\n" });
  });

  test("gives up on texts that cost too much, and others do not wait for the server", async () => {
    const hostile = app.anonymous.request<{ message: string }>("POST", "/markdown/raw", {
      headers: { "content-type": "text/plain" },
      body: `${"a".repeat(1_000_000)}@`,
    });
    const started = performance.now();
    expect((await app.anonymous.get("/version")).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(1000);
    const { status, body } = await hostile;
    expect(status).toBe(422);
    expect(body.message).toBe("The text cannot be rendered: it takes too long");
    expect((await app.anonymous.post("/markdown", { Text: "a" })).body).toBe("<p>a</p>\n");
  });

  /** Each asks for gigabytes of HTML. */
  test.each([
    [
      "an address that is defined once and linked often",
      `[a]: http://x/${"y".repeat(30_000)}\n\n${"[a]".repeat(20_000)}`,
    ],
    ["a title that is defined once and shown often", `[a]: b '${"y".repeat(30_000)}'\n\n${"![a]".repeat(20_000)}`],
    ["a table of many columns", `|${"a|".repeat(10_000)}\n|${"-|".repeat(10_000)}\n${"|\n".repeat(10_000)}`],
  ])("refuses %s", async (_, body) => {
    const headers = { "content-type": "text/plain" };
    const answer = await app.anonymous.request<{ message: string }>("POST", "/markdown/raw", { headers, body });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe("The text cannot be rendered: it is too large");
  });

  test("refuses a text of more than a mebibyte", async () => {
    const headers = { "content-type": "text/plain" };
    const body = "a".repeat(1024 * 1024 + 1);
    const answer = await app.anonymous.request<{ message: string }>("POST", "/markdown/raw", { headers, body });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(
      "The text cannot be rendered: it has 1048577 characters, and 1048576 are the most",
    );
  });

  test("says that a text is nested too deeply", async () => {
    const { status, body } = await app.anonymous.request<{ message: string }>("POST", "/markdown/raw", {
      headers: { "content-type": "text/plain" },
      body: ">".repeat(15_000),
    });
    expect(status).toBe(422);
    expect(body.message).toBe("The text cannot be rendered: it is nested too deeply");
  });
});
