import pino from "pino";
import type PinoPretty from "pino-pretty";

/** The interface of a log. Fields come first, the sentence second. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Names whose values never reach a log, at any depth that this project logs. */
const secrets = ["password", "token", "authorization", "cookie", "secret", "otp"];
const redacted = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** A log on standard error: text when a person looks at it, else a JSON object a line. */
export function createLogger(options: { level: LogLevel; format: "auto" | "text" | "json" }): Logger {
  const text = options.format === "text" || (options.format === "auto" && process.stderr.isTTY);
  const destination = text
    ? loadPretty()({
        destination: 2,
        sync: true,
        ignore: "pid,hostname",
        translateTime: "SYS:HH:MM:ss.l",
        colorize: process.stderr.isTTY,
      })
    : pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level: options.level,
      redact: { paths: redacted, censor: "[hidden]" },
      timestamp: pino.stdTimeFunctions.isoTime,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/** Takes as long to load as the log itself, and most servers write JSON. */
function loadPretty(): typeof PinoPretty {
  return require("pino-pretty") as typeof PinoPretty;
}

/** A log that says nothing, for tests and tools. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
