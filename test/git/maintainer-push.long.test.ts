import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./maintainer-push.test.ts"));
