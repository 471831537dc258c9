import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./damaged-pack.test.ts"));
