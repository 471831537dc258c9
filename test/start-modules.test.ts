import { expect, test } from "bun:test";
import { join } from "node:path";

/** Which packages a start from source loads: each takes a part of the time until the server is ready. */

const root = join(import.meta.dir, "..");

/** All files that are there once these modules are. */
async function loadedBy(...modules: string[]): Promise<string[]> {
  const names = modules.map((name) => JSON.stringify(join(root, "src", name)));
  const script = `for (const name of [${names.join()}]) await import(name);
    console.log(JSON.stringify(Object.keys(require.cache)));
    process.exit(0);`;
  const child = Bun.spawn([process.execPath, "-e", script], { cwd: root, stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await child.stdout.text()) as string[];
}

/** Those of packages, as `package/path`. */
async function filesOf(...modules: string[]): Promise<string[]> {
  const files = (await loadedBy(...modules)).flatMap((file) => /.*\/node_modules\/(.+)/.exec(file)?.[1] ?? []);
  return [...new Set(files)].sort();
}

const packagesOf = (files: readonly string[]): string[] => [
  ...new Set(files.map((file) => /^(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? "")),
];

test("a command loads what it needs when it runs", async () => {
  const files = await filesOf("cli/command-line.ts");
  expect(packagesOf(files)).toEqual(["commander"]);
});

test("a command that only reads does not load what follows from changes", async () => {
  const loadsChanges = async (module: string) =>
    (await loadedBy(module)).includes(join(root, "src", "domain", "server", "change.ts"));
  expect(await Promise.all(["cli/command-database.ts", "cli/command-change.ts"].map(loadsChanges))).toEqual([
    false,
    true,
  ]);
});

test("a server loads what only some requests need with the first of these", async () => {
  const files = await filesOf("app.ts", "server.ts");
  const loaded = packagesOf(files);
  expect(loaded).toContain("elysia");
  const later = [
    "@codemirror/legacy-modes",
    "@elysiajs/swagger",
    "@fastify/busboy",
    "@lezer/common",
    "@lezer/highlight",
    "@lezer/javascript",
    "cli-progress",
    "file-type",
    "gemoji",
    "image-size",
    "jose",
    "linguist-js",
    "marked",
    "nodemailer",
    "openpgp",
    "pino-pretty",
    "sanitize-html",
    "xz-decompress",
    "yaml",
    "yauzl",
  ];
  expect(loaded.filter((name) => later.includes(name))).toEqual([]);
  // Host keys are read at the start.
  expect(files).toContain("ssh2/lib/protocol/keyParser.js");
  expect(files.filter((file) => /^ssh2\/lib\/(server|client|.*poly1305)/.test(file))).toEqual([]);
});
