import { checkAnswer } from "./check-answer.ts";

/** A response, read to its end. */
export interface Reply<Body = unknown> {
  status: number;
  headers: Headers;
  /** JSON where the answer is JSON, else its text; null where there is none. */
  body: Body;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text, bytes or a stream, which are sent as they are. */
  body?: unknown;
}

/** Somebody who calls the API: paths are relative to /api/v1. */
export class ApiClient {
  constructor(
    /** The server's address without a final slash. */
    readonly url: string,
    /** Sent with every request, such as Authorization. */
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The same caller with other headers in addition. */
  with(headers: Record<string, string>): ApiClient {
    return new ApiClient(this.url, { ...this.headers, ...headers });
  }

  /** Throws when the answer is not as the OpenAPI document says. */
  async request<Body = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<Reply<Body>> {
    const response = await this.fetch(method, path, options);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const body: unknown = text === "" ? null : isJson ? JSON.parse(text) : text;
    const sent = new Headers({ ...this.headers, ...options.headers });
    checkAnswer({
      method,
      url: response.url,
      status: response.status,
      sudo: sent.has("sudo") || /[?&]sudo=/.test(path),
      conditional: sent.has("if-none-match"),
      contentType: response.headers.get("content-type"),
      body,
    });
    return { status: response.status, headers: response.headers, body: body as Body };
  }

  /** The response as it comes, for what is not read as a whole. */
  fetch(method: string, path: string, { headers = {}, body }: RequestOptions = {}): Promise<Response> {
    const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
    const init: RequestInit = {
      method,
      redirect: "manual",
      headers: {
        ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }),
        ...this.headers,
        ...headers,
      },
    };
    if (body !== undefined) {
      init.body = isRaw ? (body as string | ReadableStream) : JSON.stringify(body);
    }
    return fetch(`${this.url}/api/v1${path}`, init);
  }

  get<Body = unknown>(path: string, headers: Record<string, string> = {}): Promise<Reply<Body>> {
    return this.request<Body>("GET", path, { headers });
  }

  post<Body = unknown>(path: string, body?: unknown): Promise<Reply<Body>> {
    return this.request<Body>("POST", path, { body });
  }

  put<Body = unknown>(path: string, body?: unknown): Promise<Reply<Body>> {
    return this.request<Body>("PUT", path, { body });
  }

  patch<Body = unknown>(path: string, body?: unknown): Promise<Reply<Body>> {
    return this.request<Body>("PATCH", path, { body });
  }

  delete<Body = unknown>(path: string, body?: unknown): Promise<Reply<Body>> {
    return this.request<Body>("DELETE", path, { body });
  }
}
