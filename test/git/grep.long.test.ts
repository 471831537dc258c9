import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./grep.test.ts"));
