/** What the server says of an upload. */
export interface UploadState {
  readonly id: string;
  readonly received: number;
  /** Of the whole file; null before all of it has come. */
  readonly sha256: string | null;
}

/** The server refused the file: sending it again does not help. */
export class UploadRefused extends Error {}

/** Waits between tries after a lost connection, milliseconds; the last one again and again. */
const waits = [1000, 2000, 5000, 10_000, 30_000];
const mostTries = 60;

interface Target {
  readonly address: string;
  readonly partBytes: number;
  /** The hidden field that every form of the page has. */
  readonly token: readonly [name: string, value: string];
}

async function digestOf(part: Blob): Promise<string> {
  // A page on plain http has no such function, but for the browser's own machine.
  if (!globalThis.isSecureContext) {
    return "";
  }
  const digest = await crypto.subtle.digest("SHA-256", await part.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Answers the state; null where another try may help. Throws UploadRefused. */
async function read(response: Response): Promise<UploadState | null> {
  const answer = (await response.json().catch(() => ({}))) as { message?: string } & Partial<UploadState>;
  if (response.ok && answer.id !== undefined) {
    return answer as UploadState;
  }
  // 409: a part had arrived although its answer was lost; 422 with a digest: it arrived damaged.
  if (response.status === 409 || response.status === 429 || response.status >= 500) {
    return null;
  }
  throw new UploadRefused(answer.message ?? `The server answered ${response.status}. Load the page again.`);
}

/** A file on its way, in parts. A lost connection costs one part; after a reload of the page the same file goes on where it was. */
export class PartUpload {
  private readonly stop = new AbortController();
  private readonly key: string;

  constructor(
    private readonly file: File,
    private readonly target: Target,
    private readonly onProgress: (received: number, isWaiting: boolean) => void,
  ) {
    this.key = `upload ${target.address} ${file.name} ${file.size} ${file.lastModified}`;
  }

  cancel(): void {
    this.stop.abort();
    localStorage.removeItem(this.key);
  }

  /** Sends all of it. Throws UploadRefused, and AbortError after `cancel`. */
  async send(): Promise<UploadState> {
    let state: UploadState | null = null;
    for (let failures = 0; failures < mostTries;) {
      try {
        state ??= await this.begin();
        while (state !== null && state.sha256 === null) {
          state = await this.sendPart(state);
          failures = state === null ? failures : 0;
        }
        if (state !== null) {
          localStorage.removeItem(this.key);
          return state;
        }
      } catch (error) {
        if (error instanceof UploadRefused || this.stop.signal.aborted) {
          throw error;
        }
        state = null;
      }
      const wait = waits[Math.min(failures++, waits.length - 1)] ?? 0;
      this.onProgress(-1, true);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    throw new UploadRefused(
      "The connection was lost again and again. Choose the file once more: it goes on where it was.",
    );
  }

  /** The upload that was begun before, or a new one. */
  private async begin(): Promise<UploadState | null> {
    const { signal } = this.stop;
    const known = localStorage.getItem(this.key);
    if (known !== null) {
      const response = await fetch(`${this.target.address}/${encodeURIComponent(known)}`, { signal });
      if (response.ok) {
        return read(response);
      }
      localStorage.removeItem(this.key);
    }
    const body = new URLSearchParams({
      [this.target.token[0]]: this.target.token[1],
      name: this.file.name,
      size: String(this.file.size),
    });
    const state = await read(await fetch(this.target.address, { method: "POST", body, signal }));
    if (state !== null) {
      localStorage.setItem(this.key, state.id);
    }
    return state;
  }

  private async sendPart({ id, received }: UploadState): Promise<UploadState | null> {
    this.onProgress(received, false);
    const part = this.file.slice(received, received + this.target.partBytes);
    const body = new FormData();
    body.append(...this.target.token);
    body.append("offset", String(received));
    body.append("sha256", await digestOf(part));
    body.append("files", part, "part");
    const response = await fetch(`${this.target.address}/${id}`, { method: "POST", body, signal: this.stop.signal });
    const state = await read(response);
    this.onProgress(state?.received ?? received, state === null);
    return state;
  }
}
