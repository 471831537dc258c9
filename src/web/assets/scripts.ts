import { basename, join } from "node:path";
import { builtScripts } from "./built-scripts.ts";

/** The scripts that pages name, and the modules that they begin with: the one of all pages, and those of pages with an editor. */
const entryPoints = {
  stithy: "main.ts",
  editor: "editor/main.ts",
  release: "release/main.ts",
  review: "review/main.ts",
  text: "text/main.ts",
} as const;

export type ScriptName = keyof typeof entryPoints;

/** Texts of scripts by the names of their files. An entry loads further files when it needs them. */
interface BundledScripts {
  readonly entries: Readonly<Record<ScriptName, string>>;
  readonly files: Readonly<Record<string, string>>;
}

/** The scripts in the executable: `path` is a file of JSON with all texts. */
export interface BuiltScripts {
  readonly entries: BundledScripts["entries"];
  readonly path: string;
}

const names = Object.keys(entryPoints) as ScriptName[];

/** Bundles a script from its sources. Returns the text of the entry, and what it loads by the names of their files. */
async function bundle(name: ScriptName): Promise<{ entry: string; chunks: Record<string, string> }> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "..", "client", entryPoints[name])],
    target: "browser",
    minify: true,
    splitting: true,
    naming: { entry: "[name].js", chunk: `${name}-[hash].js` },
    sourcemap: "none",
  });
  const entry = outputs.find(({ kind }) => kind === "entry-point");
  if (!success || entry === undefined) {
    throw new AggregateError(logs, `The script "${name}" of the pages could not be bundled`);
  }
  const chunks: Record<string, string> = {};
  for (const output of outputs.filter((one) => one !== entry)) {
    chunks[basename(output.path)] = await output.text();
  }
  return { entry: await entry.text(), chunks };
}

/** Bundles all scripts for the executable. The names of files change with their texts. */
export async function bundleScripts(): Promise<BundledScripts> {
  const files: Record<string, string> = {};
  const entries: Partial<Record<ScriptName, string>> = {};
  for (const name of names) {
    const { entry, chunks } = await bundle(name);
    const file = `${name}-${Bun.hash.xxHash3(entry).toString(36)}.js`;
    entries[name] = file;
    Object.assign(files, chunks, { [file]: entry });
  }
  return { entries: entries as BundledScripts["entries"], files };
}

/** The file that a page names for a script. */
export const scriptFiles: BundledScripts["entries"] = builtScripts?.entries ?? {
  stithy: "stithy-source.js",
  editor: "editor-source.js",
  release: "release-source.js",
  text: "text-source.js",
  review: "review-source.js",
};

/** Whether a file never changes: from sources, it may change at any time. */
export const scriptsAreKept = builtScripts !== null;

let built: Promise<BundledScripts["files"]> | null = null;
const bundled = new Map<ScriptName, ReturnType<typeof bundle>>();

/** The text of a script by the name of its file; null if there is none. From sources it is bundled at the first call. */
export async function findScript(file: string): Promise<string | null> {
  if (builtScripts !== null) {
    const { path } = builtScripts;
    built ??= Bun.file(path).json();
    return (await built)[file] ?? null;
  }
  const name = names.find((one) => file.startsWith(`${one}-`));
  if (name === undefined) {
    return null;
  }
  const bundling = bundled.get(name) ?? bundle(name);
  bundled.set(name, bundling);
  const { entry, chunks } = await bundling;
  return file === scriptFiles[name] ? entry : (chunks[file] ?? null);
}
