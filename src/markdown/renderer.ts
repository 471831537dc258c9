import { ByteCache } from "../lib/byte-cache.ts";
import { noteUnfinished } from "../lib/request-context.ts";
import { TaskTooLong, WorkThreads } from "../lib/work-threads.ts";
import { StithyError } from "../lib/errors.ts";
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
/** So many texts of one page are rendered at a time: fewer than may wait (`waitingEach`). */
const textsAtOnce = 8;
/** READMEs and comments are read far more often than they change. */
const rememberedBytes = 16 * 1024 * 1024;

/**
 * Renders Markdown in threads that principals share fairly. Some short texts take minutes to render and gigabytes of
 * memory: a text is given up at a time limit, and when its HTML becomes too large (see renderMarkdown).
 */
export class MarkdownRenderer implements Disposable {
  readonly #threads: WorkThreads<ToMarkdownWorker, FromMarkdownWorker>;
  /** By text and options. References are found anew for each reader. */
  readonly #rendered = new ByteCache<RenderedMarkdown>(rememberedBytes);

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
    const { html, references } = await this.#renderText(text, options, signal, resolver?.wanted);
    const found = references.length === 0 ? [] : await resolver?.resolve(references);
    return putLinks(html, references, found ?? []);
  }

  /**
   * Renders several texts of one page, and looks up what all of them refer to at once. null: a text that cannot be rendered, or not in `timeMs`. Throws
   * the signal's reason.
   */
  async renderAll(
    texts: readonly string[],
    options: Omit<MarkdownOptions, "references">,
    timeMs: number,
    signal: AbortSignal,
    resolver: ReferenceResolver,
  ): Promise<(string | null)[]> {
    const end = performance.now() + timeMs;
    const rendered: (RenderedMarkdown | null)[] = [];
    for (let at = 0; at < texts.length; at += textsAtOnce) {
      const isLate = performance.now() > end;
      if (isLate) {
        noteUnfinished();
      }
      const some = texts.slice(at, at + textsAtOnce).map((text) =>
        isLate
          ? null
          : this.#renderText(text, options, signal, resolver.wanted).catch((error: unknown) => {
              signal.throwIfAborted();
              if (error instanceof StithyError) {
                return null;
              }
              throw error;
            }),
      );
      rendered.push(...(await Promise.all(some)));
    }
    const references = rendered.flatMap((one) => one?.references ?? []);
    const found = references.length === 0 ? [] : await resolver.resolve(references);
    let before = 0;
    return rendered.map((one) => {
      if (one === null) {
        return null;
      }
      const own = found.slice(before, before + one.references.length);
      before += one.references.length;
      return putLinks(one.html, one.references, own);
    });
  }

  async #renderText(
    text: string,
    options: Omit<MarkdownOptions, "references">,
    signal: AbortSignal | undefined,
    references: WantedReferences = { kinds: [] },
  ): Promise<RenderedMarkdown> {
    const { textLimit } = this.options;
    if (text.length > textLimit) {
      throw new UnrenderableText(`it has ${text.length} characters, and ${textLimit} are the most`);
    }
    const task = { text, options: { ...options, references } };
    const key = new Bun.CryptoHasher("sha256").update(JSON.stringify(task)).digest("base64");
    const known = this.#rendered.get(key);
    if (known !== undefined) {
      return known;
    }
    const answer = await this.#threads.run(task, [], signal).catch((error: unknown) => {
      throw error instanceof TaskTooLong ? new UnrenderableText("it takes too long") : error;
    });
    if ("html" in answer) {
      this.#rendered.set(key, answer, 2 * answer.html.length + 200 * answer.references.length);
      return answer;
    }
    throw "unrenderable" in answer ? new UnrenderableText(`it is ${answer.unrenderable}`) : new Error(answer.failure);
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}
