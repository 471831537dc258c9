import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { ApiClient } from "../support/client.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, StithyProcess, commandLine, runStithy, typedProgram } from "../support/stithy.ts";
import { until } from "../support/until.ts";

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
afterAll(() => directory[Symbol.dispose]());

const messagesOf = (server: StithyProcess) =>
  server.stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a first start whose port is taken leaves nothing behind", async () => {
  using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const data = directory.join("taken");
  for (const ports of [
    ["--port", String(taken.port), "--ssh-port", "0"],
    ["--port", "0", "--ssh-port", String(taken.port)],
  ]) {
    const { code, stdout, stderr } = await runStithy(["serve", "--data", data, ...ports]);
    expect(stderr).toContain(`The port ${taken.port} of 127.0.0.1 is in use`);
    expect({ code, stdout, made: existsSync(data) }).toEqual({ code: 3, stdout: "", made: false });
  }
});

test("without a terminal a made-up password goes into a file for the server's user, and not into the log", async () => {
  const data = directory.join("fresh");
  const file = `${data}/first-password`;
  await using server = new StithyProcess(["serve", "--data", data, "--port", "0"]);
  const { url } = await server.logged("Listening");
  const password = readFileSync(file, "utf8").trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(server.stderr).toContain(file);
  expect(server.stderr + server.stdout).not.toContain(password);
  const authorization = `Basic ${Buffer.from(`root:${password}`).toString("base64")}`;
  const { body } = await new ApiClient(String(url), { authorization }).get("/user");
  expect(body).toMatchObject({ login: "root", is_admin: true });
  expect(messagesOf(server).filter(({ msg }) => msg === "Migrated the database")).toHaveLength(1);
  expect(await server.stop("SIGINT")).toBe(0);

  // What stands in the environment of a server with users is told, and changes nothing.
  const env = { STITHY_ADMIN_USER: "smith", STITHY_ADMIN_PASSWORD: "hammer-and-tongs", STITHY_SSH_PORT: "22" };
  await using second = new StithyProcess(["serve", "--data", data, "--port", "0"], { env });
  await second.logged("Listening");
  const warnings = messagesOf(second).filter(({ level }) => level === "warn");
  expect(warnings.map(({ msg }) => String(msg).replace(/(?<=").*(?= admin create-user)/, "stithy"))).toEqual([
    "Ignored STITHY_SSH_PORT, which is no setting; did you mean STITHY_SSH__PORT?",
    `STITHY_ADMIN_USER is not used, because this server has users already: "stithy admin create-user smith --admin --data ${data}" makes this one`,
  ]);
  expect(await second.stop("SIGINT")).toBe(0);
});

/** Runs `serve` in a pseudo-terminal, because what it says there differs. */
test.if(Bun.which("script") !== null)(
  "at a terminal the password comes last, with the command that sets another one",
  async () => {
    const data = directory.join("terminal");
    const child = Bun.spawn(["script", "-qec", `${commandLine.join(" ")} serve --data ${data} --port 0`, "/dev/null"], {
      cwd: tmpdir(),
      env: { ...process.env, TERM: "dumb", STITHY_SERVER__HOST: "0.0.0.0" },
      stdin: "ignore",
      stdout: "pipe",
    });
    let said = "";
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const piece of child.stdout) {
        said += decoder.decode(piece, { stream: true });
      }
    })();
    try {
      await until("the password is shown", () => said.includes("sets another one"));
      const plain = Bun.stripANSI(said).replaceAll("\r", "");
      expect(plain).toContain("server.base_url is not set");
      const end = plain.slice(plain.indexOf("Stithy 0"));
      expect(end).toMatch(
        /^Stithy [\d.]+ is ready at http:\/\/127\.0\.0\.1:\d+ and port \d+ of every address of this machine; SSH: ssh:\/\/\S+\n\nThe first administrator, shown only now:\n\n {4}user name {2}root\n {4}password {3}\S+\n\n"[^"]+" sets another one\.\n\s*$/,
      );
      expect(end).toContain(`"${typedProgram()} admin reset-password root --data ${data}" sets another one.`);
      expect(existsSync(`${data}/first-password`)).toBe(false);
    } finally {
      child.kill("SIGTERM");
      await Promise.all([child.exited, reading]);
    }
  },
);
