import { expect } from "bun:test";
import type { ApiClient } from "./client.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Plays a client that cannot be had here: sends what it sends, as it serializes it, with its User-Agent.
 * Fails unless the answer has the status, and the fields, that this client goes on with.
 */
export class Replay {
  private readonly api: ApiClient;

  constructor(api: ApiClient, userAgent: string) {
    this.api = api.with({ "user-agent": userAgent });
  }

  async send<Body = Record<string, unknown>>(
    call: `${Method} ${string}`,
    status: number,
    body?: unknown,
    fields?: object,
  ): Promise<Body> {
    const [method = "", path = ""] = call.split(" ");
    const reply = await this.api.request<Body>(method, path, body === undefined ? {} : { body });
    expect({ call, status: reply.status, body: reply.body }).toMatchObject({
      call,
      status,
      ...(fields === undefined ? {} : { body: fields }),
    });
    return reply.body;
  }
}
