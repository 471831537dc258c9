import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
  sessionId?: string;
}

/** The path of Debian's chromium, or of another one under its names; null when there is none. */
export function findChromium(): string | null {
  return Bun.which("chromium") ?? Bun.which("chromium-browser") ?? Bun.which("google-chrome");
}

/** A real browser with one page, driven over the Chrome DevTools Protocol. */
export class Browser implements AsyncDisposable {
  private readonly pending = new Map<
    number,
    { resolve(result: Record<string, unknown>): void; reject(error: Error): void }
  >();
  private readonly waiting: { method: string; resolve(params: Record<string, unknown>): void }[] = [];
  private nextId = 0;
  private session = "";
  /** What the page's console complained about, such as what its policy forbade. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly socket: WebSocket,
    private readonly stack: AsyncDisposableStack,
  ) {
    socket.addEventListener("message", ({ data }) => this.receive(JSON.parse(String(data)) as Message));
  }

  static async start(chromium: string): Promise<Browser> {
    const stack = new AsyncDisposableStack();
    try {
      const profile = await mkdtemp(join(tmpdir(), "stithy-browser-"));
      stack.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
      const child = Bun.spawn(
        [
          chromium,
          "--headless",
          "--remote-debugging-port=0",
          `--user-data-dir=${profile}`,
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-dev-shm-usage",
          "--disable-background-networking",
          "about:blank",
        ],
        // What it keeps beside its profile goes with that.
        { stdout: "ignore", stderr: "pipe", env: { ...process.env, TMPDIR: profile } },
      );
      stack.defer(async () => {
        child.kill("SIGKILL");
        await child.exited;
      });
      const socket = new WebSocket(await findEndpoint(child.stderr));
      stack.defer(() => socket.close());
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error("The browser cannot be reached")));
      await promise;
      const browser = new Browser(socket, stack);
      const { targetId } = await browser.call("Target.createTarget", { url: "about:blank" });
      browser.session = String((await browser.call("Target.attachToTarget", { targetId, flatten: true }))["sessionId"]);
      await Promise.all(["Page.enable", "Runtime.enable", "Log.enable"].map((method) => browser.call(method)));
      return browser;
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  private receive({ id, method, params = {}, result = {}, error }: Message): void {
    if (id !== undefined) {
      const call = this.pending.get(id);
      this.pending.delete(id);
      if (error === undefined) {
        call?.resolve(result);
      } else {
        call?.reject(new Error(error.message));
      }
      return;
    }
    if (method === "Log.entryAdded") {
      this.complaints.push(String((params["entry"] as { text?: string }).text));
    }
    const index = this.waiting.findIndex((one) => one.method === method);
    this.waiting.splice(index < 0 ? this.waiting.length : index, 1)[0]?.resolve(params);
  }

  private call(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = ++this.nextId;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.pending.set(id, { resolve, reject });
    this.socket.send(
      JSON.stringify({ id, method, params, ...(this.session === "" ? {} : { sessionId: this.session }) }),
    );
    return promise;
  }

  private event(method: string): Promise<Record<string, unknown>> {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    this.waiting.push({ method, resolve });
    return promise;
  }

  async open(url: string): Promise<void> {
    const loaded = this.event("Page.loadEventFired");
    const { errorText } = await this.call("Page.navigate", { url });
    if (errorText !== undefined) {
      throw new Error(`${url}: ${String(errorText)}`);
    }
    await loaded;
  }

  /** Gives the window this size, in CSS pixels. */
  async resize(width: number, height: number): Promise<void> {
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  /** The value of an expression in the page. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails !== undefined) {
      throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    }
    return (result as { value: Value }).value;
  }

  /** Types into the field of this label. */
  async type(label: string, text: string): Promise<void> {
    const field = `[...document.querySelectorAll("label")].find((label) => label.textContent.trim() === ${JSON.stringify(label)})?.control`;
    await this.evaluate(`${field}.focus()`);
    await this.call("Input.insertText", { text });
  }

  /** Presses the button or follows the link of this name, rather one of the page's content, with the mouse. */
  async click(text: string): Promise<void> {
    const all = `[...document.querySelectorAll("main button, main a"), ...document.querySelectorAll("button, a")]`;
    const element = `${all}.find((one) => (one.getAttribute("aria-label") ?? one.textContent).trim() === ${JSON.stringify(text)})`;
    const at = await this.evaluate<{ x: number; y: number } | null>(
      `(() => { const one = ${element}; if (!one) return null; one.scrollIntoView({ block: "center" }); const box = one.getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`,
    );
    if (at === null) {
      throw new Error(`There is no "${text}" on ${await this.address()}: ${await this.text()}`);
    }
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.call("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
    }
  }

  /** The same, and waits for the page that it leads to. */
  async press(text: string): Promise<void> {
    const loaded = this.event("Page.loadEventFired");
    await this.click(text);
    await loaded;
  }

  address(): Promise<string> {
    return this.evaluate("location.href");
  }

  text(): Promise<string> {
    return this.evaluate("document.body.innerText");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

/** The address that the browser prints when it listens. */
async function findEndpoint(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const found = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
    if (found !== undefined) {
      return found;
    }
  }
  throw new Error(`The browser did not start: ${text.slice(0, 2000)}`);
}
