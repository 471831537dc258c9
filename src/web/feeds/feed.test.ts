import { expect, test } from "bun:test";
import { html } from "../html.ts";
import { writeFeed, type Feed } from "./feed.ts";

const feed: Feed = {
  title: "Releases <of> \u0000 tour",
  about: 'A & "b"',
  link: "https://example.org/a/tour",
  entries: [
    {
      link: "https://example.org/a/tour/releases/tag/v1",
      title: "]]> <script>",
      at: new Date("2026-11-28T12:00:00Z"),
      author: "mara & oskar",
      content: html`<p>Text &amp; more</p>`,
    },
    { link: "https://example.org/2", title: "", at: new Date(Number.NaN), author: "", content: html`` },
  ],
};

test("RSS has every text escaped, and its times as mails have them", () => {
  const text = writeFeed("rss", feed, "https://example.org/a/tour/releases.rss");
  expect(text).toStartWith('<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"');
  expect(text).toContain("<title>Releases &lt;of&gt;  tour</title>");
  expect(text).toContain("<title>]]&gt; &lt;script&gt;</title>");
  expect(text).toContain("<pubDate>Sat, 28 Nov 2026 12:00:00 GMT</pubDate>");
  expect(text).toContain("<description>&lt;p&gt;Text &amp;amp; more&lt;/p&gt;</description>");
});

test("Atom says when it was last changed", () => {
  const text = writeFeed("atom", feed, "https://example.org/a/tour/releases.atom");
  expect(text).toContain(
    '<link href="https://example.org/a/tour/releases.atom" rel="self"/><updated>2026-11-28T12:00:00.000Z</updated>',
  );
  expect(text).toContain('<content type="html">&lt;p&gt;Text &amp;amp; more&lt;/p&gt;</content>');
  expect(text).toContain("<author><name>mara &amp; oskar</name></author>");
});
