import { expect, test } from "bun:test";
import { OpenDirectory, StithyProcess } from "../support/stithy.ts";
import { until } from "../support/until.ts";

test("the log has the client's address behind a trusted proxy, and tells of a failed sign-in without its name", async () => {
  using directory = new OpenDirectory();
  await using server = new StithyProcess(["serve", "--data", directory.join("data"), "--port", "0"], {
    env: {
      STITHY_LOG__LEVEL: "debug",
      STITHY_SERVER__TRUSTED_PROXIES: "127.0.0.1",
      STITHY_ADMIN_USER: "smith",
      STITHY_ADMIN_PASSWORD: "hammer-and-tongs",
    },
  });
  const url = String((await server.logged("Listening"))["url"]);
  const attempt = (name: string, password: string, address: string) =>
    fetch(`${url}/api/v1/user`, {
      headers: { authorization: `Basic ${btoa(`${name}:${password}`)}`, "x-forwarded-for": `203.0.113.9, ${address}` },
    });
  // A password that was typed where the name belongs.
  expect((await attempt("my-own-secret", "x", "198.51.100.7")).status).toBe(401);
  expect((await attempt("smith", "wrong", "198.51.100.8")).status).toBe(401);
  await until("both are logged", () => server.stderr.split(`"msg":"Request"`).length === 3);
  const lines = server.stderr.split("\n").filter((line) => line.startsWith("{"));
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const of = (message: string) => told.filter(({ msg }) => msg === message);
  expect(of("A sign-in failed").map(({ address, user, level }) => ({ address, user, level }))).toEqual([
    { address: "198.51.100.7", user: null, level: "info" },
    { address: "198.51.100.8", user: 1, level: "info" },
  ]);
  expect(of("Request").map(({ address }) => address)).toEqual(["198.51.100.7", "198.51.100.8"]);
  expect(server.stderr).not.toContain("my-own-secret");
});
