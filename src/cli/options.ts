import { Command, InvalidArgumentError, Option } from "commander";
import { programText } from "../lib/command-text.ts";

/** The options of every command that works on a server's data. */
export interface DataOptions {
  config?: string;
  data?: string;
}

/** A command with the options that say which server's data it is about, and examples below its help. */
export function dataCommand(name: string, summary: string, examples: readonly string[]): Command {
  return new Command(name)
    .description(summary)
    .option("-c, --config <file>", "configuration file (stithy.toml in the working directory, if there is one)")
    .option("-d, --data <directory>", "data directory (/var/lib/stithy as root, else ~/.local/share/stithy)")
    .addHelpText("after", exampleText(examples));
}

export function exampleText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example.replace(/^stithy/, programText())}\n`).join("")}`;
}

export function jsonOption(): Option {
  return new Option("--json", "print the result as JSON");
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  }
  return port;
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A day or instant of ISO 8601, or a time from now such as 12h, 30d, 8w. */
export function parseExpiry(text: string): Date {
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const date =
    amount !== undefined && unit !== undefined
      ? new Date(Date.now() + Number(amount) * (unitMs[unit] ?? 0))
      : new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : "");
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError("Write a date such as 2027-12-31, or a time from now such as 12h, 30d or 8w.");
  }
  return date;
}
