import { describeError } from "../../../db/pg-errors.ts";
import { GatheredCounts } from "../../../lib/gathered-counts.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { addDownloads } from "./queries.ts";

/** Counts downloads of attachments, by their ids. What cannot be counted is downloaded all the same. */
export function downloadCounts({ change, log }: Forge): GatheredCounts<number> {
  return new GatheredCounts(async (counts) => {
    try {
      await change(serverDoer("count downloads"), (work) => addDownloads(work.tx, counts));
    } catch (error) {
      log.warn(describeError(error), "Downloads could not be counted");
    }
  });
}
