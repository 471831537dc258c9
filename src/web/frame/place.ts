import type { Tab } from "../parts/tabs.ts";

/** A step of the way from the whole server to a page. */
export interface Crumb {
  readonly name: string;
  readonly href: string;
}

/** Where a page stands, which its frame shows. What is left out follows from what the address names. */
export interface Place {
  /** The key of the tab that is marked. */
  readonly tab?: string;
  /** The sides of what the page belongs to, if that is no repository; "none": no tabs although the address names a repository. */
  readonly tabs?: "none" | { readonly label: string; readonly list: readonly Tab[] };
  /** The way to the page where the address names no owner. */
  readonly crumbs?: readonly Crumb[];
  /** Code takes the width of the window; a form by itself takes little. */
  readonly width?: "wide" | "narrow";
}
