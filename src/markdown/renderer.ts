import { TaskTooLong, WorkThreads } from "../lib/work-threads.ts";
import { UnrenderableText } from "./errors.ts";
import { putLinks, type FoundReference, type Reference, type WantedReferences } from "./references.ts";
import type { MarkdownOptions, RenderedMarkdown } from "./render-markdown.ts";

export interface ToMarkdownWorker {
  text: string;
  options: MarkdownOptions;
}

/** `unrenderable`: the text is nested too deeply or its HTML would be too large. `failure`: a fault of ours. */
export type FromMarkdownWorker =
  | RenderedMarkdown
  | { unrenderable: "nested too deeply" | "too large" }
  | { failure: string };

/** Finds what texts refer to. */
export interface ReferenceResolver {
  /** The references that it finds; others stay text. */
  readonly wanted: WantedReferences;
  /** Returns the target of each reference; null if there is none, or if the reader may not see it. */
  resolve(references: readonly Reference[]): Promise<readonly (FoundReference | null)[]>;
}

export interface RendererOptions {
  /** The workers' entry point, see `src/workers.ts`. */
  worker: URL | string;
  /** How many texts are rendered at the same time; one principal has one thread less, but for the only one. */
  threads: number;
  /** The longest time for one text, milliseconds. */
  timeLimitMs: number;
  /** The longest text, in UTF-16 code units. */
  textLimit: number;
}

const waiting = { waiting: 200, waitingEach: 20 };
/** A text waits for a thread as long as so many others may take: people look at its page. */
const textsAhead = 3;
const idleMs = 60_000;

/**
 * Renders Markdown in threads that principals share fairly. Some short texts take minutes to render and gigabytes of
 * memory: a text is given up at a time limit, and when its HTML becomes too large (see renderMarkdown).
 */
export class MarkdownRenderer implements Disposable {
  readonly #threads: WorkThreads<ToMarkdownWorker, FromMarkdownWorker>;

  constructor(private readonly options: RendererOptions) {
    const { worker, threads, timeLimitMs } = options;
    this.#threads = new WorkThreads({
      worker,
      timeLimitMs,
      idleMs,
      share: {
        what: "texts to render",
        places: threads,
        placesEach: threads,
        ...waiting,
        waitingMs: textsAhead * timeLimitMs,
      },
    });
  }

  /**
   * Answers sanitized HTML, in which a resolver has made links of references. Throws UnrenderableText, Busy when this principal or all together have too many texts
   * waiting or it waited for long, and the signal's reason.
   */
  async render(
    text: string,
    options: Omit<MarkdownOptions, "references">,
    signal?: AbortSignal,
    resolver?: ReferenceResolver,
  ): Promise<string> {
    const { textLimit } = this.options;
    if (text.length > textLimit) {
      throw new UnrenderableText(`it has ${text.length} characters, and ${textLimit} are the most`);
    }
    const task = { text, options: { ...options, references: resolver?.wanted ?? { kinds: [] } } };
    const answer = await this.#threads.run(task, [], signal).catch((error: unknown) => {
      throw error instanceof TaskTooLong ? new UnrenderableText("it takes too long") : error;
    });
    if ("html" in answer) {
      const { html, references } = answer;
      const found = references.length === 0 ? [] : await resolver?.resolve(references);
      return putLinks(html, references, found ?? []);
    }
    throw "unrenderable" in answer ? new UnrenderableText(`it is ${answer.unrenderable}`) : new Error(answer.failure);
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}
