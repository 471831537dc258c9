import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { isMarkdown } from "../../domain/work/markdown/is-markdown.ts";
import { resolverFor } from "../../domain/work/markdown/resolve-references.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { bytes } from "../common/reply.ts";
import { invalid } from "../common/responses.ts";
import { readContext, readRepositoryContext, repositoryOfContext } from "./context.ts";
import { MarkdownOption, MarkupOption, readMarkdownRequest, readMarkupRequest, type RenderRequest } from "./schema.ts";

const html = (text: string) =>
  bytes(text, "text/html; charset=utf-8", { headers: { "content-security-policy": "sandbox; default-src 'none'" } });

const responses = {
  200: { description: "The HTML, safe to put into a page", contentType: "text/html" },
  ...invalid,
} as const;

const raw: RenderRequest = { text: "", mode: "", context: "", filePath: "", branchPath: "", isWiki: false };

/** Renders a text for a reader, and answers with it. Throws InvalidInput. */
async function render(
  forge: Forge,
  asked: Viewer & { signal: AbortSignal; repository: RepositoryAccess | null },
  wanted: RenderRequest,
) {
  const { text, mode, filePath } = wanted;
  if (mode === "file" && !isMarkdown(filePath)) {
    throw new InvalidInput(
      `FilePath must be that of a Markdown file, such as README.md, not "${clip(filePath, 80)}"`,
      "FilePath",
    );
  }
  const { addresses } = forge;
  const access = asked.repository;
  const base = access === null ? readContext(addresses, wanted) : readRepositoryContext(addresses, access, wanted);
  const hardBreaks = mode === "gfm" || mode === "comment";
  const names = access === null ? repositoryOfContext(addresses, wanted.context) : null;
  const resolver = resolverFor(forge, asked, { access, names, isComment: hardBreaks });
  return html(await forge.markdown.render(text, { hardBreaks, base }, asked.signal, resolver));
}

/** Markdown as HTML, for anybody: the decision on /markdown keeps it open on a public instance. */
export function markdownRoutes({ forge, group }: Api) {
  return group("", { tag: "miscellaneous", scopes: [], may: { on: "instance", do: "use" } })
    .post(
      "/markdown",
      {
        operationId: "renderMarkdown",
        summary: "Render Markdown as HTML",
        signedIn: false,
        malformedIsInvalid: true,
        body: MarkdownOption,
        responses,
      },
      (asked) => render(forge, asked, readMarkdownRequest(asked.body)),
    )
    .post(
      "/markdown/raw",
      {
        operationId: "renderMarkdownRaw",
        summary: "Render a Markdown text as HTML",
        signedIn: false,
        body: "text",
        responses,
      },
      (asked) => render(forge, asked, { ...raw, text: asked.body }),
    )
    .post(
      "/markup",
      {
        operationId: "renderMarkup",
        summary: "Render a text as HTML, as the name of its file says",
        signedIn: false,
        malformedIsInvalid: true,
        body: MarkupOption,
        responses,
      },
      (asked) => render(forge, asked, readMarkupRequest(asked.body)),
    );
}

/** Texts of a repository: its commits become links, and without a context addresses lead into its default branch. */
export function repositoryMarkdownRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
    // Nothing is written.
    onArchived: "allowed",
  })
    .post(
      "/markdown",
      {
        operationId: "repoRenderMarkdown",
        summary: "Render Markdown of a repository as HTML",
        body: MarkdownOption,
        responses,
      },
      (asked) => render(forge, asked, readMarkdownRequest(asked.body)),
    )
    .post(
      "/markdown/raw",
      {
        operationId: "repoRenderMarkdownRaw",
        summary: "Render a Markdown text of a repository as HTML",
        body: "text",
        responses,
      },
      (asked) => render(forge, asked, { ...raw, text: asked.body }),
    )
    .post(
      "/markup",
      {
        operationId: "repoRenderMarkup",
        summary: "Render a text of a repository as HTML, as the name of its file says",
        body: MarkupOption,
        responses,
      },
      (asked) => render(forge, asked, readMarkupRequest(asked.body)),
    );
}
