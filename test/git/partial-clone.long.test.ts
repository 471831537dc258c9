import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./partial-clone.test.ts"));
