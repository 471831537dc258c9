import { describe, expect, test } from "bun:test";
import { answerBody } from "./answer-body.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) {
    yield bytesOf(text);
  }
}

describe("the body of an answer", () => {
  test("is bytes where there is one chunk, and none where there is none", async () => {
    expect(await answerBody(chunksOf("refs"))).toEqual(bytesOf("refs"));
    expect(await answerBody(chunksOf())).toEqual(new Uint8Array(0));
  });

  test("is a stream of all chunks where there are more", async () => {
    const body = await answerBody(chunksOf("one ", "two ", "three"));
    expect(body).toBeInstanceOf(ReadableStream);
    expect(await new Response(body).text()).toBe("one two three");
  });

  test("does not wait for the second chunk", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<Uint8Array, void> {
      yield bytesOf("first ");
      await released;
      yield bytesOf("second");
    }
    const body = await answerBody(slow());
    expect(body).toBeInstanceOf(ReadableStream);
    release();
    expect(await new Response(body).text()).toBe("first second");
  });

  test("has the first chunk as it was, also when its memory is used for the second", async () => {
    async function* lent(): AsyncGenerator<Uint8Array, void> {
      const memory = new Uint8Array(4);
      yield memory.fill(1);
      yield memory.fill(2);
    }
    expect(await new Response(await answerBody(lent())).bytes()).toEqual(new Uint8Array([1, 1, 1, 1, 2, 2, 2, 2]));
  });

  test("asks for no second chunk before a large first one was taken", async () => {
    let asked = 0;
    async function* large(): AsyncGenerator<Uint8Array, void> {
      for (; asked < 2; asked++) {
        yield new Uint8Array(100_000);
      }
    }
    const body = await answerBody(large());
    expect(asked).toBe(0);
    expect((await new Response(body).bytes()).length).toBe(200_000);
  });

  test("throws what comes before the first chunk, and ends with what comes later", async () => {
    async function* failing(before: string[]): AsyncGenerator<Uint8Array, void> {
      yield* chunksOf(...before);
      throw new Error("It broke");
    }
    await expect(answerBody(failing([]))).rejects.toThrow("It broke");
    expect(await new Response(await answerBody(failing(["begun"]))).text()).toBe("begun");
  });

  test("ends its source when its reader leaves, before and behind the second chunk", async () => {
    for (const reads of [0, 1, 2]) {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      async function* endless(): AsyncGenerator<Uint8Array, void> {
        try {
          for (;;) {
            yield bytesOf("more");
          }
        } finally {
          end();
        }
      }
      const reader = ((await answerBody(endless())) as ReadableStream<Uint8Array>).getReader();
      for (let count = 0; count < reads; count++) {
        await reader.read();
      }
      await reader.cancel();
      await ended;
    }
  });
});
