import type { Forge } from "../../domain/spine/forge.ts";
import { listDeeds, type Feed as DeedFeed } from "../../domain/work/activities/queries.ts";
import { loadDeeds } from "../explore/load-deeds.ts";
import { html } from "../html.ts";
import { deedDetail, deedWords } from "../parts/deed.ts";
import type { Visit } from "../visit.ts";
import { feedResponse, feedSize, type Feed, type FeedEntry, type FeedFormat } from "./feed.ts";

/** The text of markup of ours. */
function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^<>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
}

/** Answers with the feed of what somebody did, or of what was done in a repository. */
export async function deedsResponse(
  forge: Forge,
  visit: Visit,
  format: FeedFormat,
  of: DeedFeed,
  about: Omit<Feed, "entries">,
): Promise<Response> {
  const { base } = forge.addresses;
  const found = await listDeeds(forge.database.db, visit, of, null, { size: feedSize, offset: 0 });
  const shown = await loadDeeds(forge, visit, found, visit.request.signal);
  const reader = { root: base, now: visit.now, zone: visit.zone };
  const entries = shown.map((one): FeedEntry => {
    const { actor, activity } = one.deed;
    const words = deedWords(reader, one);
    return {
      link: `${about.link}#activity-${activity.id}`,
      title: `${actor.name} ${textOf(words.text)}`,
      at: activity.at,
      author: actor.fullName || actor.name,
      content: html`<p>${actor.name} ${words}</p>${deedDetail(reader, one)}`,
    };
  });
  return feedResponse(visit, base, format, { ...about, entries });
}
