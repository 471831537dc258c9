import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./large-received.test.ts"));
