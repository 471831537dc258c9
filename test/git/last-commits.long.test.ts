import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./last-commits.test.ts"));
