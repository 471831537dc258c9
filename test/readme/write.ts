import { join } from "node:path";
import { withSettingsTable } from "./settings-table.ts";

/** `bun run docs`: writes the tables of settings in `docs/configuration.md`. */
const file = join(import.meta.dir, "../../docs/configuration.md");
await Bun.write(file, withSettingsTable(await Bun.file(file).text()));
