import { expect, test } from "bun:test";
import { loadConfig } from "../../config/config.ts";
import { readEnvironment } from "../../config/env.ts";
import { followsSpecification } from "./specification-clients.ts";

const { specification_clients: initial } = loadConfig(readEnvironment({})).api;
const sentBy = (agent: string | null) =>
  new Request("http://localhost/", agent === null ? {} : { headers: { "user-agent": agent } });

test.each([
  "curl/8.5.0",
  "CURL/8.5.0",
  "curl/8.5.0 Go-http-client/2.0",
  "Wget/1.24.5",
  "Bun/1.4.5",
  "node",
  "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
  "undici",
  "axios/1.13.2",
  "python-requests/2.32.5",
  "python-httpx/0.28.1",
  "Python-urllib/3.13",
  "HTTPie/3.2.4",
  "PostmanRuntime/7.49.0",
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "",
  " ",
  null,
])("%p follows the specification", (agent) => {
  expect(followsSpecification(initial, sentBy(agent))).toBe(true);
});

test.each([
  "Go-http-client/2.0",
  "Renovate/44.2.1 (https://github.com/renovatebot/renovate)",
  "RenovateBot/41.1.0 (https://github.com/renovatebot/renovate)",
  "Java/17.0.9",
  "Java-http-client/21.0.1",
  "gitea-js/1.23",
  "go-gitea/1.26",
  "tea/0.9",
  "Terraform/1.9",
  "okhttp/4.12.0",
  "curl",
  "a curl/8.5.0",
])("%p is answered as Gitea and Forgejo do", (agent) => {
  expect(followsSpecification(initial, sentBy(agent))).toBe(false);
});

test("the setting decides, and an empty entry means nobody", () => {
  expect(followsSpecification(["mine"], sentBy("curl/8"))).toBe(false);
  expect(followsSpecification(["mine"], sentBy("Mine/1"))).toBe(true);
  expect(followsSpecification([], sentBy("curl/8"))).toBe(false);
  expect(followsSpecification([""], sentBy("tea/0.9"))).toBe(false);
  expect(followsSpecification([], sentBy(null))).toBe(true);
});
