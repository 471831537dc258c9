import { messageOf } from "../lib/errors.ts";
import { answerMessages } from "../lib/worker-scope.ts";
import type { FromMarkdownWorker, ToMarkdownWorker } from "./renderer.ts";
import { HtmlTooLarge, renderMarkdown } from "./render-markdown.ts";

async function render({ text, options }: ToMarkdownWorker): Promise<FromMarkdownWorker> {
  try {
    return await renderMarkdown(text, options);
  } catch (error) {
    if (error instanceof HtmlTooLarge) {
      return { unrenderable: "too large" };
    }
    return error instanceof RangeError ? { unrenderable: "nested too deeply" } : { failure: messageOf(error) };
  }
}

answerMessages(render);
