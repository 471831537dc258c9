import { describeError } from "../../db/pg-errors.ts";
import type { Logger } from "../../lib/log.ts";
import { GatheredCounts } from "../../lib/gathered-counts.ts";
import { serverDoer } from "../spine/doer.ts";
import type { Change } from "../spine/work.ts";
import { addPackageDownloads } from "./download-queries.ts";

/** Counts downloads of versions of packages, by their ids. What cannot be counted is downloaded all the same. */
export function packageDownloadCounts({ change, log }: { change: Change; log: Logger }): GatheredCounts<number> {
  return new GatheredCounts(async (counts) => {
    try {
      await change(serverDoer("count downloads"), (work) => addPackageDownloads(work.tx, counts));
    } catch (error) {
      log.warn(describeError(error), "Downloads could not be counted");
    }
  });
}
