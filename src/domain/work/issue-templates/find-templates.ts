import type { RepositoryRow } from "../../../auth/subject.ts";
import type { Forge } from "../../spine/forge.ts";
import { UnreadableYaml } from "../../../lib/yaml/yaml-reader.ts";
import { defaultConfig, readConfig, type IssueConfig } from "./read-config.ts";
import { isTemplateName, readTemplate, yamlOf, type IssueTemplate } from "./read-template.ts";
import { longestFile, UnreadableFile } from "./fields.ts";

const places = ["", ".forgejo/", ".gitea/", ".github/", ".gitlab/"];
const names = ["ISSUE_TEMPLATE", "issue_template"];
/** Where templates are; the first directory that has some counts. */
const directories = places.flatMap((place) => names.map((name) => place + name));
/** Where the configuration is; the first file counts. */
const configPaths = [".forgejo/", ".gitea/", ".github/"].flatMap((place) =>
  names.flatMap((name) => [`${place}${name}/config.yaml`, `${place}${name}/config.yml`]),
);

/** How many files are read at most. */
const mostTemplates = 30;
/** Behind so many that take too long no more are read. */
const mostSlow = 2;

/** Opens the default branch; null if the repository is empty. */
export async function openDefaultBranch({ git }: Forge, repository: RepositoryRow, signal: AbortSignal) {
  const revision = repository.empty ? null : await git.revisions.find(repository);
  if (revision === null) {
    return null;
  }
  const { view, commit } = revision;
  async function list(path: string) {
    const found = await git.contents.find(view, commit, path, { signal, lastCommits: false });
    return found?.kind === "directory" ? found.entries : [];
  }
  const root = new Set((await list("")).map(({ name }) => name));
  const mayExist = (path: string) => root.has(path.split("/")[0] ?? "");
  return {
    list: async (path: string) => (mayExist(path) ? list(path) : []),
    /** null: there is none. Throws UnreadableFile for one that is too long. */
    async read(path: string): Promise<string | null> {
      const file = mayExist(path) ? await git.contents.findFile(view, commit, path) : null;
      if (file?.type !== "blob") {
        return null;
      }
      if (file.bytes === null || file.bytes.length > longestFile) {
        throw new UnreadableFile(`the file has more than ${longestFile} bytes`);
      }
      return Buffer.from(file.bytes).toString("utf8");
    },
  };
}

/** Throws UnreadableYaml for what takes too long, UnreadableFile for a form that is none. */
async function parseTemplate(
  forge: Forge,
  { path, text }: { path: string; text: string },
  signal: AbortSignal,
): Promise<IssueTemplate> {
  const yaml = yamlOf(path, text);
  try {
    return readTemplate(path, text, yaml === null ? undefined : await forge.yaml.read(yaml, signal));
  } catch (error) {
    if (error instanceof UnreadableYaml && !error.isSlow) {
      return readTemplate(path, text, undefined);
    }
    throw error;
  }
}

/** The templates for issues on the default branch of a repository, by file name. Files that are none are left out, and so are those behind two that take too long. */
export async function findTemplates(
  forge: Forge,
  repository: RepositoryRow,
  signal: AbortSignal,
): Promise<IssueTemplate[]> {
  const branch = await openDefaultBranch(forge, repository, signal);
  if (branch === null) {
    return [];
  }
  let slow = 0;
  for (const directory of directories) {
    const files = (await branch.list(directory)).filter(({ type, name }) => type === "blob" && isTemplateName(name));
    const templates: IssueTemplate[] = [];
    for (const { path } of files.slice(0, mostTemplates)) {
      try {
        const text = await branch.read(path);
        templates.push(...(text === null ? [] : [await parseTemplate(forge, { path, text }, signal)]));
      } catch (error) {
        if (error instanceof UnreadableYaml) {
          if (++slow === mostSlow) {
            return templates;
          }
        } else if (!(error instanceof UnreadableFile)) {
          throw error;
        }
      }
    }
    if (templates.length > 0) {
      return templates;
    }
  }
  return [];
}

/** How issues are opened in a repository, by its default branch. `problem`: why its file says nothing; null where nothing is wrong. */
export async function findConfig(
  forge: Forge,
  repository: RepositoryRow,
  signal: AbortSignal,
): Promise<{ config: IssueConfig; problem: string | null }> {
  const branch = await openDefaultBranch(forge, repository, signal);
  for (const path of branch === null ? [] : configPaths) {
    try {
      const text = await branch?.read(path);
      if (text != null) {
        return { config: readConfig(await forge.yaml.read(text, signal)), problem: null };
      }
    } catch (error) {
      if (error instanceof UnreadableFile || error instanceof UnreadableYaml) {
        return { config: defaultConfig, problem: `${path}: ${error.message}` };
      }
      throw error;
    }
  }
  return { config: defaultConfig, problem: null };
}
