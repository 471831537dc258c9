import type { Mail } from "./mailer.ts";

interface Parts {
  to: string;
  subject: string;
  /** Plain sentences, before the link. */
  before: readonly string[];
  link?: { label: string; url: string };
  /** After it. */
  after?: readonly string[];
}

/** A mail as a text and as HTML of the same words, without pictures or anything else that is loaded from somewhere. */
export function composeMail({ to, subject, before, link, after = [] }: Parts): Mail {
  const text = [...before, ...(link === undefined ? [] : [link.url]), ...after].join("\n\n");
  const anchor = link === undefined ? [] : [`<a href="${Bun.escapeHTML(link.url)}">${Bun.escapeHTML(link.label)}</a>`];
  const html = [...before.map((line) => Bun.escapeHTML(line)), ...anchor, ...after.map((line) => Bun.escapeHTML(line))]
    .map((content) => `<p>${content}</p>\n`)
    .join("");
  return { to, subject, text: `${text}\n`, html: `<!doctype html>\n<html>\n<body>\n${html}</body>\n</html>\n` };
}
