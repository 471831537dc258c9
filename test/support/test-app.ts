import { afterAll } from "bun:test";
import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hash } from "@node-rs/argon2";
import { openApp } from "../../src/app.ts";
import { loadConfig, type Config } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/env.ts";
import type { Settings } from "../../src/config/settings.ts";
import type { Forge } from "../../src/domain/spine/forge.ts";
import { createOrganization, type NewOrganization } from "../../src/domain/identity/orgs/create-organization.ts";
import { createToken } from "../../src/domain/identity/tokens/create-token.ts";
import { insertUser } from "../../src/domain/identity/users/queries.ts";
import { startJobs } from "../../src/jobs/start-jobs.ts";
import { createLogger, type Logger } from "../../src/lib/log.ts";
import { startServer } from "../../src/server.ts";
import { ApiClient } from "./client.ts";
import { createTestDatabase } from "./cluster.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { waitLimitMs } from "./limits.ts";

/** Settings that differ from the defaults, by section. */
export type SettingsPatch = { [Section in keyof Settings]?: Partial<Settings[Section]> };

/** A fault of the server shows itself beside the test that met it. */
const errorLogger = createLogger({ level: "error", format: "text" });

/** The password of every user that a factory makes. */
export const testPassword = "correct horse battery staple";
/** Argon2id that costs next to nothing: a wrong password at each of 500 operations takes ten seconds otherwise. */
const cheapHash = (password: string) => hash(password, { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 });
const testPasswordHash = cheapHash(testPassword);
/** Unknown users cost as much as those that there are, here as in production. */
const decoyHash = cheapHash(crypto.randomUUID());

/** A user, and a client that calls with a token of theirs that may do everything. */
export interface TestUser {
  id: number;
  name: string;
  token: string;
  api: ApiClient;
}

/** The fields of a Repository that tests go on with. */
export interface RepositoryJson {
  id: number;
  name: string;
  full_name: string;
  private: boolean;
  default_branch: string;
  clone_url: string;
}

/**
 * The real server on a free port with a fresh database: what a request meets in production it meets here.
 * See README.md in this folder for its use.
 */
export class TestApp implements AsyncDisposable {
  private constructor(
    /** Without a final slash. */
    readonly url: string,
    /** Likewise, of SSH; null unless the settings turn it on (`{ ssh: { enabled: true } }`). */
    readonly ssh: string | null,
    readonly forge: Forge,
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async start(
    settings: SettingsPatch = {},
    log: Logger = errorLogger,
    { ephemeral = false } = {},
  ): Promise<TestApp> {
    const stack = new AsyncDisposableStack();
    try {
      const database = stack.use(await createTestDatabase());
      const directory = await mkdtemp(join(tmpdir(), "stithy-app-"));
      stack.defer(() => rm(directory, { recursive: true, force: true }));
      chmodSync(directory, 0o711);
      const config = { ...testConfig(directory, database.url, settings), ephemeral };
      const app = stack.use(
        await openApp(config, log, { durable: false, decoyHash: await decoyHash, colourPatienceMs: waitLimitMs }),
      );
      const server = stack.use(await startServer(app.forge, app.hostKeys));
      stack.use(await startJobs(app.forge, { regular: false }));
      return new TestApp(server.url, server.ssh, app.forge, stack);
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  /** Nobody in particular. */
  get anonymous(): ApiClient {
    return new ApiClient(this.url);
  }

  withToken(token: string): ApiClient {
    return new ApiClient(this.url, { authorization: `token ${token}` });
  }

  withPassword(username: string, password = testPassword): ApiClient {
    return new ApiClient(this.url, {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    });
  }

  /** Makes a user. */
  async user(name: string, options: { isAdmin?: boolean } = {}): Promise<TestUser> {
    const passwordHash = await testPasswordHash;
    const id = await this.forge.database.db.transaction((tx) =>
      insertUser(tx, {
        name,
        email: `${name.toLowerCase()}@example.com`,
        fullName: "",
        passwordHash,
        isAdmin: options.isAdmin ?? false,
        mustChangePassword: false,
      }),
    );
    const token = await this.token({ id }, ["all"]);
    return { id, name, token, api: this.withToken(token) };
  }

  /** Makes a site administrator. */
  admin(name = "admin"): Promise<TestUser> {
    return this.user(name, { isAdmin: true });
  }

  /** Makes a token of a user and answers its value. */
  async token(user: { id: number }, scopes: readonly string[]): Promise<string> {
    const { value } = await this.forge.change(serverDoer("test"), (work) =>
      createToken(work, { userId: user.id, userIsAdmin: true, name: crypto.randomUUID(), scopes }, Infinity),
    );
    return value;
  }

  /** A client with a new token of these scopes. */
  async scoped(user: { id: number }, ...scopes: string[]): Promise<ApiClient> {
    return this.withToken(await this.token(user, scopes));
  }

  /** Makes an organization and answers its id. */
  organization(
    name: string,
    owner: { id: number },
    fields: Omit<NewOrganization, "name" | "ownerId"> = {},
  ): Promise<number> {
    return this.forge.change(serverDoer("test"), (work) =>
      createOrganization(work, { name, ownerId: owner.id, ...fields }),
    );
  }

  /** Makes a repository of the user, or of the organization they may create in, and answers its JSON. */
  async repository(
    creator: TestUser,
    name: string,
    fields: Record<string, unknown> = {},
    organization?: string,
  ): Promise<RepositoryJson> {
    const path = organization === undefined ? "/user/repos" : `/orgs/${organization}/repos`;
    const { status, body } = await creator.api.post<RepositoryJson>(path, { name, ...fields });
    if (status !== 201) {
      throw new Error(`The repository could not be made: ${JSON.stringify(body)}`);
    }
    return body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

function testConfig(directory: string, databaseUrl: string, settings: SettingsPatch): Config {
  const config = loadConfig(readEnvironment({}), { dataDirectory: directory, port: 0 });
  const patch: SettingsPatch = {
    // Statements wait for each other longer than usual on a machine that is busy.
    database: { url: databaseUrl, connections: 4, statement_timeout_seconds: 120 },
    server: { shutdown_grace_seconds: 2 },
    ssh: { enabled: false },
  };
  for (const source of [patch, settings]) {
    for (const [section, values] of Object.entries(source)) {
      Object.assign(config[section as keyof Settings], values);
    }
  }
  return config;
}

/** A TestApp for the whole test file, closed after its last test. Call it at the top of the file with `await`. */
export async function useTestApp(settings: SettingsPatch = {}): Promise<TestApp> {
  const app = await TestApp.start(settings);
  afterAll(() => app[Symbol.asyncDispose]());
  return app;
}
