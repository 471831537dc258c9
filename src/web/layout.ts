import { html, type Html } from "./html.ts";
import { styleAddress } from "./style.ts";

/** The parts that all pages share. */
export interface Frame {
  /** Path of the server below its host, without a final slash; empty as a rule. */
  root: string;
  /** The name of the signed-in user; null: nobody. */
  userName: string | null;
}

/** A whole page. `csrf` is the hidden field of the sign-out form, which stands on every page of somebody who signed in. */
export function layout(frame: Frame, title: string, body: Html, csrf: Html | null): string {
  const { root, userName } = frame;
  const account =
    userName === null
      ? html`<a href="${root}/user/login">Sign in</a>`
      : html`<a href="${root}/${encodeURIComponent(userName)}">${userName}</a>
        <a href="${root}/repo/create">New repository</a>
        <a href="${root}/user/settings">Settings</a>
        <form class="inline" method="post" action="${root}/user/logout">${csrf}<button class="plain">Sign out</button></form>`;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Stithy</title>
<link rel="stylesheet" href="${root}${styleAddress}">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><nav aria-label="Site"><a class="home" href="${root}/">Stithy</a> <a href="${root}/api/swagger">API</a> ${account}</nav></header>
<main id="content">
${body}
</main>
</body>
</html>
`.text;
}
