import { describe, expect, test } from "bun:test";
import { Scratch, mustGit } from "../support/git.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, comparable } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const nobody = new WebVisitor(app.url);
const owner = new WebVisitor(app.url);
await owner.signIn("alice", testPassword);

interface Commit {
  readonly sha: string;
  readonly parents: { sha: string }[];
}

type Bytes = string | Uint8Array;
const paths = new Map<string, Commit>();

/** Writes a file with the API. */
async function write(path: string, content: Bytes, fields: Record<string, unknown> = {}): Promise<Commit> {
  const body = { content: Buffer.from(content).toString("base64"), message: `Add ${path}`, ...fields };
  const { status, body: made } = await alice.api.post<{ commit: Commit }>(
    `/repos/alice/tour/contents/${path.split("/").map(encodeURIComponent).join("/")}`,
    body,
  );
  expect(status).toBe(201);
  paths.set(path, made.commit);
  return made.commit;
}

const page = async (path: string, visitor = nobody) => visitor.get(`/alice/tour/src/branch/main/${path}`);

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
await write("src/a/code.ts", "let a = 1;\nlet b = '<b>';\n");
await write("picture.png", png);

test("a private repository's blame is as absent as one that is not there", async () => {
  for (const rest of ["blame/branch/main/README.md", "blame/branch/none", "src/branch/none/x"]) {
    const [hidden, missing] = [await nobody.get(`/alice/closed/${rest}`), await nobody.get(`/alice/gone/${rest}`)];
    expect(hidden.status).toBe(404);
    expect(comparable(hidden.text)).toBe(comparable(missing.text));
  }
});

describe("a file of text", () => {
  test("has its lines with links that are no tab stops, its facts, and what else there is of it", async () => {
    const { status, text } = await page("src/a/code.ts");
    expect(status).toBe(200);
    expect(text).toContain('<span id="L2"><a href="#L2" data-n="2" tabindex="-1" aria-hidden="true"></a>');
    expect(text).toContain("&lt;b&gt;");
    expect(text).not.toContain("<b>&");
    expect(text).toContain("2 lines");
    expect(text).toContain("26 bytes");
    expect(text).toContain("<b>alice</b>");
    expect(text).toContain('href="/alice/tour/blame/branch/main/src/a/code.ts" data-key="b" rel="nofollow"');
    expect(text).toContain('href="/alice/tour/raw/branch/main/src/a/code.ts" download="code.ts"');
    expect(text).toContain(`data-key="y" href="/alice/tour/src/commit/`);
    expect(text).toContain('<a href="/alice/tour/src/branch/main/src/a">');
    expect(text).not.toContain("/_edit/");
  });

  test("that is nothing but line feeds is shown in part, also with who wrote it", async () => {
    await write("lines.txt", "\n".repeat(300_000));
    for (const view of ["src", "blame"]) {
      const { text } = await nobody.get(`/alice/tour/${view}/branch/main/lines.txt`);
      expect(text).toContain("more lines than a page can show");
      expect(text).toContain('id="L50000"');
      expect(text).not.toContain('id="L50001"');
      expect(text.length).toBeLessThan(8_000_000);
    }
    expect((await page("src/a/code.ts")).text).not.toContain("more lines than");
  });

  test("leads to the editor on a branch only, for those who may write", async () => {
    const { sha } = paths.get("src/a/code.ts")!;
    const shown = (await page("src/a/code.ts", owner)).text;
    expect(shown).toContain('href="/alice/tour/_edit/main/src/a/code.ts"');
    expect(shown).toContain('href="/alice/tour/_delete/main/src/a/code.ts"');
    expect((await owner.get(`/alice/tour/src/commit/${sha}/src/a/code.ts`)).text).not.toMatch(/_edit|_delete/);
    await app.user("bob");
    const bob = new WebVisitor(app.url);
    await bob.signIn("bob", testPassword);
    const offered = (await page("src/a/code.ts", bob)).text;
    expect(offered).toContain('href="/alice/tour/_edit/main/src/a/code.ts" aria-label="Fork and edit code.ts"');
    expect(offered).not.toContain("_delete");
  });

  test("warns of characters that hide something, and marks them", async () => {
    await write("bidi.js", "/*\u202E } \u2066if (admin)\u2069 \u2066 begin */\nlet\u200B a;\n");
    const { text } = await page("bidi.js");
    expect(text).toContain("turn the direction of text");
    expect(text).toContain("do not show");
    expect(text).toContain('<bdi class="hidden" data-is="U+202E">\u202E</bdi>');
    expect((await page("src/a/code.ts")).text).not.toContain("turn the direction");
  });

  test("says how bytes that are not UTF-8 were read", async () => {
    await write("latin.txt", Buffer.from("caf\xe9\n", "latin1"));
    await write("broken.txt", Buffer.concat([Buffer.from("ééééé\n"), Buffer.from([0xff])]));
    await write("wide.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("wide <é>\n", "utf16le")]));
    expect((await page("latin.txt")).text).toMatch(/café[^]*Windows-1252|Windows-1252[^]*café/);
    expect((await page("broken.txt")).text).toContain("One place has bytes that are not UTF-8");
    expect((await page("wide.txt")).text).toContain("wide &lt;é&gt;");
  });

  test("of a large size comes in parts, whose lines keep their numbers", async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `this is line ${index + 1}\n`).join("");
    await write("large.txt", lines);
    const first = await page("large.txt");
    expect(first.text).toContain('href="/alice/tour/src/branch/main/large.txt?part=2"');
    const last = /Part 1 of 3: lines 1–([\d,]+), /.exec(first.text)?.[1]?.replace(",", "") ?? "";
    const second = await page("large.txt?part=2");
    expect(second.text).toContain(`<span id="L${Number(last) + 1}">`);
    expect(second.text).toContain(`this is line ${Number(last) + 1}\n`);
    expect((await page("large.txt?part=99")).text).toContain("no such part");
    for (const wrong of ["0", "-1", "x", "1e9", "999999999999"]) {
      expect((await page(`large.txt?part=${wrong}`)).status).toBe(200);
    }
  });

  test("may be empty, have one endless line, or a name that looks like markup", async () => {
    await write("empty.txt", "");
    await write("long.txt", "x".repeat(700_000));
    await write("<b>&'\".ts", "odd\n");
    expect((await page("empty.txt")).text).toContain("This file is empty");
    expect((await page("long.txt")).text).toContain("Part 1 of 2: lines 1–1");
    const odd = (await page(encodeURIComponent("<b>&'\".ts"))).text;
    expect(odd).toContain("&lt;b&gt;&amp;&#x27;&quot;.ts");
    expect(odd).not.toContain("<b>&");
  });

  test("has tabs as wide as .editorconfig says", async () => {
    await write("Makefile", "all:\n\techo\n");
    expect((await page("Makefile")).text).not.toContain(" tab-");
    await write(".editorconfig", "root = true\n[*]\nindent_style = tab\nindent_size = 8\n");
    expect((await page("Makefile")).text).toContain(" tab-8");
  });
});

describe("blame", () => {
  test("says who wrote each line, and leads to the file as it was before", async () => {
    const { sha: first } = await write("poem.txt", "one\ntwo\nthree\n", { message: "A <poem>" });
    const { body } = await alice.api.get<{ sha: string }>("/repos/alice/tour/contents/poem.txt");
    const changed = await alice.api.put<{ commit: Commit }>("/repos/alice/tour/contents/poem.txt", {
      content: Buffer.from("one\n2\nthree\n").toString("base64"),
      message: "Second",
      sha: body.sha,
    });
    const { sha: second } = changed.body.commit;
    const { status, text, headers } = await nobody.get("/alice/tour/blame/branch/main/poem.txt");
    expect([status, headers.get("x-robots-tag")]).toEqual([200, "noindex, nofollow"]);
    const commits = [...text.matchAll(/class="by" href="\/alice\/tour\/commit\/([0-9a-f]+)"/g)].map(([, oid]) => oid);
    expect(commits).toEqual([first, second, first]);
    expect(text).toContain("A &lt;poem&gt;");
    const before = new RegExp(`href="(/alice/tour/blame/commit/${first}/poem.txt)#L2"`).exec(text)?.[1] ?? "";
    expect((await nobody.get(before)).text).toContain("</a>two\n</span>");
  });

  test("of what has no lines says so, and is absent for directories", async () => {
    expect((await nobody.get("/alice/tour/blame/branch/main/picture.png")).text).toContain("Nobody wrote lines here");
    expect((await nobody.get("/alice/tour/blame/branch/main/src")).status).toBe(404);
    expect((await nobody.get("/alice/tour/blame/branch/main")).status).toBe(404);
  });
});

describe("what is no text", () => {
  test("pictures have their size, sounds and films their controls, and other bytes a download", async () => {
    await write("tone.ogg", Buffer.concat([Buffer.from("OggS"), Buffer.alloc(100)]));
    await write("film.webm", Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(100)]));
    await write("paper.pdf", Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(100)]));
    expect((await page("picture.png")).text).toContain(
      'src="/alice/tour/raw/branch/main/picture.png" alt="picture.png" width="1" height="1">',
    );
    expect((await page("tone.ogg")).text).toContain('<audio controls preload="metadata"');
    expect((await page("film.webm")).text).toContain("<video");
    const policy = (await page("film.webm")).headers.get("content-security-policy");
    expect(policy).toContain("media-src 'self'");
    expect((await page("paper.pdf")).text).toContain("A PDF document");
    const sent = await nobody.get("/alice/tour/raw/branch/main/paper.pdf");
    expect(sent.headers.get("content-disposition")).toStartWith("attachment");
  });

  test("symbolic links and submodules lead where they lead, if that is somewhere", async () => {
    using scratch = new Scratch();
    const modules = '[submodule "lib"]\n\tpath = lib\n\turl = git@example.org:team/lib.git\n';
    const input = `commit refs/heads/links
committer A <a@example.com> 1700000000 +0000
data 1
x
M 100644 inline docs/a.txt
data 2
a
M 120000 inline docs/link
data 5
a.txt
M 120000 inline docs/out
data 16
../../etc/passwd
M 100755 inline run.sh
data 2
#!
M 160000 ${"1".repeat(40)} lib
M 160000 ${"2".repeat(40)} unknown
M 100644 inline .gitmodules
data ${modules.length}
${modules}
`;
    await mustGit(scratch.path, ["init", "-q"]);
    await mustGit(scratch.path, ["fast-import", "--quiet"], { input });
    const remote = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/tour.git`;
    await mustGit(scratch.path, ["push", "-q", remote, "links"]);
    const at = async (path: string) => (await nobody.get(`/alice/tour/src/branch/links/${path}`)).text;
    expect(await at("docs/link")).toContain('<a href="/alice/tour/src/branch/links/docs/a.txt"><code>a.txt</code></a>');
    expect(await at("docs/out")).toContain("which is not in this repository");
    expect(await at("run.sh")).toContain('<span class="tag">executable</span>');
    expect(await at("lib")).toContain('<a rel="nofollow" href="https://example.org/team/lib">');
    expect(await at("unknown")).toContain("an address that .gitmodules does not say");
  });

  test("a drawing is a picture to pages and in a sandbox by itself; LFS pointers say what is missing", async () => {
    await write("logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const raw = await nobody.get("/alice/tour/raw/branch/main/logo.svg");
    expect([raw.headers.get("content-type"), raw.headers.get("content-security-policy")]).toEqual([
      "image/svg+xml",
      "sandbox; default-src 'none'",
    ]);
    expect((await page("logo.svg")).text).not.toContain("<script>alert");
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 2000000\n`;
    await write("big.bin", pointer);
    const { text } = await page("big.bin");
    expect(text).toContain("A file of Git LFS that was not pushed");
    expect(text).toContain("2.0 MB");
  });
});

describe("a rendering", () => {
  const shown = async (path: string, content: Bytes, query = "") => {
    if (!paths.has(path)) {
      await write(path, content);
    }
    return (await page(path + query)).text;
  };

  test("of comma-separated values is a table, with the lines beside it", async () => {
    const csv = 'name,"a, b"\n<b>,"x\ny"\n';
    const text = await shown("values.csv", csv);
    expect(text).toContain('<th scope="col" dir="auto">a, b</th>');
    expect(text).toContain('<td dir="auto">&lt;b&gt;</td><td dir="auto">x\ny</td>');
    expect(text).toContain('href="/alice/tour/src/branch/main/values.csv?display=source"');
    expect(await shown("values.csv", csv, "?display=source")).toContain('<span id="L3">');
  });

  test("of JSON is a tree that the reader asks for; what is no JSON stays lines", async () => {
    const json = '{"a": [1, {"<i>": 2}]}';
    expect(await shown("data.json", json)).toContain('<span id="L1">');
    expect(await shown("data.json", json, "?display=rendered")).toContain('<i class="f">&lt;i&gt;</i>');
    expect(await shown("wrong.json", "{", "?display=rendered")).toContain('<span id="L1">');
  });

  test("of a notebook whose texts take long is there after a moment", async () => {
    // Each of them takes a thread a quarter of a second.
    const cells = Array.from({ length: 100 }, (_, index) => ({
      cell_type: "markdown",
      source: `${index}${"[a](".repeat(10_000)}`,
    }));
    const begun = performance.now();
    const text = await shown("long.ipynb", JSON.stringify({ nbformat: 4, cells }));
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(text.split('<div class="cell">')).toHaveLength(101);
  }, 60_000);

  test("of a notebook shows its cells and outputs, and nothing of it runs", async () => {
    const cells = [
      { cell_type: "markdown", source: "# Title\n<script>alert(1)</script>" },
      {
        cell_type: "code",
        source: "print('<b>')",
        outputs: [
          { output_type: "stream", text: "out <i>\n" },
          {
            output_type: "execute_result",
            data: {
              "text/html":
                '<table onclick="x()">\n\n<tr><td style="a:b">cell</td></tr></table><script>alert(2)</script>',
            },
          },
          { output_type: "display_data", data: { "image/png": png.toString("base64") } },
          { output_type: "display_data", data: { "image/svg+xml": "<svg onload=alert(3)></svg>" } },
        ],
      },
    ];
    const text = await shown("book.ipynb", JSON.stringify({ nbformat: 4, cells }));
    expect(text).toContain(">Title</h1>");
    expect(text).toContain("out &lt;i&gt;");
    expect(text).toMatch(/<td>cell<\/td>/);
    expect(text).toMatch(/src="data:image\/png;base64,[^"]+" alt="What the cell drew" width="1" height="1"/);
    expect(text).toContain('src="data:image/svg+xml;base64,');
    expect(text).not.toMatch(/alert\(|onclick|style="/);
  });

  test("of Markdown has an outline, and of a drawing its picture", async () => {
    expect(await shown("guide.md", "# One\n\n## Two\n")).toContain('<a class="level-2" href="#user-content-two">');
    expect(await shown("logo.svg", "")).toContain('<img class="picture" src="/alice/tour/media/branch/main/logo.svg"');
  });
});

describe("a missing ref or path", () => {
  test("is named in the frame of the repository, with what is near", async () => {
    const path = await page("src/a/cod.ts");
    expect(path.status).toBe(404);
    expect(path.text).toContain("<code>src/a/cod.ts</code> is not in branch <b>main</b>");
    expect(path.text).toContain('href="/alice/tour/src/branch/main/src/a/code.ts"');
    const moved = await page("code.ts");
    expect(moved.text).toContain('href="/alice/tour/src/branch/main/src/a/code.ts"');
    const ref = await nobody.get("/alice/tour/src/branch/mian/src/a/code.ts");
    expect(ref.status).toBe(404);
    expect(ref.text).toContain('<a class="cut" href="/alice/tour/src/branch/main/src/a/code.ts">main</a>');
    const blame = await nobody.get("/alice/tour/blame/branch/Main/src/a/code.ts");
    expect(blame.text).toContain('href="/alice/tour/blame/branch/main/src/a/code.ts"');
  });

  test("may be called anything", async () => {
    for (const rest of [
      "branch/<i>",
      "commit/zzz",
      "commit/",
      "tag/v1",
      "else/x",
      "branch/%E2%80%AE",
      `branch/${"x/".repeat(400)}`,
    ]) {
      for (const view of ["src", "blame"]) {
        const { status, text } = await nobody.get(`/alice/tour/${view}/${rest}`);
        expect([rest, status]).toEqual([rest, 404]);
        expect(text).not.toContain("<i>");
      }
    }
  });
});

test("a directory leads to the one above it, and shows what its README says", async () => {
  await write("src/README.md", "# About the *source*\n");
  const { text } = await page("src");
  expect(text).toContain('aria-label="The directory above"');
  expect(text).toContain("About the <em>source</em>");
  expect((await nobody.get("/alice/tour/src/branch/main")).text).not.toContain("The directory above");
});
