import { expect, test } from "bun:test";
import { html, trusted } from "./html.ts";

test("what is put in is escaped, wherever it stands", () => {
  const hostile = `"><script>alert('x')</script>&`;
  expect(html`<a title="${hostile}">${hostile}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;</a>',
  );
});

test("templates nest, lists are joined, and nothing is nothing", () => {
  const items = ["a<", "b"].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}`.text).toBe("<ul><li>a&lt;</li><li>b</li></ul>0");
  expect(html`${trusted("<b>bold</b>")}`.text).toBe("<b>bold</b>");
});
