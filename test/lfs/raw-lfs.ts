import { findRepositoryByName, getRepositoryCounts } from "../../src/domain/repos/queries.ts";
import type { TestApp } from "../support/test-app.ts";

export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

/** The row of a repository; throws when there is none. */
export async function repositoryByName(app: TestApp, owner: string, name: string) {
  const row = await findRepositoryByName(app.forge.database.db, owner, name);
  if (row === null) {
    throw new Error(`There is no repository ${owner}/${name}`);
  }
  return row;
}

/** How many bytes of LFS objects are counted for a repository. */
export async function lfsBytesOf(app: TestApp, owner: string, name: string): Promise<number> {
  const { id } = await repositoryByName(app, owner, name);
  return (await getRepositoryCounts(app.forge.database.db, id)).lfsBytes;
}

/** Makes a user a collaborator who may write. */
export async function letWrite(app: TestApp, user: { id: number }, owner: string, name: string): Promise<void> {
  const { id } = await repositoryByName(app, owner, name);
  await app.forge.database.sql`insert into collaborator (repository_id, user_id, mode) values (${id}, ${user.id}, 2)`;
}

export interface LfsAction {
  href: string;
  header: Record<string, string>;
  expires_in: number;
}

/** What a batch says about one object; what is not there is empty. */
export interface AnsweredObject {
  oid: string;
  size: number;
  error?: { code: number; message: string };
  authenticated?: boolean;
  actions?: Record<string, LfsAction>;
}

interface BatchReply {
  status: number;
  headers: Headers;
  body: { message?: string; objects: AnsweredObject[] };
}

/** Somebody who speaks LFS without git-lfs. */
export class LfsClient {
  constructor(
    /** The address of the repository's LFS. */
    readonly url: string,
    private readonly token?: string,
  ) {}

  static of(app: { url: string }, path: string, token?: string): LfsClient {
    return new LfsClient(`${app.url}/${path}.git/info/lfs`, token);
  }

  request(
    method: string,
    path: string,
    body?: string | Uint8Array | ReadableStream,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const credentials: Record<string, string> =
      this.token === undefined ? {} : { authorization: `Basic ${btoa(`x:${this.token}`)}` };
    return fetch(`${this.url}/${path}`, {
      method,
      headers: { ...credentials, ...headers },
      ...(body === undefined ? {} : { body: body as string }),
    });
  }

  async post<Body>(
    path: string,
    value: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: Body }> {
    const response = await this.request("POST", path, JSON.stringify(value), {
      accept: "application/vnd.git-lfs+json",
      "content-type": "application/vnd.git-lfs+json; charset=utf-8",
      ...headers,
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  async batch(operation: "upload" | "download", objects: { oid: string; size: number }[]): Promise<BatchReply> {
    return this.post<BatchReply["body"]>("objects/batch", { operation, transfers: ["basic"], objects });
  }

  /** What a batch of one object says about it. */
  async ask(operation: "upload" | "download", oid: string, size: number): Promise<AnsweredObject> {
    const [object] = (await this.batch(operation, [{ oid, size }])).body.objects;
    if (object === undefined) {
      throw new Error("A batch of one object answered none");
    }
    return object;
  }

  /** How to transfer an object. Throws when there is nothing to transfer. */
  async action(name: "upload" | "verify" | "download", oid: string, size: number): Promise<LfsAction> {
    const object = await this.ask(name === "download" ? "download" : "upload", oid, size);
    const action = object.actions?.[name];
    if (action === undefined) {
      throw new Error(`There is no action ${name}: ${JSON.stringify(object)}`);
    }
    return action;
  }

  put(
    oid: string,
    content: string | Uint8Array | ReadableStream,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.request("PUT", `objects/${oid}`, content, headers);
  }

  get(oid: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.request("GET", `objects/${oid}`, undefined, headers);
  }
}
