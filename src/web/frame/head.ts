import { markAddress } from "../assets/assets.ts";
import { html, type Html } from "../html.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** Characters of a preview. */
const longestAbout = 300;

function aboutOf({ repository, owner }: Visit, { head }: Page): string {
  const named = owner?.visible === true ? owner.owner.description : "";
  const about = head?.about ?? repository?.repository.description ?? named;
  return [...about.replaceAll(/\s+/g, " ").trim()].slice(0, longestAbout).join("");
}

/** What programs that show a link somewhere else are told of its page (ogp.me). They are never signed in. */
function preview(visit: Visit, page: Page): Html | null {
  const { base, actor, repository, owner, here, root } = visit;
  if (actor !== null) {
    return null;
  }
  const about = aboutOf(visit, page);
  const pictured = repository?.owner ?? (owner?.visible === true ? owner.owner : null);
  const sha256 = pictured?.avatarSha256 ?? null;
  const address = base + here.slice(root.length);
  return html`
<meta property="og:site_name" content="${new URL(base).host}">
<meta property="og:type" content="website">
<meta property="og:title" content="${page.title}">
<meta property="og:url" content="${address}">${
    about !== "" &&
    html`
<meta property="og:description" content="${about}">
<meta name="description" content="${about}">`
  }${
    sha256 !== null &&
    html`
<meta property="og:image" content="${base}/avatars/${Buffer.from(sha256).toString("hex")}">`
  }`;
}

/** The part of a page's head that is for programs: feeds, searches, previews. null for a page that tells of a fault. */
export function headFor(visit: Visit, page: Page): Html | null {
  const { root } = visit;
  if ((page.status ?? 200) !== 200) {
    return null;
  }
  const feeds = (page.head?.feeds ?? []).map(
    ({ address, title }) =>
      html`
<link rel="alternate" type="application/atom+xml" title="${title}" href="${address}.atom">
<link rel="alternate" type="application/rss+xml" title="${title}" href="${address}.rss">`,
  );
  return html`
<link rel="manifest" href="${root}/manifest.json">
<link rel="search" type="application/opensearchdescription+xml" title="Stithy" href="${root}/opensearch.xml">${feeds}${preview(visit, page)}`;
}

/** The picture in the tab. */
export function iconLink(root: string): Html {
  return html`<link rel="icon" type="image/svg+xml" href="${root}${markAddress}">`;
}
