import { join } from "node:path";
import { withSettingsTable } from "./settings-table.ts";

/** `bun run docs`: writes the table of settings into the README. */
const readme = join(import.meta.dir, "../../README.md");
await Bun.write(readme, withSettingsTable(await Bun.file(readme).text()));
