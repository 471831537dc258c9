import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { BesideServer, expectUndisturbed } from "./beside.ts";

/** Long texts that name much, which are searched for references and mentions. */

setDefaultTimeout(120_000);

let server: BesideServer;
beforeAll(async () => {
  server = await BesideServer.start();
  await server.api.post("/user/repos", { name: "busy", auto_init: true });
  await server.api.post("/repos/root/busy/issues", { title: "First" });
  await server.api.post("/repos/root/busy/issues", { title: "Second" });
});
afterAll(() => server[Symbol.asyncDispose]());

const characters = 900_000;
const repeated = (text: string) => text.repeat(Math.floor(characters / text.length));

test.each([
  ["one number", repeated("#1 ")],
  ["one number, each in a line of its own", repeated("#1\n")],
  ["one name", repeated("@quiet ")],
  ["blocks of code", repeated("```\n#1\n```\n")],
  ["words that close", repeated("closes root/busy#1 ")],
])("eight comments that name %s again and again", async (_, body) => {
  const comment = async () => {
    const { status } = await server.api.post("/repos/root/busy/issues/2/comments", { body });
    expect(status).toBe(201);
  };
  const seen = await server.during(async () => void (await Promise.all(Array.from({ length: 8 }, comment))));
  console.log(JSON.stringify({ waits: seen.waits, memory: Math.round(seen.memory / 1024 / 1024) }));
  expectUndisturbed(seen);
});
