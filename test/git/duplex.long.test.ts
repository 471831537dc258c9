import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./duplex.test.ts"));
