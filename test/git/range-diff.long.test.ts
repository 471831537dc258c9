import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./range-diff.test.ts"));
