import { readForm, type FormField } from "./read-form.ts";
import { isMapping, textOf, UnreadableFile, type Fields } from "./fields.ts";

/** A template for a new issue: a text, or a form. */
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

const isMarkdown = (fileName: string) => /\.md$/i.test(fileName);

/** Returns the YAML of a template: all of a form, or the front matter of Markdown; null if that has none. */
export function yamlOf(fileName: string, text: string): string | null {
  return isMarkdown(fileName) ? (frontMatter.exec(text)?.[1] ?? null) : text;
}

/**
 * Reads a template by the rules of Gitea and Forgejo: Markdown with a front matter, or a form in YAML. `fields`: the value of its YAML, undefined
 * where that is none or cannot be read. Throws UnreadableFile for a form that is none; any Markdown is a template.
 */
export function readTemplate(fileName: string, text: string, fields: unknown): IssueTemplate {
  if (isMarkdown(fileName)) {
    return readMarkdown(fileName, text, isMapping(fields) ? fields : null);
  }
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

/** `fields` null: the text between the lines is Markdown, too. */
function readMarkdown(fileName: string, text: string, fields: Fields | null): IssueTemplate {
  const content = fields === null ? text : text.replace(frontMatter, "");
  const template = templateOf(fileName, fields ?? {});
  return {
    ...template,
    name: template.name || fileName.slice(fileName.lastIndexOf("/") + 1),
    about: template.about || [...content.trim()].slice(0, longestAbout).join(""),
    content,
  };
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
