import { runThoroughly } from "../support/thorough.ts";

await runThoroughly(import.meta.resolve("./sha256-repository.test.ts"));
