import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./merge-order.test.ts"));
