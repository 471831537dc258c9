import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { ApiClient } from "../support/client.ts";
import { mustGit } from "../support/git.ts";
import { expectFailure, expectSentence } from "../support/failed-command.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { commandLine, OpenDirectory, StithyProcess, runStithy } from "../support/stithy.ts";
import { codeOf } from "../support/totp.ts";
import { until } from "../support/until.ts";

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
const data = ["--data", directory.join("data")];
afterAll(() => directory[Symbol.dispose]());

describe("a server", () => {
  const seedPassword = "a password from a file";
  let server: StithyProcess;
  let url = "";
  let root: ApiClient;
  const basic = (user: string, password: string) =>
    new ApiClient(url, { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` });

  beforeAll(async () => {
    writeFileSync(directory.join("password"), `${seedPassword}\n`);
    const env = {
      STITHY_ADMIN_USER: "first",
      STITHY_ADMIN_PASSWORD_FILE: directory.join("password"),
      STITHY_LOG__LEVEL: "debug",
    };
    server = new StithyProcess(["serve", ...data, "--port", "0"], { env });
    url = String((await server.logged("Listening"))["url"]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("has the first administrator that the environment names", async () => {
    const { status, body } = await basic("first", seedPassword).get("/user");
    expect({ status, body }).toMatchObject({ status: 200, body: { login: "first", is_admin: true } });
  });

  test("keeps secrets out of its log", async () => {
    await basic("first", "wrong-password-in-a-header").get("/user");
    await new ApiClient(url).get("/user?token=secret-in-the-address");
    await until("the log names the requests", () => server.stderr.split('"path":"/api/v1/user"').length > 3);
    for (const secret of [
      seedPassword,
      "wrong-password-in-a-header",
      "secret-in-the-address",
      Buffer.from(`first:${seedPassword}`).toString("base64"),
    ]) {
      expect(server.stderr).not.toContain(secret);
    }
  });

  test("names each request the same in its log and in the answer", async () => {
    const { headers } = await new ApiClient(url).get("/version");
    const id = headers.get("x-request-id") ?? "none";
    const named = () => server.stderr.split("\n").filter((line) => line.includes(id)).length;
    // The log comes through a pipe, later than the answer.
    await until("the log names the request", () => named() > 0);
    expect(named()).toBe(1);
  });

  test("lets administrators work on its users while it runs", async () => {
    const created = await runStithy(["admin", "create-user", "alice", "--admin", "--json", ...data]);
    expect(created.code).toBe(0);
    const { password } = JSON.parse(created.stdout) as { password: string };
    expect((await basic("alice", password).get("/user")).body).toMatchObject({ login: "alice", is_admin: true });

    const reset = await runStithy(["admin", "reset-password", "alice", "--password-stdin", ...data], {
      input: "another password\n",
    });
    expect(reset).toMatchObject({ code: 0, stdout: "" });
    expect((await basic("alice", password).get("/user")).status).toBe(401);
    expect((await basic("alice", "another password").get("/user")).status).toBe(200);

    const token = await runStithy([
      "admin",
      "create-token",
      "alice",
      "--name",
      "laptop",
      "--scopes",
      "write:user,write:repository",
      "--expires",
      "30d",
      ...data,
    ]);
    expect(token.stdout).toMatch(/^sty_[0-9a-f]{40}\n$/);
    root = new ApiClient(url, { authorization: `token ${token.stdout.trim()}` });
    expect((await root.get("/user")).status).toBe(200);
  });

  test("gives a user a key, from a file or standard input, while it runs", async () => {
    const key = (comment: string) => {
      const file = directory.join(`key-${comment}`);
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file]);
      return `${file}.pub`;
    };
    const file = key("laptop");
    expect(await runStithy(["admin", "add-key", "nobody", file, ...data])).toMatchObject({ code: 1, stdout: "" });
    const missing = await runStithy(["admin", "add-key", "first", directory.join("none.pub"), ...data]);
    expectFailure(missing, 1, "none.pub");
    const added = await runStithy(["admin", "add-key", "first", file, ...data]);
    expect(added).toMatchObject({ code: 0, stdout: "" });
    expect(added.stderr).toMatch(/Added the key "laptop" \(SHA256:\S+\) of "first"/);
    expectFailure(await runStithy(["admin", "add-key", "first", file, ...data]), 2, "already");
    const input = readFileSync(key("desk"), "utf8");
    const other = await runStithy(["admin", "add-key", "first", "-", "--title", "the desk", "--json", ...data], {
      input,
    });
    expect(JSON.parse(other.stdout)).toMatchObject({ title: "the desk" });
    const keys = await basic("first", seedPassword).get<{ title: string }[]>("/user/keys");
    expect(keys.body.map(({ title }) => title)).toEqual(["laptop", "the desk"]);
  });

  test("gives a user a second factor while it runs, and takes it away", async () => {
    const { stdout } = await runStithy(["admin", "create-user", "totp", "--json", ...data]);
    const { password } = JSON.parse(stdout) as { password: string };
    const enrolled = await runStithy(["admin", "enroll-2fa", "totp", ...data]);
    expect(enrolled.stdout).toMatch(/^[A-Z2-7]{32}\n$/);
    const [recoveryCode = ""] = /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/m.exec(enrolled.stderr) ?? [];
    expect((await basic("totp", password).get("/user")).status).toBe(401);
    expect(
      (
        await basic("totp", password)
          .with({ "x-gitea-otp": codeOf(enrolled.stdout.trim()) })
          .get("/user")
      ).status,
    ).toBe(200);
    expect((await basic("totp", password).with({ "x-forgejo-otp": recoveryCode }).get("/user")).status).toBe(200);

    const again = await runStithy(["admin", "enroll-2fa", "totp", ...data]);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect((await runStithy(["admin", "disable-2fa", "totp", ...data])).code).toBe(0);
    expect((await basic("totp", password).get("/user")).status).toBe(200);
  });

  test("lists, suspends and deletes users, and vouches for their addresses, while it runs", async () => {
    const { stdout } = await runStithy(["admin", "create-user", "bob", "--json", ...data]);
    const bob = basic("bob", (JSON.parse(stdout) as { password: string }).password);
    await bob.post("/user/repos", { name: "work" });
    await bob.post("/user/emails", { emails: ["bob@second.example"] });
    expect((await runStithy(["admin", "verify-email", "bob", "bob@second.example", ...data])).code).toBe(0);
    expect((await bob.get<{ verified: boolean }[]>("/user/emails")).body.map(({ verified }) => verified)).toEqual([
      true,
      true,
    ]);
    expect((await runStithy(["admin", "suspend-user", "bob", ...data])).code).toBe(0);
    expect((await bob.get("/user")).status).toBe(401);
    expect((await runStithy(["admin", "list-users", ...data])).stdout).toContain("bob\tbob@localhost\tsuspended\n");
    expect((await runStithy(["admin", "suspend-user", "bob", "--undo", ...data])).code).toBe(0);
    expect((await bob.get("/user")).status).toBe(200);
    expect((await runStithy(["admin", "delete-user", "bob", ...data])).stderr).toContain('"bob" owns a repository');
    expect(await runStithy(["admin", "delete-user", "bob", "--purge", ...data])).toEqual({
      code: 0,
      stdout: "",
      stderr: 'Deleted "bob"\n',
    });
    expect((await bob.get("/user")).status).toBe(401);
  });

  test("is not changed by what is refused", async () => {
    const [taken, nobody, scope] = await Promise.all([
      runStithy(["admin", "create-user", "ALICE", ...data]),
      runStithy(["admin", "reset-password", "nobody", ...data]),
      runStithy(["admin", "create-token", "alice", "--name", "x", "--scopes", "everything", ...data]),
    ]);
    expect(taken).toEqual({ code: 1, stdout: "", stderr: 'stithy: The name "ALICE" is taken\n' });
    expect(nobody).toEqual({ code: 1, stdout: "", stderr: 'stithy: There is no user "nobody"\n' });
    expect(scope).toEqual({ code: 2, stdout: "", stderr: 'stithy: "everything" is not a scope\n' });
  });

  test("refuses a second one on its directory or its port", async () => {
    const port = new URL(url).port;
    const [second, samePort] = await Promise.all([
      runStithy(["serve", ...data, "--port", "0"]),
      runStithy(["serve", "--ephemeral", "--port", port]),
    ]);
    expectFailure(second, 3, "Another server uses the data directory");
    expectFailure(samePort, 3, `The port ${port} of 127.0.0.1 is in use`);
    expect((await new ApiClient(url).get("/version")).status).toBe(200);
  });

  test("exports a repository that git opens", async () => {
    expect((await root.post("/user/repos", { name: "project", auto_init: true })).status).toBe(201);
    const work = directory.join("work");
    await mustGit(directory.path, ["clone", "-q", `${url}/alice/project.git`, work]);
    writeFileSync(`${work}/file`, "text\n");
    await mustGit(work, ["add", "file"]);
    await mustGit(work, ["commit", "-q", "-m", "A file"]);
    await mustGit(work, ["tag", "-a", "-m", "One", "v1"]);
    await mustGit(work, [
      "push",
      "-q",
      url.replace("://", `://alice:${encodeURIComponent("another password")}@`) + "/alice/project.git",
      "main",
      "v1",
    ]);

    const target = directory.join("export.git");
    const { code, stdout } = await runStithy(["repo", "export", "Alice/Project", target, "--json", ...data]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ directory: target, refs: 2 });
    expect(await mustGit(target, ["fsck", "--full", "--strict"])).toBe("");
    expect(await mustGit(target, ["show-ref", "-d", "--head"])).toBe(
      await mustGit(work, ["ls-remote", url + "/alice/project.git"]).then((refs) => refs.replaceAll("\t", " ")),
    );
    expect(await mustGit(target, ["symbolic-ref", "HEAD"])).toBe("refs/heads/main");

    const again = await runStithy(["repo", "export", "alice/project", target, ...data]);
    expectFailure(again, 1, "already");
  });

  test("finishes the request that runs when it is told to stop, and ends with 0", async () => {
    const body = JSON.stringify({ name: "late" });
    const { promise: told, resolve: goOn } = Promise.withResolvers<void>();
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(body.slice(0, 5)));
        await told;
        controller.enqueue(Buffer.from(body.slice(5)));
        controller.close();
      },
    });
    const running = root.request("POST", "/user/repos", {
      body: stream,
      headers: { "content-type": "application/json" },
    });
    // An answer to a later request: the server has the first one by then.
    await root.get("/user");
    server.kill("SIGTERM");
    await server.logged("Stopping: running requests may finish");
    goOn();
    expect((await running).status).toBe(201);
    expect(await server.ended()).toBe(0);
    expect(server.stdout).toBe("");
    expectSentence(server.stderr);
  });
});

describe("after the server", () => {
  test("administrators go on without it", async () => {
    const created = await runStithy(["admin", "create-user", "bob", "--password", "long enough", ...data]);
    expect(created).toMatchObject({ code: 0, stdout: "" });
    expect(await runStithy(["migrate", "--json", ...data])).toMatchObject({ code: 0, stdout: '{"migrated":[]}\n' });
  });

  test("a reader that ends early, such as head, is no fault", async () => {
    // The reader has ended before the command begins, so that each line meets a closed pipe.
    const line = `exec 3>&1; { sleep 0.2; "$@" 2>&3; echo "code $?" >&3; } | true`;
    const child = Bun.spawn(["sh", "-c", line, "sh", ...commandLine, "admin", "list-users", ...data], {
      stdout: "pipe",
    });
    const said = await child.stdout.text();
    expectSentence(said);
    expect(said).not.toContain("EPIPE");
    expect(said).toMatch(/code 0\n$/);
  });

  test("doctor finds nothing, then a damaged pack and a missing one", async () => {
    const well = await runStithy(["doctor", "--json", "--recount", ...data]);
    expect(well.code).toBe(0);
    expect(JSON.parse(well.stdout)).toMatchObject({
      ok: true,
      checks: [
        "configuration",
        "data directory",
        "database",
        "installation",
        "migrations",
        "sealing key",
        "packs",
        "blobs",
        "jobs",
        "usage",
      ].map((check) => ({
        check,
        ok: true,
      })),
    });

    const packs = directory.join("data", "packs");
    const files = readdirSync(packs, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".pack"))
      .map((name) => `${packs}/${name}`);
    const [damaged = "", short = ""] = files;
    const bytes = readFileSync(damaged);
    bytes[15] = (bytes[15] ?? 0) ^ 1;
    writeFileSync(damaged, bytes);
    truncateSync(short, 20);
    const ill = await runStithy(["doctor", ...data]);
    expect(ill.code).toBe(1);
    expect(ill.stdout).toContain("2 of ");
    expect(ill.stdout).toContain(`"${damaged}" is damaged`);
    expect(ill.stdout).toContain(`"${short}" has 20 bytes instead of`);
    const quick = await runStithy(["doctor", "--no-checksums", "--json", ...data]);
    const { ok, checks } = JSON.parse(quick.stdout) as { ok: boolean; checks: { problems: string[] }[] };
    expect(ok).toBe(false);
    expect(checks.flatMap((check) => check.problems)).toEqual([
      expect.stringMatching(/^The pack ".+" has 20 bytes instead of \d+; it belongs to alice\/[a-z]+$/),
    ]);
  });

  test("without its sealing key, the server does not start and makes none; doctor names the file", async () => {
    const path = directory.join("data", "sealing.key");
    const key = readFileSync(path);
    unlinkSync(path);
    const refused = await runStithy(["serve", "--port", "0", ...data]);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`The sealing key ${path} is not there`);
    expect((await runStithy(["admin", "enroll-2fa", "bob", ...data])).code).toBe(2);
    const doctor = await runStithy(["doctor", "--no-checksums", ...data]);
    expect(doctor.stdout).toContain(`WRONG  sealing key    The sealing key ${path} is not there`);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, key, { mode: 0o644 });
    expect((await runStithy(["doctor", "--no-checksums", ...data])).stdout).toContain("give it mode 600");
    chmodSync(path, 0o600);
    const whole = await runStithy(["doctor", "--no-checksums", ...data]);
    expect(whole.stdout).toContain(`ok     sealing key    ${path}`);
  });

  test("jobs are listed with their state and their last error, and how long the oldest waits", async () => {
    const listed = await runStithy(["admin", "jobs", "--json", ...data]);
    expect(listed.code).toBe(0);
    for (const line of listed.stdout.split("\n").filter(Boolean)) {
      expect(JSON.parse(line)).toMatchObject({
        id: expect.any(Number),
        state: expect.stringMatching(/^(scheduled|waiting|running)$/),
      });
    }
    expect(listed.stderr).toMatch(/\d+ wait, the oldest for \d+ seconds; 0 run; 0 failed for good/);
    expect((await runStithy(["admin", "jobs", "--state", "dead", ...data])).stdout).toBe("");
    expect((await runStithy(["admin", "jobs", "--state", "lost", ...data])).code).toBe(2);
  });

  test("doctor makes nothing where nothing is", async () => {
    mkdirSync(directory.join("empty"));
    const { code, stdout } = await runStithy(["doctor", "--data", directory.join("empty")]);
    expect(stdout).toContain("has no database yet");
    expect(code).toBe(1);
    expect(readdirSync(directory.join("empty"))).toEqual([]);
  });
});
