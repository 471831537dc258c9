import { t, type Static } from "elysia";
import { oneOf } from "../common/schema.ts";

const modes = ["", "markdown", "gfm", "comment", "wiki", "file"] as const;
const modeWords = "markdown and file: a document; gfm and comment: line breaks count; wiki: a page of a wiki";
const contextWords = "What relative addresses are relative to, such as owner/repo/src/branch/main";

/** The family writes these names with capitals, and reads them in any case. */
export const MarkdownOption = t.Object(
  {
    Text: t.Optional(t.String({ description: "The Markdown" })),
    Mode: t.Optional(oneOf(modes, modeWords)),
    Context: t.Optional(t.String({ description: contextWords })),
    Wiki: t.Optional(t.Boolean({ description: "The same as the mode wiki" })),
    text: t.Optional(t.String({ description: "Text" })),
    mode: t.Optional(oneOf(modes, "Mode")),
    context: t.Optional(t.String({ description: "Context" })),
    wiki: t.Optional(t.Boolean({ description: "Wiki" })),
  },
  { $id: "MarkdownOption" },
);

export const MarkupOption = t.Object(
  {
    Text: t.Optional(t.String({ description: "The text" })),
    Mode: t.Optional(oneOf(modes, `${modeWords}, of the kind that FilePath says`)),
    Context: t.Optional(t.String({ description: contextWords })),
    FilePath: t.Optional(
      t.String({
        description: "In the mode file, path of the file that the text stands in: its name says how to render it",
      }),
    ),
    BranchPath: t.Optional(
      t.String({ description: "Where Context is a repository, what is shown of it, such as branch/main" }),
    ),
    Wiki: t.Optional(t.Boolean({ description: "The same as the mode wiki" })),
    text: t.Optional(t.String({ description: "Text" })),
    mode: t.Optional(oneOf(modes, "Mode")),
    context: t.Optional(t.String({ description: "Context" })),
    file_path: t.Optional(t.String({ description: "FilePath" })),
    branch_path: t.Optional(t.String({ description: "BranchPath" })),
    wiki: t.Optional(t.Boolean({ description: "Wiki" })),
  },
  { $id: "MarkupOption" },
);

/** A text to render, with options. */
export interface RenderRequest {
  text: string;
  mode: (typeof modes)[number];
  context: string;
  filePath: string;
  branchPath: string;
  isWiki: boolean;
}

/** Either spelling of the fields of the option. */
export function readMarkupRequest(option: Static<typeof MarkupOption>): RenderRequest {
  const mode = option.Mode ?? option.mode ?? "";
  return {
    text: option.Text ?? option.text ?? "",
    mode,
    // Halves of a character cannot be put into an address.
    context: (option.Context ?? option.context ?? "").toWellFormed(),
    filePath: (option.FilePath ?? option.file_path ?? "").toWellFormed(),
    branchPath: (option.BranchPath ?? option.branch_path ?? "").toWellFormed(),
    isWiki: mode === "wiki" || (option.Wiki ?? option.wiki ?? false),
  };
}

/** Reads a request for a text that is Markdown whatever file it is in. */
export function readMarkdownRequest(option: Static<typeof MarkdownOption>): RenderRequest {
  const wanted = readMarkupRequest(option);
  return wanted.mode === "file" ? { ...wanted, mode: "markdown" } : wanted;
}
