/** Everything that is read from the environment. No other file looks at it. */
export interface Environment {
  /** STITHY_SECTION__KEY, as [section, key, value], lower-cased. */
  settings: { section: string; key: string; value: string; name: string }[];
  configurationFile: string | undefined;
  databaseUrl: string | undefined;
  adminUser: string | undefined;
  adminPassword: string | undefined;
  adminPasswordFile: string | undefined;
  cacheDirectory: string | undefined;
  dataHome: string | undefined;
  home: string | undefined;
  /**
   * Variables that begin with STITHY_ and are no settings. They are ignored, because other programs make such names, too:
   * Kubernetes does for a service named "stithy".
   */
  ignored: { name: string; value: string }[];
}

/** Settings that stand alone, without a section. */
export const plainNames: ReadonlySet<string> = new Set([
  "STITHY_CONFIG",
  "STITHY_ADMIN_USER",
  "STITHY_ADMIN_PASSWORD",
  "STITHY_ADMIN_PASSWORD_FILE",
  "STITHY_HISTORIES",
]);

/**
 * Takes the proxies out of the environment. Bun's `fetch` would use them by itself, also for the server's calls to itself;
 * the setting `outbound.proxy` says which proxy the server uses.
 */
export function removeProxyVariables(): void {
  for (const name of ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"]) {
    delete process.env[name];
  }
}

export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  const settings: Environment["settings"] = [];
  const ignored: Environment["ignored"] = [];
  for (const [name, value] of Object.entries(variables)) {
    if (!name.startsWith("STITHY_") || plainNames.has(name) || value === undefined) {
      continue;
    }
    const [section, key, ...rest] = name.slice("STITHY_".length).toLowerCase().split("__");
    if (section && key && rest.length === 0) {
      settings.push({ section, key, value, name });
    } else {
      ignored.push({ name, value });
    }
  }
  const present = (name: string) => variables[name] || undefined;
  return {
    settings,
    configurationFile: present("STITHY_CONFIG"),
    databaseUrl: present("DATABASE_URL"),
    adminUser: present("STITHY_ADMIN_USER"),
    adminPassword: present("STITHY_ADMIN_PASSWORD"),
    adminPasswordFile: present("STITHY_ADMIN_PASSWORD_FILE"),
    cacheDirectory: present("XDG_CACHE_HOME"),
    dataHome: present("XDG_DATA_HOME"),
    home: present("HOME"),
    ignored,
  };
}
