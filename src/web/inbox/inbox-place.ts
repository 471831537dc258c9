import type { Place } from "../frame/place.ts";
import type { Visit } from "../visit.ts";

/** The place of the inbox, and of the pages that say what comes into it. */
export function inboxPlace({ root }: Visit, tab: "inbox" | "subscriptions" | "watching"): Place {
  const address = `${root}/notifications`;
  const list = [
    { key: "inbox", name: "Inbox", href: address },
    { key: "subscriptions", name: "Subscriptions", href: `${address}/subscriptions` },
    { key: "watching", name: "Watched repositories", href: `${address}/watching` },
  ];
  return { tab, tabs: { label: "Notifications", list }, crumbs: [{ name: "Notifications", href: address }] };
}
