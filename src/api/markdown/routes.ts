import { Elysia, t } from "elysia";
import type { Api } from "../common/api.ts";
import { bytes } from "../common/reply.ts";
import { bodyTooLarge, invalid } from "../common/responses.ts";
import { oneOf } from "../common/schema.ts";
import { readContext } from "./context.ts";

const modes = ["", "markdown", "gfm", "comment", "wiki"] as const;

/** The family writes these names with capitals, and reads them in any case. */
const MarkdownOption = t.Object(
  {
    Text: t.Optional(t.String({ description: "The Markdown" })),
    Mode: t.Optional(oneOf(modes, "markdown: a document; gfm and comment: line breaks count; wiki: a page of a wiki")),
    Context: t.Optional(t.String({ description: "What relative addresses are relative to, such as owner/repo/src/branch/main" })),
    Wiki: t.Optional(t.Boolean({ description: "The same as the mode wiki" })),
    text: t.Optional(t.String({ description: "Text" })),
    mode: t.Optional(oneOf(modes, "Mode")),
    context: t.Optional(t.String({ description: "Context" })),
    wiki: t.Optional(t.Boolean({ description: "Wiki" })),
  },
  { $id: "MarkdownOption" },
);

const rendered = { 200: { description: "The HTML, safe to put into a page", contentType: "text/html" } };
const open = { tag: "miscellaneous", scopes: [], may: { on: "instance", do: "use" } } as const;

const html = (text: string) => bytes(text, "text/html; charset=utf-8", { headers: { "content-security-policy": "sandbox; default-src 'none'" } });

/** Markdown as HTML, for anybody: the decision on /markdown keeps it open on a public instance. */
export function markdownRoutes({ forge, endpoint }: Api) {
  const { markdown, addresses } = forge;
  return new Elysia({ prefix: "/markdown" })
    .post(
      "",
      ...endpoint(
        {
          ...open,
          operationId: "renderMarkdown",
          summary: "Render Markdown as HTML",
          body: MarkdownOption,
          responses: { ...rendered, ...bodyTooLarge, ...invalid },
        },
        async ({ body }) => {
          const mode = body.Mode ?? body.mode ?? "";
          const wiki = mode === "wiki" || (body.Wiki ?? body.wiki ?? false);
          const base = readContext(addresses, body.Context ?? body.context ?? "", wiki);
          return html(await markdown.render(body.Text ?? body.text ?? "", { hardBreaks: mode === "gfm" || mode === "comment", base }));
        },
      ),
    )
    .post(
      "/raw",
      ...endpoint(
        {
          ...open,
          operationId: "renderMarkdownRaw",
          summary: "Render a Markdown text as HTML",
          body: "text",
          responses: { ...rendered, ...bodyTooLarge, ...invalid },
        },
        async ({ body }) => html(await markdown.render(body, { hardBreaks: false, base: null })),
      ),
    );
}
