import type { Viewer } from "../auth/viewer-of.ts";
import { listRepositories } from "../domain/repos/list-queries.ts";
import { NotFound } from "../domain/spine/errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { ByteCache } from "../lib/byte-cache.ts";
import { markAddress } from "./assets/assets.ts";
import { html, type Html } from "./html.ts";
import { ownerLink, releasesLink, repositoryLink } from "./links.ts";
import { open, type DeclarePage, type PageRoute } from "./pages.ts";
import { cachingOf } from "./respond.ts";

const nobody: Viewer = { actor: null, credential: { kind: "none" } };
/** Repositories of one file: the protocol takes 50,000 addresses (sitemaps.org), and each has three at most. */
const onPage = 5000;
/** A sitemap is made again after so long. */
const keptMs = 10 * 60_000;
const keptBytes = 8 * 1024 * 1024;
const sitemaps = "http://www.sitemaps.org/schemas/sitemap/0.9";
/** Browsers cut longer names. */
const longestName = 16;

function answer(type: string, text: string): Response {
  return new Response(text, {
    headers: { "content-type": type, "x-content-type-options": "nosniff", ...cachingOf(false) },
  });
}

/** An address of a sitemap, and when its page last changed. */
const url = (address: string, at: Date | null) =>
  html`<url><loc>${address}</loc>${at !== null && html`<lastmod>${at.toISOString()}</lastmod>`}</url>`;

const asXml = ({ text }: Html) => `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;

/** What crawlers, browsers and phones ask a site for. Nothing in it depends on who asks. */
export function machineEndPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const kept = new ByteCache<{ until: number; text: string }>(keptBytes);
  const order = { by: "created", descending: false } as const;

  async function keeping(key: string, make: () => Promise<string>): Promise<string> {
    const known = kept.get(key);
    if (known !== undefined && known.until > Date.now()) {
      return known.text;
    }
    const text = await make();
    kept.set(key, { until: Date.now() + keptMs, text }, 2 * text.length + 100);
    return text;
  }

  async function sitemapIndex(base: string): Promise<string> {
    const { total } = await listRepositories(forge.database.db, nobody, {}, order, { size: 1, offset: 0 });
    const pages = Array.from({ length: Math.max(1, Math.ceil(total / onPage)) }, (_, index) => index + 1);
    return asXml(
      html`<sitemapindex xmlns="${sitemaps}">${pages.map((number) => html`<sitemap><loc>${base}/sitemap/${number}.xml</loc></sitemap>`)}</sitemapindex>`,
    );
  }

  async function sitemap(base: string, number: number): Promise<string> {
    const slice = { size: onPage, offset: (number - 1) * onPage };
    const { rows } = await listRepositories(forge.database.db, nobody, {}, order, slice);
    const owners = new Set(rows.map(({ owner }) => owner.name));
    return asXml(
      html`<urlset xmlns="${sitemaps}">${[...owners].map((name) => url(ownerLink(base, name), null))}${rows.map((access) => [url(repositoryLink(base, access), access.repository.updatedAt), access.counts.releases > 0 && url(releasesLink(base, access), null)])}</urlset>`,
    );
  }

  return [
    page("GET", "/manifest.json", open, ({ visit }) => {
      const { root, base } = visit;
      const icons = [{ src: root + markAddress, sizes: "any", type: "image/svg+xml", purpose: "any" }];
      const text = { name: new URL(base).host, short_name: "Stithy", start_url: `${root}/`, scope: `${root}/`, icons };
      return answer("application/manifest+json", JSON.stringify({ ...text, display: "minimal-ui" }));
    }),
    page("GET", "/opensearch.xml", open, ({ visit: { base } }) => {
      const { host } = new URL(base);
      const text = asXml(
        html`<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>${host.slice(0, longestName)}</ShortName><Description>Repositories of ${host}</Description><InputEncoding>UTF-8</InputEncoding><Url type="text/html" template="${base}/explore/repos?q={searchTerms}"/></OpenSearchDescription>`,
      );
      return answer("application/opensearchdescription+xml", text);
    }),
    page("GET", "/sitemap.xml", open, async ({ visit: { base } }) =>
      answer("application/xml", await keeping(base, () => sitemapIndex(base))),
    ),
    page("GET", "/sitemap/:file", open, async ({ visit: { base, params } }) => {
      const [, number] = /^([1-9]\d{0,4})\.xml$/.exec(params["file"] ?? "") ?? [];
      if (number === undefined) {
        throw new NotFound("sitemap", (params["file"] ?? "").slice(0, 80));
      }
      return answer("application/xml", await keeping(`${base} ${number}`, () => sitemap(base, Number(number))));
    }),
  ];
}
