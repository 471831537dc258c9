import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./protected-refs.test.ts"));
