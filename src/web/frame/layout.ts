import { version } from "../../lib/version.ts";
import { scriptAddress, styleAddress } from "../assets/assets.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { note } from "../parts/note.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { appearanceOf, type Appearance } from "./appearance.ts";
import { brand, topBar } from "./bar.ts";
import { headFor, iconLink } from "./head.ts";
import type { Place } from "./place.ts";
import type { Standing } from "./standing.ts";

function rootAttributes({ theme, contrast }: Appearance): Html {
  return html`${theme === "auto" ? null : html` data-theme="${theme}"`}${contrast === "auto" ? null : html` data-contrast="${contrast}"`}`;
}

/** What the script needs to know of the page. */
function bodyAttributes(visit: Visit, { tabs }: Place, stream: string | null): Html {
  const { root, repository, appearance, now } = visit;
  const sent = visit.takeDropped();
  const place =
    repository === null || tabs === "none" ? null : html` data-repository="${repositoryLink(root, repository)}"`;
  return html` data-root="${root}"${place}${appearance.keys === "off" ? html` data-keys="off"` : null}${stream !== null && html` data-stream="${stream}" data-at="${now}"`}${sent !== null && html` data-sent="${sent}"`}`;
}

interface Attributes {
  readonly root: Html;
  readonly head: Html | null;
  readonly body: Html;
}

function documentOf(root: string, attributes: Attributes, { title, scripts = [] }: Page, body: Html): string {
  const further = scripts.map((name) => html`<script type="module" src="${root}${scriptAddress(name)}"></script>`);
  return html`<!DOCTYPE html>
<html lang="en"${attributes.root}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Stithy</title>
<link rel="stylesheet" href="${root}${styleAddress}">
${iconLink(root)}${attributes.head}
<script type="module" src="${root}${scriptAddress("stithy")}"></script>${further}
</head>
<body${attributes.body}>
<a class="skip" href="#content">Skip to the content</a>
${body}
</body>
</html>
`.text;
}

function foot(root: string, width = ""): Html {
  return html`<footer class="foot"><div class="wrap${width}"><span class="grow">Stithy ${version}</span><a href="${root}/api/swagger">API</a></div></footer>`;
}

/** A whole page in its frame. `stream`: where it hears that what it shows has changed. */
export function layout(visit: Visit, page: Page, standing: Standing, stream: string | null): string {
  const { root, actor } = visit;
  const place = page.place ?? {};
  const width = place.width === undefined ? "" : ` ${place.width}`;
  const signOut = actor === null ? html`` : visit.formField();
  const said = visit.takeFlash();
  const flash = said === null ? null : html`<div class="flash">${note(visit, "good", said)}</div>`;
  return documentOf(
    root,
    { root: rootAttributes(visit.appearance), head: headFor(visit, page), body: bodyAttributes(visit, place, stream) },
    page,
    html`${topBar(visit, place, standing, signOut)}
<main id="content" class="wrap${width}">
${flash}${page.body}
</main>
${foot(root, place.width === "wide" ? " wide" : "")}`,
  );
}

/** A page for a request that could not be identified: its frame names nobody. */
export function bareLayout(root: string, page: Page): string {
  return documentOf(
    root,
    { root: rootAttributes(appearanceOf("")), head: null, body: html` data-root="${root}"` },
    page,
    html`<header><div class="top"><div>${brand(root)}</div></div></header>
<main id="content" class="wrap narrow">${page.body}</main>
${foot(root)}`,
  );
}
