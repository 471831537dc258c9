import type { CodeAnswer, CodeTask } from "../highlight/code-colours.ts";
import { messageOf } from "../lib/errors.ts";
import { answerMessages } from "../lib/worker-scope.ts";
import type { FromMarkdownWorker, ToMarkdownWorker } from "./renderer.ts";

/* Renders Markdown, or colours code. Both need the grammars of code, so they are one program; each has threads of its own. */

async function render({ text, options }: ToMarkdownWorker): Promise<FromMarkdownWorker> {
  const { HtmlTooLarge, renderMarkdown } = await import("./render-markdown.ts");
  try {
    return await renderMarkdown(text, options);
  } catch (error) {
    if (error instanceof HtmlTooLarge) {
      return { unrenderable: "too large" };
    }
    return error instanceof RangeError ? { unrenderable: "nested too deeply" } : { failure: messageOf(error) };
  }
}

async function colour({ path, code, limitMs }: CodeTask): Promise<CodeAnswer> {
  try {
    const { highlightFile } = await import("../highlight/highlight-code.ts");
    return { highlighted: await highlightFile(path, code, limitMs) };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

answerMessages<ToMarkdownWorker | CodeTask, FromMarkdownWorker | CodeAnswer>((task) =>
  "code" in task ? colour(task) : render(task),
);
