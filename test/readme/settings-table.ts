import { Settings } from "../../src/config/settings.ts";

interface Setting {
  type?: string;
  enum?: string[];
  default: unknown;
  description: string;
  unit?: string;
  minimum?: number;
  maximum?: number;
}

function typeOf(setting: Setting): string {
  if (setting.enum !== undefined) {
    return setting.enum.map((value) => `\`${value}\``).join(", ");
  }
  const unit = setting.unit ? `, ${setting.unit}` : "";
  return setting.type === "array" ? "list of texts" : setting.type === "string" ? "text" : `${setting.type}${unit}`;
}

function defaultOf(setting: Setting): string {
  const text = Array.isArray(setting.default)
    ? `[${setting.default.map((value) => JSON.stringify(value)).join(", ")}]`
    : JSON.stringify(setting.default);
  return `\`${text}\``;
}

const begin = /<!-- settings:[^>]*-->\n/;
const end = "<!-- /settings -->";

/** The text with the table of all settings between its two marks, made from the settings themselves. */
export function withSettingsTable(text: string): string {
  const rows: string[] = [];
  for (const [section, { properties }] of Object.entries(Settings.properties)) {
    rows.push("", `### ${section}`, "", "| setting | type | default | meaning |", "|---|---|---|---|");
    for (const [key, setting] of Object.entries(properties as unknown as Record<string, Setting>)) {
      rows.push(`| \`${section}.${key}\` | ${typeOf(setting)} | ${defaultOf(setting)} | ${setting.description} |`);
    }
  }
  const start = text.match(begin);
  const from = (start?.index ?? -1) + (start?.[0].length ?? 0);
  return `${text.slice(0, from)}${rows.join("\n")}\n\n${text.slice(text.indexOf(end))}`;
}
