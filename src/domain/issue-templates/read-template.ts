import { readForm, type FormField } from "./read-form.ts";
import { isMapping, readYaml, textOf, UnreadableFile, type Fields } from "./read-yaml.ts";

/** What a new issue can begin with: a text, or a form. */
export interface IssueTemplate {
  /** Its path in the repository. */
  fileName: string;
  name: string;
  title: string;
  about: string;
  labels: string[];
  /** A full name such as `refs/heads/main`; empty: none. */
  ref: string;
  /** The text, in Markdown; empty for a form. */
  content: string;
  /** null: it is no form. */
  fields: FormField[] | null;
}

const frontMatter = /^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const longestAbout = 80;

/** Whether a file of this name can be a template. */
export function isTemplateName(name: string): boolean {
  return /\.(?:md|ya?ml)$/i.test(name) && !/^config\.ya?ml$/i.test(name);
}

/**
 * Reads a template by the rules of Gitea and Forgejo: Markdown with a front matter, or a form in YAML. Throws UnreadableFile for a form that
 * is none; any Markdown is a template.
 */
export function readTemplate(fileName: string, text: string): IssueTemplate {
  if (/\.md$/i.test(fileName)) {
    return readMarkdown(fileName, text);
  }
  const fields = readYaml(text);
  if (!isMapping(fields)) {
    throw new UnreadableFile("the file is no mapping");
  }
  const template = templateOf(fileName, fields);
  for (const [key, value] of [
    ["name", template.name],
    ["about", template.about],
  ]) {
    if (value === "") {
      throw new UnreadableFile(`'${key}' is required`);
    }
  }
  return { ...template, fields: readForm(fields["body"]) };
}

function readMarkdown(fileName: string, text: string): IssueTemplate {
  const found = frontMatter.exec(text);
  const fields = found === null ? null : readFrontMatter(found[1] ?? "");
  const content = fields === null ? text : text.slice(found?.[0].length ?? 0);
  const template = templateOf(fileName, fields ?? {});
  return {
    ...template,
    name: template.name || fileName.slice(fileName.lastIndexOf("/") + 1),
    about: template.about || [...content.trim()].slice(0, longestAbout).join(""),
    content,
  };
}

/** null: what stands between the lines is Markdown, too. */
function readFrontMatter(text: string): Fields | null {
  try {
    const fields = readYaml(text);
    return isMapping(fields) ? fields : null;
  } catch (error) {
    if (error instanceof UnreadableFile) {
      return null;
    }
    throw error;
  }
}

function templateOf(fileName: string, fields: Fields): IssueTemplate {
  const ref = textOf(fields["ref"]);
  return {
    fileName,
    name: textOf(fields["name"]),
    title: textOf(fields["title"]),
    about: textOf(fields["about"]) || textOf(fields["description"]),
    labels: readLabels(fields["labels"]),
    ref: ref === "" || ref.startsWith("refs/") ? ref : `refs/heads/${ref}`,
    content: "",
    fields: null,
  };
}

/** A list of names, or names with commas between. */
function readLabels(value: unknown): string[] {
  const names = Array.isArray(value) ? value.map(textOf) : textOf(value).split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "");
}
