import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./pack.test.ts"));
