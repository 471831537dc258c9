import { expect, test } from "bun:test";
import { loadConfig } from "../../config/config.ts";
import { readEnvironment } from "../../config/env.ts";
import { isFamilyClient } from "./family-clients.ts";

const { family_clients: initial } = loadConfig(readEnvironment({})).api;
const sentBy = (agent: string | null) =>
  new Request("http://localhost/", agent === null ? {} : { headers: { "user-agent": agent } });

test.each([
  ["Go-http-client/2.0", true],
  ["go-http-client/1.1", true],
  ["RenovateBot/41.1.0 (https://github.com/renovatebot/renovate)", true],
  ["tea/0.9", true],
  ["Terraform/1.9", true],
  ["Go-http-client", false],
  ["curl/8.5.0 Go-http-client/2.0", false],
  ["Mozilla/5.0", false],
  ["", false],
  [null, false],
] as const)("%s", (agent, expected) => {
  expect(isFamilyClient(initial, sentBy(agent))).toBe(expected);
});

test("the setting decides, and an empty entry means nobody", () => {
  expect(isFamilyClient(["mine"], sentBy("Go-http-client/2.0"))).toBe(false);
  expect(isFamilyClient(["mine"], sentBy("Mine/1"))).toBe(true);
  expect(isFamilyClient([], sentBy("Go-http-client/2.0"))).toBe(false);
  expect(isFamilyClient([""], sentBy("curl/8"))).toBe(false);
});
