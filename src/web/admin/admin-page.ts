import type { IconName } from "../assets/icons.ts";
import { html, type Html } from "../html.ts";
import type { PageSpec } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** What site administrators see and do. */
export const administersServer = {
  may: { on: "instance", do: "administer" },
  signedIn: true,
} as const satisfies PageSpec;

const entries = [
  { key: "", name: "Overview", icon: "activity" },
  { key: "users", name: "Users", icon: "users" },
  { key: "organizations", name: "Organizations", icon: "box" },
  { key: "repositories", name: "Repositories", icon: "book" },
  { key: "jobs", name: "Jobs", icon: "history" },
  { key: "configuration", name: "Settings", icon: "settings" },
] as const satisfies readonly { key: string; name: string; icon: IconName }[];

export type AdminKey = (typeof entries)[number]["key"];

/** The address of a page of the administration. */
export function adminLink(root: string, below = ""): string {
  return `${root}/-/admin${below === "" ? "" : `/${below}`}`;
}

/** A page of the administration: the list of them beside its content. */
export function adminPage(
  visit: Visit,
  key: AdminKey,
  page: Omit<Page, "body"> & { body: Html; tools?: Html | null },
): Page {
  const { tools = null, body, ...rest } = page;
  const links = entries.map(
    (entry) =>
      html`<a href="${adminLink(visit.root, entry.key)}"${entry.key === key && html` aria-current="page"`}>${icon(visit, entry.icon)}${entry.name}</a>`,
  );
  return {
    ...rest,
    title: `${page.title} · Administration`,
    place: { crumbs: [{ name: "Administration", href: adminLink(visit.root) }] },
    body: html`<div class="columns left"><nav class="nav" aria-label="Administration">${links}</nav>
      <div class="stack"><div class="split"><h1>${page.title}</h1>${tools}</div>${body}</div></div>`,
  };
}
