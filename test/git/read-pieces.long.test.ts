import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./read-pieces.test.ts"));
