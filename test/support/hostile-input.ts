import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from "../../src/api/openapi/types.ts";
import { productDocument } from "../contract/product-document.ts";
import type { ApiClient } from "./client.ts";
import { makeTeam } from "./team.ts";
import { useTestApp, type TestUser } from "./test-app.ts";

/**
 * What no honest client sends, in every text, number and list that the OpenAPI document names: in bodies, in queries and in
 * paths. The tests in test/security/bad-input*.test.ts divide the operations among themselves, so that they run side by side.
 */

const document = productDocument();

interface Field {
  name: string;
  schema: OpenApiSchema;
}

export interface Operation {
  method: string;
  path: string;
  described: OpenApiOperation;
}

/** What renames, gives away, archives or closes a target comes after all that is done to what is in it. */
function order({ path, method }: Operation): number {
  return path.endsWith("/rename") || path.endsWith("/transfer")
    ? 2
    : method === "PATCH" && /^\/(repos\/\{owner\}\/\{repo\}|orgs\/\{org\}|admin\/users\/\{username\})$/.test(path)
      ? 1
      : 0;
}

const operations: readonly Operation[] = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path: path.replace(/^\/api\/v1/, ""),
      described,
    })),
  )
  .toSorted((left, right) => order(left) - order(right));

function resolve(schema: OpenApiSchema, { components }: OpenApiDocument = document): OpenApiSchema {
  const named =
    schema.$ref === undefined
      ? schema
      : (components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] ?? {});
  return named.allOf?.length === 1 && named.allOf[0] !== undefined ? resolve(named.allOf[0]) : named;
}

function fieldsOf(schema: OpenApiSchema): Field[] {
  return Object.entries(resolve(schema).properties ?? {}).map(([name, property]) => ({
    name,
    schema: resolve(property),
  }));
}

let made = 0;

/** Something that fits, as far as the document tells. */
function plausible(name: string, schema: OpenApiSchema): unknown {
  const { type, enum: choices, format, items } = schema;
  if (choices !== undefined) {
    return choices.find((choice) => choice !== "");
  }
  switch (type) {
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "array":
      return items === undefined ? [] : [plausible(name, resolve(items))];
    case "object":
      return Object.fromEntries(fieldsOf(schema).map((field) => [field.name, plausible(field.name, field.schema)]));
    default:
      return format === "date-time"
        ? "2030-01-01T00:00:00Z"
        : /email/.test(name)
          ? `made${++made}@example.com`
          : /content|image/.test(name)
            ? "YQ=="
            : `made${++made}`;
  }
}

const long = "a".repeat(1024 * 1024);
const texts = [
  "",
  "\0",
  "a\0b",
  "\ud800",
  "a\udfff",
  "\u{1f600}\u202e",
  "../..",
  "%00",
  "-",
  "a\r\nb",
  "'\"\\;--",
  long,
];
const dates = [
  "+275760-09-13T00:00:00Z",
  "-271821-04-20T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59-23:59",
  "2030-02-30T25:00:00Z",
  "2030",
];
const integers = [-1, 0, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e308, -(2 ** 63), 0.5];
const wrongTypes = [null, true, 7, "7", [], {}, [[]], { a: { b: 1 } }, ["a", 1, null]];

/** More than a statement of PostgreSQL has parameters. */
const many = 70_000;

function hostile(name: string, schema: OpenApiSchema): unknown[] {
  const { type, items, format } = schema;
  switch (type) {
    case "string":
      return [...(format === "date-time" ? dates : []), ...texts, ...wrongTypes];
    case "integer":
    case "number":
      return [...integers, ...wrongTypes];
    case "array": {
      const item = plausible(name, items === undefined ? {} : resolve(items));
      return [
        [],
        Array.from({ length: many }, (_, index) => (typeof item === "string" ? `${index}${item}` : item)),
        ...texts.map((text) => [text]),
        ...integers.map((number) => [number]),
        ...wrongTypes,
      ];
    }
    case "object":
      return [
        ...wrongTypes,
        ...texts.map((text) => ({ [text]: text })),
        ...fieldsOf(schema).flatMap((field) =>
          hostile(field.name, field.schema).map((value) => ({ [field.name]: value })),
        ),
      ];
    default:
      return [...texts, ...integers, ...wrongTypes];
  }
}

async function inParallel(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const left = tasks.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const task of left) {
        await task();
      }
    }),
  );
}

const inAddresses = [
  "%00",
  "a%00b",
  "%ED%A0%80",
  "%FF",
  "%",
  "..%2F..",
  "%2e%2e",
  "%F0%9F%98%80%E2%80%AE",
  "-1",
  "0",
  "9007199254740993",
  "99999999999999999999",
  "0x10",
  "1e5",
  "%27%22%5C%3B--",
  "a%0D%0Ab",
  "a".repeat(6000),
];

/** Ids of what is there to be changed, by the beginning of the path in which `{id}` stands for one. */
type Ids = readonly (readonly [path: string, id: number])[];

const names: Readonly<Record<string, string>> = {
  owner: "root",
  repo: "site",
  username: "bob",
  org: "forge",
  branch: "main",
  filepath: "README.md",
  collaborator: "bob",
  target: "bob",
  ref: "main",
  sha: "main",
  archive: "main.zip",
  basehead: "main...main",
  diffType: "diff",
  team: "devs",
  user: "bob",
  name: "guarded",
  index: "1",
  pageName: "Home",
  topic: "hostile",
};

/** Makes one of what the paths name, and returns the ids. */
async function makeTargets(root: TestUser, bob: TestUser): Promise<Ids> {
  const team = await makeTeam(root, "forge", { name: "devs", permission: "write" }, [bob]);
  const make = async (path: string, body: Record<string, unknown>): Promise<number> => {
    const { status, body: made } = await root.api.post<{ id: number }>(path, body);
    if (status !== 200 && status !== 201) {
      throw new Error(`${path} could not be made: ${status} ${JSON.stringify(made)}`);
    }
    return made.id;
  };
  const repository = "/repos/root/site";
  await make(`${repository}/branch_protections`, { rule_name: "guarded" });
  await make(`${repository}/wiki/new`, { title: "Home", content_base64: "SG9tZQ==" });
  await make(`${repository}/issues`, { title: "An issue" });
  const commentId = await make(`${repository}/issues/1/comments`, { body: "A comment" });
  return [
    [`${repository}/issues/comments`, commentId],
    [`${repository}/issues/1/comments`, commentId],
    [`${repository}/labels`, await make(`${repository}/labels`, { name: "bug", color: "#ff0000" })],
    [`${repository}/milestones`, await make(`${repository}/milestones`, { title: "First" })],
    ["/orgs/forge/labels", await make("/orgs/forge/labels", { name: "bug", color: "#ff0000" })],
    [`${repository}/releases`, await make(`${repository}/releases`, { tag_name: "v1" })],
    [`${repository}/tag_protections`, await make(`${repository}/tag_protections`, { name_pattern: "kept-*" })],
    [
      "/user/applications/oauth2",
      await make("/user/applications/oauth2", { name: "tool", redirect_uris: ["https://tool.example"] }),
    ],
    ["", team.id],
  ];
}

/** A forge of its own, what was sent to it, and what came back. */
export class HostileInput {
  readonly failures: string[] = [];
  sent = 0;
  /** Answers that say that what the address names is not there, or not there any more. */
  missed = 0;

  private constructor(
    private readonly api: ApiClient,
    private readonly password: ApiClient,
    private readonly ids: Ids,
  ) {}

  /** Starts the forge, for the file that calls it. */
  static async use(): Promise<HostileInput> {
    const app = await useTestApp({
      auth: { failed_sign_ins_per_minute: 1_000_000, failed_sign_ins_per_account: 1_000_000 },
    });
    const root = await app.admin("root");
    const bob = await app.user("bob");
    await app.organization("forge", root);
    await app.repository(root, "site", { auto_init: true });
    return new HostileInput(root.api, app.withPassword("root"), await makeTargets(root, bob));
  }

  private addressOf({ path }: Operation, changed: Record<string, string> = {}): string {
    const values: Readonly<Record<string, string>> = { ...names, ...changed };
    const address = path.replaceAll(/\{([^}]*)\}/g, (whole, name: string) => {
      const value = values[name];
      return name === "id" && value === undefined ? whole : (changed[name] ?? encodeURIComponent(value ?? "none-such"));
    });
    const id = this.ids.find(([beginning]) => address.startsWith(beginning))?.[1];
    return address.replace("{id}", String(id));
  }

  /** Sends it and notes what is a fault of the server. */
  private async send(
    { method, path, described }: Operation,
    address: string,
    body: string | undefined,
    what: string,
  ): Promise<void> {
    const needsPassword = described.security.some((way) => "BasicAuth" in way) && path.endsWith("/tokens");
    const client = needsPassword ? this.password : this.api;
    const response = await client.fetch(
      method,
      address,
      body === undefined ? {} : { body, headers: { "content-type": "application/json" } },
    );
    const text = await response.text();
    this.sent++;
    this.missed += [307, 404, 423].includes(response.status) ? 1 : 0;
    // Two that change the same at once: one of them is told to come again.
    const isOvertaken = response.status === 503 && response.headers.has("retry-after");
    if (response.status >= 500 && !isOvertaken) {
      this.failures.push(`${response.status} ${method} ${path}: ${what.slice(0, 150)} ${text}`);
    }
  }

  /** Sends bodies to the operations whose path is meant. */
  async sendBodies(isMeant: (path: string) => boolean): Promise<void> {
    const tasks = operations
      .filter(({ path }) => isMeant(path))
      .flatMap((operation) => {
        const schema = operation.described.requestBody?.content["application/json"]?.schema;
        if (schema === undefined) {
          return [];
        }
        const required = resolve(schema).required ?? [];
        // What is archived takes nothing after that.
        const fields = fieldsOf(schema).toSorted(
          (left, right) => Number(left.name === "archived") - Number(right.name === "archived"),
        );
        const bodies = [...wrongTypes, ...texts].map((body) => () => JSON.stringify(body));
        const mutations = fields.flatMap((field) =>
          hostile(field.name, field.schema).map((value) => () => {
            const base = Object.fromEntries(
              fields
                .filter(({ name }) => required.includes(name))
                .map(({ name, schema: of }) => [name, plausible(name, of)]),
            );
            return JSON.stringify({ ...base, [field.name]: value });
          }),
        );
        return [...bodies, ...mutations].map((body) => () => {
          const text = body();
          return this.send(operation, this.addressOf(operation), text, text);
        });
      });
    await inParallel(tasks);
  }

  /** Sends addresses to all operations. */
  async sendAddresses(): Promise<void> {
    const tasks = operations.flatMap((operation) => {
      const parameters = operation.described.parameters ?? [];
      return parameters.flatMap(({ name, in: place }) =>
        inAddresses.map((value) => () => {
          const address =
            place === "path"
              ? this.addressOf(operation, { [name]: value })
              : `${this.addressOf(operation)}?${name}=${value}&${name}=${value}`;
          // Of a deletion only the path is bent: with the right one it would happen.
          return operation.method === "DELETE" && place === "query"
            ? Promise.resolve()
            : this.send(operation, address, undefined, `${name}=${value}`);
        }),
      );
    });
    await inParallel(tasks);
  }
}
