import { messageOf } from "../lib/errors.ts";
import type { FromMarkdownWorker, ToMarkdownWorker } from "./renderer.ts";
import { HtmlTooLarge, renderMarkdown } from "./render-markdown.ts";

/** The global object of a worker, as far as it is used. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: { readonly data: ToMarkdownWorker }) => void): void;
  postMessage(message: FromMarkdownWorker, transfer: ArrayBuffer[]): void;
}

const scope = globalThis as unknown as WorkerScope;

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

scope.addEventListener("message", ({ data }) => void render(data).then((answer) => scope.postMessage(answer, [])));
