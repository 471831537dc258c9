import { createHash } from "node:crypto";
import { html, type Html } from "../html.ts";
import { bytesResponse } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** RSS 2.0 (rssboard.org/rss-specification), or Atom (RFC 4287). */
export type FeedFormat = "rss" | "atom";

/** The format that the end of a name asks for, such as `.rss`; null for another end. */
export function feedFormatOf(suffix: string | undefined): FeedFormat | null {
  const name = suffix?.slice(1).toLowerCase();
  return name === "rss" || name === "atom" ? name : null;
}

export interface FeedEntry {
  /** Absolute, and no other entry's. */
  readonly link: string;
  readonly title: string;
  readonly at: Date;
  readonly author: string;
  /** Markup with absolute addresses. */
  readonly content: Html;
}

export interface Feed {
  readonly title: string;
  readonly about: string;
  /** Absolute address of the page that it is the feed of. */
  readonly link: string;
  readonly entries: readonly FeedEntry[];
}

/** What was long ago has left the feed. */
export const feedSize = 30;

// oxlint-disable-next-line no-control-regex -- XML 1.0 has no character for these
const notInXml = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

function instant(at: Date): Date {
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}

function rss({ title, about, link, entries }: Feed, self: string): Html {
  const items = entries.map(
    (entry) =>
      html`<item><title>${entry.title}</title><link>${entry.link}</link><guid isPermaLink="true">${entry.link}</guid><pubDate>${instant(entry.at).toUTCString()}</pubDate><dc:creator>${entry.author}</dc:creator><description>${entry.content.text}</description></item>`,
  );
  return html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>${title}</title><link>${link}</link><description>${about}</description><atom:link href="${self}" rel="self" type="application/rss+xml"/>${items}</channel></rss>`;
}

function atom({ title, about, link, entries }: Feed, self: string): Html {
  const updated = entries.reduce((latest, { at }) => Math.max(latest, instant(at).getTime()), 0);
  const items = entries.map(
    (entry) =>
      html`<entry><id>${entry.link}</id><title>${entry.title}</title><link href="${entry.link}"/><updated>${instant(entry.at).toISOString()}</updated><author><name>${entry.author}</name></author><content type="html">${entry.content.text}</content></entry>`,
  );
  return html`<feed xmlns="http://www.w3.org/2005/Atom"><id>${link}</id><title>${title}</title><subtitle>${about}</subtitle><link href="${link}"/><link href="${self}" rel="self"/><updated>${new Date(updated).toISOString()}</updated>${items}</feed>`;
}

/** Writes a feed. `self`: its own absolute address. */
export function writeFeed(format: FeedFormat, feed: Feed, self: string): string {
  const { text } = format === "rss" ? rss(feed, self) : atom(feed, self);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text.replaceAll(notInXml, "").toWellFormed()}\n`;
}

/** Answers with a feed, or 304 to a reader that has it. `base`: the address of the server. */
export function feedResponse(visit: Visit, base: string, format: FeedFormat, feed: Feed): Promise<Response> {
  const { pathname } = new URL(visit.request.url);
  const content = Buffer.from(writeFeed(format, feed, base + pathname));
  const etag = createHash("sha256").update(content).digest("hex");
  const contentType = `application/${format}+xml; charset=utf-8`;
  return bytesResponse(visit, { content, size: content.length, contentType, etag, headers: {} });
}
