import { expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "tour", { private: true });
const visitor = new WebVisitor(app.url);
const text =
  "= Tour\n\nSee link:docs/a.adoc[the *way*].\n\n[source,go]\n----\nfunc a() {}\n----\n\n++++\n<script>b()</script>\n++++\n";
const { status } = await alice.api.post("/repos/alice/tour/contents/README.adoc", {
  content: Buffer.from(text).toString("base64"),
  message: "Add a README",
});
expect(status).toBe(201);

test("a README in AsciiDoc is for those who may read the code", async () => {
  expect((await visitor.get("/alice/tour/src/branch/main/README.adoc")).status).toBe(404);
});

test("it is shown as it reads, on the front page and on its own, and as its lines if asked for", async () => {
  await visitor.signIn("alice", testPassword);
  for (const path of ["/alice/tour", "/alice/tour/src/branch/main/README.adoc"]) {
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h1 id="user-content-tour">Tour</h1>');
    expect(page.text).toContain('/alice/tour/src/branch/main/docs/a.adoc" rel="nofollow">the <strong>way</strong></a>');
    expect(page.text).toContain('<i class="k">func</i>');
    expect(page.text).not.toContain("b()</script>");
  }
  const lines = await visitor.get("/alice/tour/src/branch/main/README.adoc?display=source");
  expect(lines.text).toContain("[source,go]");
  expect(lines.text).toContain("&lt;script&gt;");
});
