import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./hostile-pack.test.ts"));
