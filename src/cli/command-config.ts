import { loadConfig, type Config, type Overrides } from "../config/config.ts";
import { readEnvironment } from "../config/env.ts";
import { createLogger, type Logger } from "../lib/log.ts";
import type { DataOptions } from "./options.ts";

/** The configuration that a command works with. Throws ConfigurationError. */
export function configOf(options: DataOptions, overrides: Overrides = {}): Config {
  return loadConfig(readEnvironment(), {
    ...overrides,
    ...(options.config === undefined ? {} : { configurationFile: options.config }),
    ...(options.data === undefined ? {} : { dataDirectory: options.data }),
  });
}

/** A command that ends soon says what goes wrong; the steps on the way are for `log.level = "debug"`. */
export function commandLogger(config: Config): Logger {
  const { level, format } = config.log;
  return createLogger({ level: level === "info" ? "warn" : level, format });
}
