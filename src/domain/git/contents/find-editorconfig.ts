import {
  readDefinition,
  UnreadableEditorconfig,
  type Definition,
  type EditorconfigFile,
} from "../../../editorconfig/read-definition.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { Forge } from "../../spine/forge.ts";

const fileName = ".editorconfig";
/** Paths that lie deeper are not looked up: each directory above them may have a file. */
const mostDirectories = 50;
const isRoot = /^\s*root\s*=\s*true\s*$/i;
const beginsSection = /^\s*\[/;

/** The directories that a path lies in, the nearest first and the root as an empty text; others with a final slash. */
function directoriesOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return Array.from({ length: parts.length + 1 }, (_, index) =>
    parts
      .slice(0, parts.length - index)
      .map((part) => `${part}/`)
      .join(""),
  );
}

/** Whether the file says, before its first section, that those above it do not count. */
function endsSearch(text: string): boolean {
  for (const line of text.split("\n")) {
    if (beginsSection.test(line)) {
      return false;
    }
    if (isRoot.test(line)) {
      return true;
    }
  }
  return false;
}

/**
 * Reads the settings of a commit's .editorconfig files for a path, which need not exist; null if no directory above it
 * has such a file. Throws UnreadableEditorconfig.
 */
export async function findEditorconfig(
  forge: Forge,
  view: RepositoryView,
  commit: string,
  path: string,
): Promise<Definition | null> {
  const directories = directoriesOf(path);
  if (directories.length > mostDirectories) {
    throw new UnreadableEditorconfig(`the path has more than ${mostDirectories} directories`);
  }
  const files: EditorconfigFile[] = [];
  for (const directory of directories) {
    const found = await forge.git.contents.findFile(view, commit, directory + fileName);
    if (found?.type !== "blob") {
      continue;
    }
    if (found.bytes === null) {
      throw new UnreadableEditorconfig(`"${directory}${fileName}" has ${found.size} bytes`);
    }
    const text = Buffer.from(found.bytes).toString("utf8");
    files.push({ directory, text });
    if (endsSearch(text)) {
      break;
    }
  }
  return files.length === 0 ? null : readDefinition(path, files);
}
