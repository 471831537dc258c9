import { createHash } from "node:crypto";
import type { RepositoryAccess } from "../auth/subject.ts";
import { findLatestRelease } from "../domain/repos/releases/queries.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { clip } from "../lib/show-value.ts";
import { html } from "./html.ts";
import { readsReleases, type DeclarePage, type PageRoute, type PageSpec } from "./pages.ts";
import { shortNumber } from "./parts/size.ts";
import { bytesResponse } from "./respond.ts";
import type { Visit } from "./visit.ts";

const longestValue = 40;
/** About the width of a character, and the space beside a text, pixels. */
const characterWidth = 6.6;
const padding = 6;

/** White text reads well on each of them. */
type Colour = "#1b7a3d" | "#57534c" | "#1f5fd0";

const widthOf = (text: string) => Math.round([...text].length * characterWidth) + 2 * padding;
const text = (words: string, middle: number, width: number) =>
  html`<text x="${middle}" y="14" textLength="${width - 2 * padding}" lengthAdjust="spacingAndGlyphs">${words}</text>`;

/** Draws a badge: a name and a value side by side, such as READMEs show. */
function drawBadge(name: string, value: string, colour: Colour): string {
  const [left, right] = [widthOf(name), widthOf(value)];
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${value}"><title>${name}: ${value}</title><clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3b3935"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(name, left / 2, left)}${text(value, left + right / 2, right)}</g></svg>
`.text;
}

function answer(visit: Visit, name: string, value: string, colour: Colour): Promise<Response> {
  const content = Buffer.from(drawBadge(name, clip(value, longestValue), colour));
  const etag = createHash("sha256").update(content).digest("hex");
  const headers = { "content-security-policy": "sandbox; default-src 'none'" };
  return bytesResponse(visit, { content, size: content.length, contentType: "image/svg+xml", etag, headers });
}

/** Pictures that tell one thing of a repository, at the addresses that the family's READMEs have. */
export function badgePages(forge: Forge, page: DeclarePage): PageRoute[] {
  function counting<const Spec extends PageSpec>(
    path: string,
    spec: Spec & { may: { on: "repository" } },
    name: string,
    colour: Colour,
    count: (counts: RepositoryAccess["counts"]) => number,
  ): PageRoute {
    return page("GET", `/:owner/:repo/badges/${path}.svg`, spec as PageSpec, ({ visit }) =>
      answer(visit, name, shortNumber(visit.repository === null ? 0 : count(visit.repository.counts)), colour),
    );
  }

  const issues = { may: { on: "repository", do: "read", unit: "issues" } } as const;
  const pulls = { may: { on: "repository", do: "read", unit: "pulls" } } as const;
  const any = { may: { on: "repository", do: "read", unit: "any" } } as const;
  return [
    counting("issues", issues, "open issues", "#1b7a3d", ({ openIssues }) => openIssues),
    counting("issues/open", issues, "open issues", "#1b7a3d", ({ openIssues }) => openIssues),
    counting("pulls", pulls, "open pulls", "#1b7a3d", ({ openPulls }) => openPulls),
    counting("pulls/open", pulls, "open pulls", "#1b7a3d", ({ openPulls }) => openPulls),
    counting("stars", any, "stars", "#1f5fd0", ({ stars }) => stars),
    page("GET", "/:owner/:repo/badges/release.svg", readsReleases, async ({ visit, repository: access }) => {
      const latest = await findLatestRelease(forge.database.db, visit, access.repository.id);
      return answer(visit, "release", latest?.release.tagName ?? "none", latest === null ? "#57534c" : "#1f5fd0");
    }),
  ];
}
