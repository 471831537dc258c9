import { expect, test } from "bun:test";
import { parseConnectionUrl } from "./connection-options.ts";

test("reads addresses over TCP", () => {
  expect(parseConnectionUrl("postgres://ada:s%20cret@db.example:5433/forge?sslmode=require")).toEqual({
    host: "db.example",
    port: 5433,
    user: "ada",
    password: "s cret",
    database: "forge",
    tls: "on",
  });
  expect(parseConnectionUrl("postgresql://db.example/forge")).toMatchObject({
    host: "db.example",
    port: 5432,
    user: "postgres",
    tls: "off",
  });
  expect(parseConnectionUrl("postgres://u@[::1]/forge?sslmode=verify-full").tls).toBe("verify");
});

test("reads libpq's forms for a socket", () => {
  for (const url of [
    "postgres://u@/forge?host=/run/postgresql",
    "postgres://u@%2Frun%2Fpostgresql/forge",
    "postgresql:///forge?host=/run/postgresql&user=u",
  ]) {
    expect(parseConnectionUrl(url)).toMatchObject({
      host: "/run/postgresql",
      user: "u",
      database: "forge",
      port: 5432,
    });
  }
});

test("says what is missing without showing the password", () => {
  expect(() => parseConnectionUrl("postgres://u:secret@db.example")).toThrow("names no database");
  expect(() => parseConnectionUrl("postgres://u:secret@db.example:99999/forge")).toThrow(/database URL/);
  try {
    parseConnectionUrl("postgres://u:secret@db.example:x/forge");
    expect.unreachable();
  } catch (error) {
    expect(String(error)).not.toContain("secret");
  }
});
