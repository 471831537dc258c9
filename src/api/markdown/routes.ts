import { t } from "elysia";
import type { Api } from "../common/api.ts";
import { bytes } from "../common/reply.ts";
import { invalid } from "../common/responses.ts";
import { oneOf } from "../common/schema.ts";
import { readContext } from "./context.ts";

const modes = ["", "markdown", "gfm", "comment", "wiki"] as const;

/** The family writes these names with capitals, and reads them in any case. */
const MarkdownOption = t.Object(
  {
    Text: t.Optional(t.String({ description: "The Markdown" })),
    Mode: t.Optional(oneOf(modes, "markdown: a document; gfm and comment: line breaks count; wiki: a page of a wiki")),
    Context: t.Optional(
      t.String({ description: "What relative addresses are relative to, such as owner/repo/src/branch/main" }),
    ),
    Wiki: t.Optional(t.Boolean({ description: "The same as the mode wiki" })),
    text: t.Optional(t.String({ description: "Text" })),
    mode: t.Optional(oneOf(modes, "Mode")),
    context: t.Optional(t.String({ description: "Context" })),
    wiki: t.Optional(t.Boolean({ description: "Wiki" })),
  },
  { $id: "MarkdownOption" },
);

const html = (text: string) =>
  bytes(text, "text/html; charset=utf-8", { headers: { "content-security-policy": "sandbox; default-src 'none'" } });

/** Markdown as HTML, for anybody: the decision on /markdown keeps it open on a public instance. */
export function markdownRoutes({ forge, group }: Api) {
  const { markdown, addresses } = forge;
  return group("/markdown", { tag: "miscellaneous", scopes: [], may: { on: "instance", do: "use" } })
    .post(
      "",
      {
        operationId: "renderMarkdown",
        summary: "Render Markdown as HTML",
        signedIn: false,
        body: MarkdownOption,
        responses: { 200: { description: "The HTML, safe to put into a page", contentType: "text/html" } },
      },
      async ({ body, signal }) => {
        const mode = body.Mode ?? body.mode ?? "";
        const wiki = mode === "wiki" || (body.Wiki ?? body.wiki ?? false);
        const base = readContext(addresses, body.Context ?? body.context ?? "", wiki);
        return html(
          await markdown.render(
            body.Text ?? body.text ?? "",
            { hardBreaks: mode === "gfm" || mode === "comment", base },
            signal,
          ),
        );
      },
    )
    .post(
      "/raw",
      {
        operationId: "renderMarkdownRaw",
        summary: "Render a Markdown text as HTML",
        signedIn: false,
        body: "text",
        responses: { 200: { description: "The HTML, safe to put into a page", contentType: "text/html" }, ...invalid },
      },
      async ({ body, signal }) => html(await markdown.render(body, { hardBreaks: false, base: null }, signal)),
    );
}
