import { expect, test } from "bun:test";
import { join } from "node:path";

/** Which packages a start from source loads: each takes a part of the time until the server is ready. */

const root = join(import.meta.dir, "..");

/** The packages that are there once these modules are. */
async function packagesOf(...modules: string[]): Promise<string[]> {
  const names = modules.map((name) => JSON.stringify(join(root, "src", name)));
  const script = `for (const name of [${names.join()}]) await import(name);
    const inPackage = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/;
    const found = Object.keys(require.cache).flatMap((file) => inPackage.exec(file)?.[1] ?? []);
    console.log(JSON.stringify([...new Set(found)].sort()));
    process.exit(0);`;
  const child = Bun.spawn([process.execPath, "-e", script], { cwd: root, stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await child.stdout.text()) as string[];
}

test("a command loads what it needs when it runs", async () => {
  expect(await packagesOf("cli/command-line.ts")).toEqual(["commander"]);
});

test("a server loads what only some requests need with the first of these", async () => {
  const loaded = await packagesOf("app.ts", "server.ts");
  expect(loaded).toContain("elysia");
  const later = [
    "@elysiajs/swagger",
    "@fastify/busboy",
    "cli-progress",
    "editorconfig",
    "file-type",
    "graphile-worker",
    "highlight.js",
    "image-size",
    "jose",
    "linguist-js",
    "marked",
    "nodemailer",
    "openpgp",
    "pg",
    "pino-pretty",
    "sanitize-html",
    "xz-decompress",
    "yaml",
    "yauzl",
  ];
  expect(loaded.filter((name) => later.includes(name))).toEqual([]);
});
