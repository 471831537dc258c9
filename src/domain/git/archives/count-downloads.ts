import { describeError } from "../../../db/pg-errors.ts";
import { GatheredCounts } from "../../../lib/gathered-counts.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import type { Archive } from "./archives.ts";
import { addArchiveDownloads, deleteArchiveDownloads, type MoreDownloads } from "./download-queries.ts";

const tagPrefix = "refs/tags/";

/** Counts a download of a tag's archive. Others than zip and tar.gz, and of what is no tag, are not counted. */
export type CountArchive = (repositoryId: number, archive: Archive) => Promise<void>;

/** Returns the function that counts. What cannot be counted is downloaded all the same. */
export function prepareCountArchive({ change, log }: Pick<Forge, "change" | "log">): CountArchive {
  const gathered = new GatheredCounts<string>(async (counts) => {
    try {
      await change(serverDoer("count downloads"), (work) => addArchiveDownloads(work.tx, sumByTag(counts)));
    } catch (error) {
      log.warn(describeError(error), "Downloads could not be counted");
    }
  });
  return async (repositoryId, { tag, format }) => {
    if (tag !== null && (format === "zip" || format === "tar.gz")) {
      await gathered.count(`${repositoryId} ${format} ${tag}`);
    }
  };
}

function sumByTag(counts: ReadonlyMap<string, number>): MoreDownloads[] {
  const tags = new Map<string, MoreDownloads>();
  for (const [key, count] of counts) {
    const [id = "", format, tag = ""] = key.split(" ");
    const known = tags.get(`${id} ${tag}`) ?? { repositoryId: Number(id), tag, zip: 0, tarGz: 0 };
    known[format === "zip" ? "zip" : "tarGz"] += count;
    tags.set(`${id} ${tag}`, known);
  }
  return [...tags.values()];
}

/** Subscriber: forgets how often the archives of a tag were downloaded when the tag is deleted. */
export async function forgetDownloads(work: Work, event: Event): Promise<void> {
  const tags =
    event.kind === "refs.moved"
      ? event.refs.filter(({ name, newOid }) => newOid === null && name.startsWith(tagPrefix))
      : [];
  if (event.kind === "refs.moved" && tags.length > 0) {
    const names = tags.map(({ name }) => name.slice(tagPrefix.length));
    await deleteArchiveDownloads(work.tx, event.repository.id, names);
  }
}
