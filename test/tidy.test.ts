import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";
import packageFile from "../package.json";
import { leastLimitMs } from "./support/limits.ts";

/** The rules of the layout, held by reading the sources: who may import whom, how long a file may be, nothing unused. */

const root = join(import.meta.dir, "..");
const sources = [...new Glob("{src,test,bench}/**/*.ts").scanSync(root), "build.ts", "drizzle.config.ts"].sort();

interface Import {
  specifier: string;
  names: string[];
  /** The file it leads to, relative to the root; null for packages and built-in modules. */
  file: string | null;
  /** Whether it is of types alone, and so gone when the program runs. */
  isType: boolean;
}

const statement =
  /^\s*(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s*"([^"]+)"|^\s*import\s*"([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"\s*\)/gm;

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [, type, clause = "", from, bare, dynamic] of text.matchAll(statement)) {
    const specifier = from ?? bare ?? dynamic ?? "";
    const names = clause
      .replace(/^[^{]*\{|\}[^}]*$/g, "")
      .split(",")
      .map((name) =>
        name
          .replace(/\btype\s+/, "")
          .replace(/\s+as\s+.*/s, "")
          .trim(),
      );
    const path = specifier.startsWith(".") ? relative(root, join(root, dirname(file), specifier)) : null;
    const isType = type !== undefined;
    found.push({ specifier, names: clause.includes("{") ? names.filter(Boolean) : ["*"], file: path, isType });
  }
  return found;
}

const texts = new Map(sources.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const imports = new Map([...texts].map(([file, text]) => [file, importsOf(file, text)]));

/** Left may import right. Folders on one line of the architecture's drawing stand in one string. */
const layers = [
  "cli main.ts",
  "app.ts ephemeral",
  "server.ts",
  "webhooks",
  "api web githttp ssh lfs registries jobs",
  "http",
  "domain",
  "auth queue mail outbound",
  "db",
  "config git blobs postgres markdown editorconfig",
  "highlight",
  "lib",
].map((line) => new Set(line.split(" ")));
/** Belong to no layer: they hold addresses, types or data. */
const outside = new Set(["workers.ts", "sql.d.ts"]);
const surfaces = ["api", "web", "githttp", "ssh", "lfs", "registries", "jobs"];
const alone = ["git", "blobs", "postgres", "markdown", "editorconfig", "config"];

/**
 * The wings of the domain with their nouns, by the table of the architecture: each may import those above it. The spine may import types of all, which the
 * forge is made of.
 */
const architecture = readFileSync(join(root, "docs/architecture.md"), "utf8");
const wingRows = [...architecture.matchAll(/^\| `([a-z]+)\/` \|[^|]*\|([^|]*)\|$/gm)];
const wings = wingRows.map(([, wing = ""]) => wing);

const partOf = (file: string) => file.split("/")[1] ?? "";
const wingOf = (file: string) => wings.indexOf(/^src\/domain\/([^/]+)\//.exec(file)?.[1] ?? "");
const isTypeForSpine = (file: string, isType: boolean) => isType && file.startsWith("src/domain/spine/");
const layerOf = (part: string) => layers.findIndex((layer) => layer.has(part));
const isTest = (file: string) => file.endsWith(".test.ts") || file.startsWith("test/") || file.startsWith("bench/");
const product = sources.filter((file) => file.startsWith("src/") && !isTest(file));

describe("imports", () => {
  test("go from left to right through the layers", () => {
    const against: string[] = [];
    for (const file of product) {
      const from = partOf(file);
      for (const { file: target } of imports.get(file) ?? []) {
        const to = target === null || !target.startsWith("src/") ? null : partOf(target);
        if (to === null || to === from || outside.has(from) || outside.has(to)) {
          continue;
        }
        const forbidden =
          layerOf(from) < 0 ||
          layerOf(to) < 0 ||
          layerOf(to) < layerOf(from) ||
          (surfaces.includes(from) && surfaces.includes(to)) ||
          (alone.includes(from) && to !== "lib" && to !== "highlight") ||
          from === "lib";
        if (forbidden) {
          against.push(`${file} → ${target}`);
        }
      }
    }
    expect(against).toEqual([]);
  });

  test("of Elysia stay in the surfaces, of Drizzle with the data", () => {
    const wrong = product.filter((file) => {
      const packages = (imports.get(file) ?? []).map(({ specifier }) => specifier);
      const elysia = packages.some((name) => name === "elysia" || name.startsWith("@elysiajs/"));
      const drizzle = packages.some((name) => name.startsWith("drizzle-orm"));
      const part = partOf(file);
      return (
        (elysia && !["api", "web", "githttp", "lfs", "registries", "server.ts"].includes(part)) ||
        (drizzle &&
          !["db", "auth", "quota", "events", "queue"].includes(part) &&
          !/^src\/domain\/(.+\/)?([a-z-]+-)?queries\.ts$/.test(file))
      );
    });
    expect(wrong).toEqual([]);
  });

  test("of the domain go up the ladder of its wings", () => {
    const domain = product.filter((name) => name.startsWith("src/domain/"));
    expect(domain.filter((file) => wingOf(file) < 0)).toEqual([]);
    const nouns = wingRows.flatMap(([, wing, list = ""]) =>
      [...list.matchAll(/[a-z-]+/g)].map((noun) => `${wing}/${noun}`),
    );
    const folders = new Set(domain.flatMap((file) => /^src\/domain\/([^/]+\/[^/]+)\//.exec(file)?.[1] ?? []));
    expect(nouns).toEqual(
      [...folders].sort(
        (left, right) => wingOf(`src/domain/${left}`) - wingOf(`src/domain/${right}`) || (left < right ? -1 : 1),
      ),
    );
    const against = domain.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter(({ file: target, isType }) => wingOf(target ?? "") > wingOf(file) && !isTypeForSpine(file, isType))
        .map(({ file: target }) => `${file} → ${target}`),
    );
    expect(against).toEqual([]);
  });

  test("of the domain have no cycles between nouns", () => {
    const edges = new Map<string, Set<string>>();
    // A noun is a folder of a wing, or the wing itself for the files that are directly in it.
    const nounOf = (file: string) => /^src\/domain\/(.+)\/[^/]+$/.exec(file)?.[1];
    for (const file of product.filter((name) => name.startsWith("src/domain/"))) {
      const noun = nounOf(file) ?? "";
      const targets = (imports.get(file) ?? [])
        .filter(({ isType }) => !isTypeForSpine(file, isType))
        .map(({ file: target }) => nounOf(target ?? ""))
        .filter((target) => target !== undefined && target !== noun);
      edges.set(noun, new Set([...(edges.get(noun) ?? []), ...(targets as string[])]));
    }
    const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
      [...(edges.get(from) ?? [])].some(
        (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
      );
    expect([...edges.keys()].filter((noun) => reaches(noun, noun))).toEqual([]);
  });

  test("of the git engine follow the order of its README's map", () => {
    const readme = readFileSync(join(root, "src/git/README.md"), "utf8");
    const map = [...readme.matchAll(/^\| `([a-z-]+)\/` \|/gm)].map(([, folder = ""]) => folder);
    const folders = new Set<string>();
    const against: string[] = [];
    for (const file of product.filter((name) => /^src\/git\/[^/]+\//.test(name))) {
      const folder = file.split("/")[2] ?? "";
      folders.add(folder);
      for (const { file: target } of imports.get(file) ?? []) {
        // Without a folder: the engine itself, which is above all of them.
        const to = target?.match(/^src\/git\/(?:([^/]+)\/)?/)?.[1] ?? (target?.startsWith("src/git/") ? "" : folder);
        if (to !== folder && !(map.indexOf(to) >= 0 && map.indexOf(to) < map.indexOf(folder))) {
          against.push(`${file} → ${target}`);
        }
      }
    }
    expect(against).toEqual([]);
    expect(map.toSorted()).toEqual([...folders].sort());
  });

  test("of the environment happen in one file", () => {
    const readers = product.filter((file) => /\bprocess\.env\b|\bBun\.env\b/.test(texts.get(file) ?? ""));
    expect(readers).toEqual(["src/config/env.ts"]);
  });
});

test("the guard alone calls authorize: every surface asks it", () => {
  const importers = product.filter((file) =>
    (imports.get(file) ?? []).some(
      ({ file: from, names }) => from === "src/auth/authorize.ts" && names.includes("authorize"),
    ),
  );
  expect(importers).toEqual(["src/domain/spine/guard.ts"]);
});

describe("writes", () => {
  /** Transactions outside of a unit of work, each with its reason. */
  const transactions: Record<string, string> = {
    "src/domain/server/change.ts": "the unit of work itself",
    "src/auth/two-factor/second-factor.ts": "uses a code up while it is found out who comes: nobody is the doer yet",
    "src/db/insert-for-a-while.ts": "nobody ever sees its row, which it removes",
    "src/domain/git/blobs/collect-blobs.ts": "the collector's notes about files: nothing that anybody can see",
    "src/domain/git/blobs/queries.ts": "the collector's notes about files",
    "src/domain/git/packs/queries.ts": "the collector's notes about files",
    "src/domain/server/forge/server-keys.ts": "makes the server's keys before there is a forge",
    "src/domain/packages/index-queries.ts": "reads an index as of one moment, and writes nothing",
    "src/domain/identity/oauth/signing-key.ts": "makes the key at its first use",
    "src/domain/server/installation/adopt-directory.ts": "ties database and directory together before there is a forge",
    "src/domain/server/installation/establish-installation.ts":
      "ties database and directory together before there is a forge",
    "src/queue/claim.ts": "takes jobs that are there: the queue's own notes, and no change of anybody's",
  };
  /** Statements on a pool of connections that write, with their reason. */
  const loose: Record<string, string> = {
    "src/auth/last-use.ts": "when credentials were used last, in batches: may be lost, and is no change of anybody's",
    "src/queue/schedule-jobs.ts": "the next job of a schedule: no change of anybody's",
  };
  /** Writing queries that surfaces may import, with their reason. */
  const open: Record<string, string> = {};

  test("happen in units of work: forge.change alone opens a transaction", () => {
    const openers = product.filter((file) =>
      /\.transaction(?:<[^;]*>)?\(|\.begin\(\s*(?:async\b|\(?\w+\)?\s*=>)/.test(texts.get(file) ?? ""),
    );
    expect(openers.filter((file) => file !== "src/db/client.ts")).toEqual(Object.keys(transactions).sort());
  });

  test("happen on a transaction, not on the pool", () => {
    const written =
      /\b(?:this\.)?(?:db|database)\s*\.(?:insert|update|delete)\(|\b(?:this\.)?(?:db|database)\.execute\(\s*sql`\s*(?:insert|update|delete)/;
    expect(product.filter((file) => written.test(texts.get(file) ?? ""))).toEqual(Object.keys(loose).sort());
  });

  test("are made by use cases: surfaces import no query that takes a transaction", () => {
    const writers = new Set<string>();
    for (const file of product.filter((name) => name.endsWith("queries.ts"))) {
      for (const [, name] of (texts.get(file) ?? "").matchAll(/^export async function (\w+)\(\s*tx: Transaction\b/gm)) {
        writers.add(`${file}:${name}`);
      }
    }
    const callers = product.filter((file) => [...surfaces, "cli", "http", "server.ts"].includes(partOf(file)));
    // Of an import() everything is there to be called.
    const called = (file: string, from: string | null, names: readonly string[]) =>
      [...writers]
        .filter((writer) => writer.startsWith(`${from}:`))
        .map((writer) => writer.slice(`${from}:`.length))
        .filter((name) =>
          names.includes("*") ? new RegExp(`\\b${name}\\(`).test(texts.get(file) ?? "") : names.includes(name),
        );
    const wrong = callers.flatMap((file) =>
      (imports.get(file) ?? []).flatMap(({ file: from, names }) =>
        called(file, from, names).map((name) => `${file}: ${name}`),
      ),
    );
    expect(writers.size).toBeGreaterThan(50);
    expect(wrong).toEqual(Object.keys(open));
  });
});

test("every kind of event is told by a use case, and heard by a subscriber or by webhooks", () => {
  const kinds = product
    .filter((file) => file.startsWith("src/domain/spine/events/"))
    .flatMap((file) => Array.from((texts.get(file) ?? "").matchAll(/^ {2}"([a-z-]+\.[a-z-]+)": (event|hooked)\(/gm)));
  const useCases = product
    .filter((file) => /^src\/domain\/(?!spine\/events\/)/.test(file))
    .map((file) => texts.get(file));
  const code = useCases.join("\n");
  const asked = (kind: string) => new RegExp(`(?:case|[!=]==) "${kind}"`);
  const isTold = (kind: string) => new RegExp(`(?<!(?:case|[!=]==) )"${kind}"`).test(code);
  expect(kinds.length).toBeGreaterThan(80);
  expect(kinds.filter(([, kind = ""]) => !isTold(kind)).map(([, kind]) => kind)).toEqual([]);
  expect(
    kinds.filter(([, kind = "", how]) => how === "event" && !asked(kind).test(code)).map(([, kind]) => kind),
  ).toEqual([]);
});

describe("files", () => {
  test("have at most 500 lines", () => {
    const long = sources.filter((file) => (texts.get(file) ?? "").split("\n").length > 501);
    expect(long).toEqual([]);
  });

  test("export by name only", () => {
    const defaults = sources.filter(
      (file) =>
        file !== "drizzle.config.ts" && !file.endsWith(".d.ts") && /^export default\b/m.test(texts.get(file) ?? ""),
    );
    expect(defaults).toEqual([]);
  });

  test("are all used", () => {
    const entries = [
      "src/main.ts",
      "build.ts",
      // The scripts of the pages, which build.ts bundles.
      "src/web/client/main.ts",
      "src/web/client/editor/main.ts",
      "src/web/client/release/main.ts",
      "src/web/client/review/main.ts",
      "src/web/client/text/main.ts",
      ...sources.filter((file) => isTest(file) || file.endsWith(".d.ts") || /^src\/.*worker\.ts$/.test(file)),
    ];
    const used = new Set(entries);
    for (const file of used) {
      for (const { file: target } of imports.get(file) ?? []) {
        if (target !== null) {
          used.add(target);
        }
      }
    }
    expect(product.filter((file) => !used.has(file))).toEqual([]);
  });
});

test("one file decides by the User-Agent, and one keeps it for its owner to read", () => {
  const reading = product.filter((file) => /\.get\("user-agent"\)/i.test(texts.get(file) ?? ""));
  expect(reading).toEqual(["src/api/common/specification-clients.ts", "src/web/account/sessions.ts"]);
});

test("the API and the webhooks write times in one place, with whole seconds", () => {
  const presenting = product.filter((file) => /^src\/(api|webhooks\/payloads)\//.test(file));
  const own = new Set(["src/api/commits/dates.ts", "src/api/activities/routes.ts"]);
  const writing = presenting.filter((file) => /\.to(ISOString|JSON)\(/.test(texts.get(file) ?? ""));
  expect(writing.filter((file) => !own.has(file))).toEqual([]);
});

test("no test sleeps: it waits for a condition", () => {
  const sleeping = /\bBun\.sleep\(|\bsetTimeout\b[^;]*from "node:timers\/promises"/;
  const tests = sources.filter((file) => isTest(file) && !file.startsWith("bench/") && file !== "test/tidy.test.ts");
  expect(tests.filter((file) => sleeping.test(texts.get(file) ?? ""))).toEqual([]);
});

test("no test and no wait has a limit that a busy machine reaches", () => {
  const limit = String.raw`(\d[\d_]{3,})`;
  const limits = [
    String.raw`\bsetDefaultTimeout\(${limit}\)`,
    String.raw`\{ timeout: ${limit} \}, `,
    // The last argument of a test, on its line or on one of its own, and of a wait.
    String.raw`^ *\}, ${limit}\);$`,
    String.raw`^ *\},\n +${limit},\n *\);$`,
    String.raw`\buntil\(.*, ${limit}\);$`,
  ].map((source) => new RegExp(source, "gm"));
  const short = [...texts]
    .filter(([file]) => isTest(file) && !file.startsWith("bench/"))
    .flatMap(([file, text]) =>
      limits
        .flatMap((pattern) => Array.from(text.matchAll(pattern)))
        .filter(([, number = ""]) => Number(number.replaceAll("_", "")) < leastLimitMs)
        .map(([found]) => `${file}: ${found.trim()}`),
    );
  expect(short).toEqual([]);
});

test("every export is used by another file", () => {
  const used = new Set<string>();
  for (const list of imports.values()) {
    for (const { file, names } of list) {
      for (const name of file === null ? [] : names) {
        used.add(`${file}:${name}`);
      }
    }
  }
  const unused: string[] = [];
  for (const file of product.filter((name) => !name.endsWith(".d.ts") && !name.startsWith("src/db/schema/"))) {
    for (const [, name] of (texts.get(file) ?? "").matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm,
    )) {
      // A type that other exports of its file are made of is part of their contract.
      const inContract = (texts.get(file)?.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0) > 1;
      if (!used.has(`${file}:${name}`) && !used.has(`${file}:*`) && !inContract) {
        unused.push(`${file}: ${name}`);
      }
    }
  }
  expect(unused).toEqual([]);
});

describe("dependencies", () => {
  /** Used without being imported: tools, types, and what the build or the database server takes from its folder. */
  const tools = new Set(["typescript", "oxlint", "oxfmt", "bun-types", "drizzle-kit", "gitignr"]);
  const declared = { ...packageFile.dependencies, ...packageFile.devDependencies } as Record<string, string>;
  const packageOf = (specifier: string) =>
    specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
  const imported = new Set<string>();
  for (const list of imports.values()) {
    for (const { specifier, file } of list) {
      if (file === null && !/^(node:|bun(:|$))/.test(specifier)) {
        imported.add(packageOf(specifier));
      }
    }
  }

  test("are all declared", () => {
    const optional = packageFile.optionalDependencies as Record<string, string>;
    expect([...imported].filter((name) => !(name in declared) && !(name in optional))).toEqual([]);
  });

  test("are all used", () => {
    const unused = Object.keys(declared).filter(
      (name) => !imported.has(name) && !tools.has(name) && !name.startsWith("@types/"),
    );
    expect(unused).toEqual([]);
  });

  test("have exact versions", () => {
    const all = { ...declared, ...packageFile.optionalDependencies } as Record<string, string>;
    expect(Object.entries(all).filter(([, version]) => !/^\d/.test(version))).toEqual([]);
  });
});
