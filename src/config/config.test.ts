import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, loadConfig } from "./config.ts";
import { readEnvironment } from "./env.ts";

function load(variables: Record<string, string>, toml?: string) {
  const directory = mkdtempSync(join(tmpdir(), "stithy-config-"));
  try {
    const file = join(directory, "stithy.toml");
    writeFileSync(file, toml ?? "");
    return loadConfig(readEnvironment({ HOME: directory, ...variables }), { configurationFile: file });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.problems;
    }
    throw error;
  }
  return [];
}

describe("configuration", () => {
  test("a server that takes any port for HTTP takes any for SSH, unless one is set", () => {
    expect(load({}).ssh.port).toBe(2222);
    expect(load({ STITHY_SERVER__PORT: "0" }).ssh.port).toBe(0);
    expect(load({ STITHY_SERVER__PORT: "0" }, "[ssh]\nport = 2022\n").ssh.port).toBe(2022);
    expect(loadConfig(readEnvironment({}), { ephemeral: true }).ssh.port).toBe(0);
    expect(loadConfig(readEnvironment({}), { ephemeral: true, sshPort: 2023 }).ssh.port).toBe(2023);
  });

  test("defaults need neither a file nor a variable", () => {
    const config = load({});
    expect(config.server.port).toBe(3000);
    expect(config.server.host).toBe("127.0.0.1");
    expect(config.database.url).toBe("");
    expect(config.firstAdmin).toBeNull();
  });

  test("the environment wins over the file, and names are read in any case", () => {
    const config = load(
      {
        STITHY_SERVER__PORT: "8080",
        STITHY_API__CORS_ORIGINS: "https://a.example, https://b.example",
        DATABASE_URL: "postgres://u@/db?host=/run",
      },
      '[SERVER]\nPORT = 9090\nHOST = "0.0.0.0"\n[git]\nWorkers = 2\n',
    );
    expect(config.server).toMatchObject({ port: 8080, host: "0.0.0.0" });
    expect(config.api.cors_origins).toEqual(["https://a.example", "https://b.example"]);
    expect(config.git.workers).toBe(2);
    expect(config.database.url).toBe("postgres://u@/db?host=/run");
  });

  test("reactions are names that can be stored", () => {
    expect(load({ STITHY_ISSUES__REACTIONS: "+1, heart" }).issues.reactions).toEqual(["+1", "heart"]);
    const long = "x".repeat(51);
    expect(problemsOf(() => load({}, `[issues]\nreactions = ["", "a b", "${long}"]\n`))).toEqual(
      ["", "a b", long].map((name) => expect.stringContaining(`other than "${name}"`)) as never,
    );
    const many = Array.from({ length: 101 }, (_, index) => `r${index}`).join(",");
    expect(problemsOf(() => load({ STITHY_ISSUES__REACTIONS: many }))).toEqual([
      "issues.reactions has more than 100 names",
    ]);
  });

  test("a prefix of refs that would hide none of them is refused", () => {
    expect(load({ STITHY_GIT__HIDDEN_REFS: "refs/internal/, !refs/internal/shown" }).git.hidden_refs).toEqual([
      "refs/internal/",
      "!refs/internal/shown",
    ]);
    for (const wrong of ["internal/", '["refs/internal/"]', "/refs/internal"]) {
      expect(problemsOf(() => load({ STITHY_GIT__HIDDEN_REFS: `refs/fine,${wrong}` })).join()).toContain(
        `other than "${wrong}"`,
      );
    }
  });

  test("all problems are told at once, unknown keys among them", () => {
    const problems = problemsOf(() =>
      load(
        { STITHY_SERVER__PORT: "eighty", STITHY_ADMIN_PASSWORD: "x" },
        "[server]\nprot = 1\n[sever]\nport = 2\n[git]\nworkers = 0\n",
      ),
    );
    const all = problems.join("\n");
    for (const part of [
      "server.port",
      "STITHY_ADMIN_USER",
      "server.prot is not a setting; did you mean server.port?",
      "section [sever] is not a setting",
      "git.workers",
    ]) {
      expect(all).toContain(part);
    }
  });

  test("variables that other programs make are ignored, and a near miss is told with what was meant", () => {
    const { server, ignoredVariables } = load({
      STITHY_PORT: "tcp://10.0.0.1:3000",
      STITHY_SERVICE_HOST: "10.0.0.1",
      STITHY_SERVICE_PORT: "3000",
      STITHY_PORT_3000_TCP: "tcp://10.0.0.1:3000",
      STITHY_PORT_3000_TCP_PROTO: "tcp",
      STITHY_SERVER_PORT: "80",
      STITHY_BASE_URL: "http://forge.lan",
      STITHY_ADMIN_USR: "smith",
      STITHY_COLOUR: "red",
    });
    expect(server.port).toBe(3000);
    expect(Object.fromEntries(ignoredVariables.map(({ name, meant }) => [name, meant.join()]))).toEqual({
      STITHY_PORT: "",
      STITHY_SERVICE_HOST: "",
      STITHY_SERVICE_PORT: "",
      STITHY_PORT_3000_TCP: "",
      STITHY_PORT_3000_TCP_PROTO: "",
      STITHY_SERVER_PORT: "STITHY_SERVER__PORT",
      STITHY_BASE_URL: "STITHY_SERVER__BASE_URL",
      STITHY_ADMIN_USR: "STITHY_ADMIN_USER",
      STITHY_COLOUR: "",
    });
  });

  test("an ephemeral server reads a file only if the command names it", () => {
    const directory = mkdtempSync(join(tmpdir(), "stithy-config-"));
    try {
      const file = join(directory, "stithy.toml");
      writeFileSync(file, "[server]\nport = 4000\n");
      const environment = readEnvironment({ HOME: directory, STITHY_CONFIG: file });
      expect(loadConfig(environment).server.port).toBe(4000);
      expect(loadConfig(environment, { ephemeral: true }).server.port).toBe(3000);
      expect(loadConfig(environment, { ephemeral: true, configurationFile: file }).server.port).toBe(4000);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("allowed hosts are names without scheme, port and path", () => {
    expect(load({ STITHY_SERVER__ALLOWED_HOSTS: "forge.lan, [::1]" }).server.allowed_hosts).toHaveLength(2);
    for (const wrong of ["http://forge.lan", "forge.lan:3000", "forge.lan/"]) {
      expect(problemsOf(() => load({ STITHY_SERVER__ALLOWED_HOSTS: wrong })).join()).toContain(`other than "${wrong}"`);
    }
  });

  test("a file that is named but missing is a problem, not a default", () => {
    const problems = problemsOf(() => loadConfig(readEnvironment({ STITHY_CONFIG: "/nowhere/stithy.toml" })));
    expect(problems.join()).toContain("/nowhere/stithy.toml cannot be read");
  });

  test("settings that need each other are checked together", () => {
    const problems = problemsOf(() =>
      load(
        {},
        '[server]\ntls_key_file = "/nowhere.pem"\nbase_url = "forge.example/"\n[auth]\nENABLE_REVERSE_PROXY_AUTHENTICATION_API = true\n',
      ),
    ).join("\n");
    expect(problems).toContain("go together");
    expect(problems).toContain("base_url");
    expect(problems).toContain("trusted_proxies");
  });
});
