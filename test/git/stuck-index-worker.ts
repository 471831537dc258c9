import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IndexPackArgs } from "../../src/git/operations/index-received-pack.ts";
import { serveWorker } from "../../src/git/workers/serve-worker.ts";

/**
 * An indexing worker that never comes to an end of what it is asked, and hears of no cancellation, but writes files all the
 * time where it is to; it ends by itself once there is one beside a pack of more than 100,000 bytes.
 */
serveWorker({
  setup: () => {},
  close: () => {},
  call: ({ args }) => {
    const { path, destination } = args as Partial<IndexPackArgs> & { destination?: { temporary: string } };
    for (let count = 0; ; count++) {
      const file =
        path == null
          ? join(destination?.temporary ?? "", `${count}.pack`)
          : path.replace(/\.pack$/, count % 2 === 0 ? ".idx" : ".reach");
      try {
        writeFileSync(file, "half");
      } catch {
        // What it was to make is not wanted any more.
      }
      if (path != null && Bun.file(path).size > 100_000) {
        process.exit(7);
      }
    }
  },
  stream: () => {
    throw new Error("Nothing is streamed here");
  },
});
