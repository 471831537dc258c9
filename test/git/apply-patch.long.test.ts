import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./apply-patch.test.ts"));
