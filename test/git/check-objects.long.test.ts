import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./check-objects.test.ts"));
