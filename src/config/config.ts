import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { parse as parseToml } from "smol-toml";
import { AddressList } from "../lib/address-list.ts";
import { StithyError, messageOf } from "../lib/errors.ts";
import { cacheDirectoryOf } from "./cache-directory.ts";
import type { Environment } from "./env.ts";
import { describeIgnored, nearSetting, type IgnoredVariable } from "./ignored-variables.ts";
import { Settings } from "./settings.ts";
import { faultsOf, fits } from "../lib/schema.ts";

/** Everything that is wrong with the configuration, at once. */
export class ConfigurationError extends StithyError {
  constructor(readonly problems: readonly string[]) {
    super(
      "invalid",
      "configuration",
      `The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`,
      { problems },
    );
  }
}

/** The configuration as the program uses it: the settings, with paths made absolute and names resolved. */
export interface Config extends Settings {
  dataDirectory: string;
  /** For what can be made again: unpacked binaries, prepared database clusters. */
  cacheDirectory: string;
  /** The file that was read, or null. */
  file: string | null;
  /** Where each setting comes from that is not the default, by "section.key". */
  sources: ReadonlyMap<string, SettingSource>;
  firstAdmin: { username: string; password: string | null } | null;
  /** Variables of the environment that look like settings and are none. */
  ignoredVariables: readonly IgnoredVariable[];
  /** The server lives for a test: it keeps nothing, and does nothing by itself. */
  ephemeral: boolean;
}

export type SettingSource = "file" | "environment" | "command";

/** Options of the command line. They override the environment, which overrides the file. */
export interface Overrides {
  configurationFile?: string;
  dataDirectory?: string;
  host?: string;
  port?: number;
  baseUrl?: string;
  sshPort?: number;
  /** The server lives for a test: it takes a free port where none is set, and reads a file only if the command names one. */
  ephemeral?: boolean;
}

type Raw = Record<string, Record<string, unknown>>;

/** Reads the file and the environment. Throws ConfigurationError with every problem found. */
export function loadConfig(environment: Environment, overrides: Overrides = {}): Config {
  const problems: string[] = [];
  const { raw, file } = readFile(environment, overrides, problems);
  const sources = new Map<string, SettingSource>();
  noteSources(sources, "file", {}, raw);
  for (const [source, apply] of [
    ["environment", () => applyEnvironment(raw, environment)],
    ["command", () => applyOverrides(raw, overrides)],
  ] as const) {
    const before = structuredClone(raw);
    apply();
    noteSources(sources, source, before, raw);
  }
  const settings = check(raw, problems);
  const firstAdmin = readFirstAdmin(environment, problems);
  if (settings !== null) {
    checkTogether(settings, problems);
  }
  if (problems.length > 0 || settings === null) {
    throw new ConfigurationError(problems);
  }
  return {
    ...settings,
    dataDirectory: resolve(settings.data.directory || defaultDataDirectory(environment)),
    cacheDirectory: cacheDirectoryOf(environment),
    file,
    sources,
    firstAdmin,
    ignoredVariables: environment.ignored.map(describeIgnored),
    ephemeral: overrides.ephemeral === true,
  };
}

/** Notes the source of the settings that it added or changed. */
function noteSources(sources: Map<string, SettingSource>, source: SettingSource, before: Raw, after: Raw): void {
  for (const [section, keys] of Object.entries(after)) {
    for (const [key, value] of Object.entries(keys)) {
      if (!Bun.deepEquals(before[section]?.[key], value)) {
        sources.set(`${section}.${key}`, source);
      }
    }
  }
}

function defaultDataDirectory(environment: Environment): string {
  if (process.getuid?.() === 0) {
    return "/var/lib/stithy";
  }
  return join(environment.dataHome ?? join(environment.home ?? homedir(), ".local", "share"), "stithy");
}

function readFile(
  environment: Environment,
  overrides: Overrides,
  problems: string[],
): { raw: Raw; file: string | null } {
  const named =
    overrides.configurationFile ?? (overrides.ephemeral === true ? undefined : environment.configurationFile);
  // A file in the directory of a test suite configures another server.
  if (named === undefined && overrides.ephemeral === true) {
    return { raw: {}, file: null };
  }
  const path = resolve(named ?? "stithy.toml");
  if (named === undefined && !existsSync(path)) {
    return { raw: {}, file: null };
  }
  try {
    return { raw: lowerKeys(parseToml(readFileSync(path, "utf8")), problems), file: path };
  } catch (error) {
    problems.push(`${path} cannot be read: ${messageOf(error)}`);
    return { raw: {}, file: path };
  }
}

/** Sections and keys are matched in any case, because the family writes some in capitals. */
function lowerKeys(document: Record<string, unknown>, problems: string[]): Raw {
  const raw: Raw = {};
  for (const [section, keys] of Object.entries(document)) {
    if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
      problems.push(`"${section}" stands outside a section`);
      continue;
    }
    raw[section.toLowerCase()] = Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [key.toLowerCase(), value]),
    );
  }
  return raw;
}

function applyEnvironment(raw: Raw, environment: Environment): void {
  if (environment.databaseUrl !== undefined) {
    (raw["database"] ??= {})["url"] = environment.databaseUrl;
  }
  const known = Settings.properties as Record<string, { properties: Record<string, { type?: string }> }>;
  for (const { section, key, value } of environment.settings) {
    (raw[section] ??= {})[key] = fromText(value, known[section]?.properties[key]?.type);
  }
}

/** The environment has only text; a value that does not fit its type stays text and is reported as such. */
function fromText(value: string, type: string | undefined): unknown {
  switch (type) {
    case "integer":
      return /^\d+$/.test(value) ? Number(value) : value;
    case "boolean":
      return /^(true|1|yes|on)$/i.test(value) ? true : /^(false|0|no|off)$/i.test(value) ? false : value;
    case "array":
      return value
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "");
    default:
      return value;
  }
}

function applyOverrides(raw: Raw, overrides: Overrides): void {
  if (overrides.dataDirectory !== undefined) {
    (raw["data"] ??= {})["directory"] = overrides.dataDirectory;
  }
  if (overrides.host !== undefined) {
    (raw["server"] ??= {})["host"] = overrides.host;
  }
  if (overrides.port !== undefined) {
    (raw["server"] ??= {})["port"] = overrides.port;
  }
  if (overrides.baseUrl !== undefined) {
    (raw["server"] ??= {})["base_url"] = overrides.baseUrl;
  }
  const ssh = (raw["ssh"] ??= {});
  if (overrides.sshPort !== undefined) {
    ssh["port"] = overrides.sshPort;
  } else if (overrides.ephemeral === true || raw["server"]?.["port"] === 0) {
    // A server that takes any port for HTTP is one of several on a machine.
    ssh["port"] ??= 0;
  }
}

function withDefaults(raw: Raw): Raw {
  const complete = { ...raw };
  for (const [section, { properties }] of Object.entries(Settings.properties)) {
    const defaults = Object.entries(properties).map(([name, setting]) => [name, structuredClone(setting.default)]);
    complete[section] = { ...Object.fromEntries(defaults), ...raw[section] };
  }
  return complete;
}

function check(raw: Raw, problems: string[]): Settings | null {
  const complete = withDefaults(raw);
  if (fits(Settings, complete)) {
    return complete;
  }
  for (const error of faultsOf(Settings, complete)) {
    const path = error.instancePath.split("/").filter(Boolean).join(".");
    if (error.keyword === "additionalProperties") {
      for (const key of (error.params as { additionalProperties: string[] }).additionalProperties) {
        const near = path === "" ? null : nearSetting(path, key);
        problems.push(
          `${path === "" ? `section [${key}]` : `${path}.${key}`} is not a setting${near === null ? "" : `; did you mean ${near}?`}`,
        );
      }
    } else if (error.keyword !== "boolean") {
      // That keyword tells of an unknown key once more.
      problems.push(`${path} ${error.message}`);
    }
  }
  return null;
}

/** Every one is a part of many answers. */
const mostReactions = 100;

function checkTogether(settings: Settings, problems: string[]): void {
  const { server, ssh, git, data, mail, kerberos, outbound } = settings;
  if (mail.smtp_host !== "" && !/@[^\s@]+$/.test(mail.from)) {
    problems.push(`mail.smtp_host needs mail.from, the sender of the mails, not "${mail.from}"`);
  }
  if ((server.tls_certificate_file === "") !== (server.tls_key_file === "")) {
    problems.push("server.tls_certificate_file and server.tls_key_file go together");
  }
  for (const [name, path] of [
    ["tls_certificate_file", server.tls_certificate_file],
    ["tls_key_file", server.tls_key_file],
  ] as const) {
    if (path !== "" && !existsSync(path)) {
      problems.push(`server.${name} names a file that is not there: "${path}"`);
    }
  }
  if (server.base_url !== "" && !/^https?:\/\/[^/?#]+(\/[^?#]*[^/?#])?$/.test(server.base_url)) {
    problems.push(`server.base_url is not an http or https address without a final slash: "${server.base_url}"`);
  }
  for (const host of server.allowed_hosts.filter((one) => !/^([\w.-]+|\[[\da-fA-F:.]+\])$/.test(one))) {
    problems.push(`server.allowed_hosts: a host name has no scheme, port or path, other than "${host}"`);
  }
  if (!/^[\w][\w.-]*$/.test(ssh.user)) {
    problems.push(`ssh.user is not a user name: "${ssh.user}"`);
  }
  if (!/^([\w.-]*|[\da-fA-F:.]+)$/.test(ssh.public_host)) {
    problems.push(`ssh.public_host is neither a host name nor an address: "${ssh.public_host}"`);
  }
  for (const name of settings.issues.reactions.filter((one) => !/^[\w+-]{1,50}$/.test(one))) {
    problems.push(`issues.reactions: a name has 1 to 50 letters, digits, "+", "-" and "_", other than "${name}"`);
  }
  if (settings.issues.reactions.length > mostReactions) {
    problems.push(`issues.reactions has more than ${mostReactions} names`);
  }
  for (const prefix of git.hidden_refs.filter((one) => !/^!?refs\//.test(one))) {
    problems.push(
      `git.hidden_refs: every prefix begins with refs/ (or !refs/), other than "${prefix}", which would hide nothing`,
    );
  }
  if (data.directory !== "" && !isAbsolute(data.directory) && data.directory.startsWith("~")) {
    problems.push(`data.directory is not expanded by a shell: write the whole path instead of "${data.directory}"`);
  }
  if (kerberos.keytab_file !== "" && !existsSync(kerberos.keytab_file)) {
    problems.push(`kerberos.keytab_file names a file that is not there: "${kerberos.keytab_file}"`);
  }
  if ((kerberos.keytab_file === "") !== (kerberos.realm === "")) {
    problems.push("kerberos.keytab_file and kerberos.realm go together");
  }
  for (const [name, networks] of [
    ["server.trusted_proxies", server.trusted_proxies],
    ["outbound.allowed_networks", outbound.allowed_networks],
  ] as const) {
    try {
      void new AddressList(networks);
    } catch (error) {
      problems.push(`${name}: ${messageOf(error)}`);
    }
  }
  if (outbound.proxy !== "" && !(/^https?:\/\//.test(outbound.proxy) && URL.canParse(outbound.proxy))) {
    // It may have a password in it.
    problems.push("outbound.proxy is not an http or https address");
  }
  if (settings.auth.enable_reverse_proxy_authentication_api && server.trusted_proxies.length === 0) {
    problems.push(
      "auth.enable_reverse_proxy_authentication_api needs server.trusted_proxies: without them no header can be believed",
    );
  }
}

function readFirstAdmin(environment: Environment, problems: string[]): Config["firstAdmin"] {
  const { adminUser, adminPassword, adminPasswordFile } = environment;
  if (adminPassword !== undefined && adminPasswordFile !== undefined) {
    problems.push("STITHY_ADMIN_PASSWORD and STITHY_ADMIN_PASSWORD_FILE are both set; one is enough");
  }
  if (adminUser === undefined) {
    if (adminPassword !== undefined || adminPasswordFile !== undefined) {
      problems.push("STITHY_ADMIN_PASSWORD is set but STITHY_ADMIN_USER is not");
    }
    return null;
  }
  if (adminPasswordFile === undefined) {
    return { username: adminUser, password: adminPassword ?? null };
  }
  try {
    return { username: adminUser, password: readFileSync(adminPasswordFile, "utf8").replace(/\r?\n$/, "") };
  } catch (error) {
    problems.push(`STITHY_ADMIN_PASSWORD_FILE cannot be read: ${messageOf(error)}`);
    return null;
  }
}
