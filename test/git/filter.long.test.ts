import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./filter.test.ts"));
