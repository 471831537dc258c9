import { expect, test } from "bun:test";
import type { Forge } from "../../domain/spine/forge.ts";
import { JsonWriter } from "../../lib/json/json-writer.ts";
import { presentLate } from "../../lib/json/write-json.ts";
import { nextTurn } from "../../lib/turns.ts";
import { answer } from "./respond.ts";

const large = () => ["x".repeat(2 * 1024 * 1024)];
const bytes = JSON.stringify(large()).length;
const ask = (method: string) => new Request("http://localhost/", { method });

test("what waits to be answered is let go, and found again when it is its turn", async () => {
  const forge = { jsonWriter: new JsonWriter(bytes) } as Forge;
  const found = { first: 0, second: 0 };
  const first = await answer(forge, ask("GET"), () => (found.first++, large()));
  const second = answer(forge, ask("GET"), () => (found.second++, large()));
  await nextTurn();
  expect(found).toEqual({ first: 1, second: 1 });
  expect((await first.text()).length).toBe(bytes);
  expect((await (await second).text()).length).toBe(bytes);
  expect(found).toEqual({ first: 1, second: 2 });
});

test("what changes something is done once", async () => {
  const forge = { jsonWriter: new JsonWriter(bytes) } as Forge;
  let done = 0;
  const first = await answer(forge, ask("GET"), large);
  const second = answer(forge, ask("POST"), () => (done++, large()));
  await first.text();
  expect((await (await second).text()).length).toBe(bytes);
  expect(done).toBe(1);
});

test("a place is given back where the second answer is small, or fails", async () => {
  const forge = { jsonWriter: new JsonWriter(bytes) } as Forge;
  for (const again of [() => ["small"], () => Promise.reject(new Error("gone"))]) {
    const first = await answer(forge, ask("GET"), large);
    let asked = 0;
    const second = answer(forge, ask("GET"), () => (asked++ === 0 ? large() : again())).catch(() => null);
    await first.text();
    await second;
    expect(asked).toBe(2);
  }
  expect((await (await answer(forge, ask("GET"), large)).text()).length).toBe(bytes);
});

test("a short answer waits for no large one, also where its list is presented while it is written", async () => {
  const forge = { jsonWriter: new JsonWriter(bytes) } as Forge;
  const first = await answer(forge, ask("GET"), large);
  let found = 0;
  const short = await answer(forge, ask("GET"), () => (found++, presentLate([1, 2], (row) => ({ row }))));
  expect(await short.json()).toEqual([{ row: 1 }, { row: 2 }]);
  expect(found).toBe(1);
  expect((await first.text()).length).toBe(bytes);
});
