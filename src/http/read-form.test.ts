import { expect, test } from "bun:test";
import { readForm } from "./read-form.ts";
import { measureWork } from "../../test/support/process-work.ts";

const type = "multipart/form-data; boundary=b";
const content = "first line\r\n--no boundary\r\n";
const form = [
  '--b\r\ncontent-disposition: form-data; name="before"\r\n\r\none\r\n',
  `--b\r\ncontent-disposition: form-data; name="file"; filename="dir/grün.txt"\r\ncontent-type: text/html\r\n\r\n${content}\r\n`,
  '--b\r\ncontent-disposition: form-data; name="other"; filename="y"\r\n\r\npassed over\r\n',
  '--b\r\ncontent-disposition: form-data; name="after"\r\n\r\ntwo\r\n',
  "--b--\r\n",
].join("");

async function* pieces(...parts: (string | Uint8Array)[]) {
  for (const part of parts) {
    yield typeof part === "string" ? Buffer.from(part) : part;
  }
}

interface Taken extends AsyncDisposable {
  filename: string | undefined;
  text: string;
}

let alive = 0;

/** Reads a form; a file that was taken is held until it is disposed of. */
function read(body: AsyncIterable<Uint8Array>, limit = Infinity) {
  return readForm<Taken>(type, body, "file", async ({ filename, content: chunks }) => {
    let text = "";
    for await (const chunk of chunks) {
      text += Buffer.from(chunk).toString("latin1");
      if (text.length > limit) {
        throw new Error("It is too large");
      }
    }
    alive++;
    return { filename, text, [Symbol.asyncDispose]: async () => void alive-- };
  });
}

test("a form is read the same wherever it is divided, and what comes behind it is passed over", async () => {
  const bytes = Buffer.from(`${form}and an epilogue\r\n--b\r\n`);
  for (let at = 0; at <= bytes.length; at++) {
    const { fields, taken } = await read(pieces(bytes.subarray(0, at), bytes.subarray(at)));
    expect({ at, fields: [...fields], name: taken?.filename, text: taken?.text }).toEqual({
      at,
      fields: [
        ["before", "one"],
        ["after", "two"],
      ],
      name: "grün.txt",
      text: content,
    });
    await taken?.[Symbol.asyncDispose]();
  }
  expect(alive).toBe(0);
});

test("a form that is cut off anywhere is refused, and what was taken is given back", async () => {
  const bytes = Buffer.from(form);
  // The line break behind the end need not be there.
  for (let at = 0; at < bytes.length - 4; at++) {
    const failed = await read(pieces(bytes.subarray(0, at))).then(
      () => null,
      (error: Error) => error.message,
    );
    expect({ at, failed, alive }).toEqual({
      at,
      failed: expect.stringMatching(/^The body cannot be read: /),
      alive: 0,
    });
  }
});

test("what reading the body or taking the file throws is thrown on", async () => {
  async function* dying() {
    yield Buffer.from(form.slice(0, 150));
    throw new Error("The client has left");
  }
  await expect(read(dying())).rejects.toThrow("The client has left");
  await expect(read(pieces(form), 5)).rejects.toThrow("It is too large");
  await expect(readForm("multipart/form-data", pieces(form), "file", async () => nothing)).rejects.toThrow("boundary");
});

const nothing: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

test("a form of a million parts is refused at once, however much of it arrives together", async () => {
  for (const part of ["--b\r\n", '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n']) {
    const workedMs = measureWork();
    const refused = read(pieces(part.repeat(Math.ceil((16 * 1024 * 1024) / part.length))));
    expect(await refused.catch((error: Error) => error.message)).toContain("too many parts");
    expect(workedMs()).toBeLessThan(1000);
  }
});

test.each(['multipart/form-data; charset=utf-8; boundary="b"', "multipart/form-data;Boundary=b ; charset=utf-8"])(
  "the boundary is read out of %s",
  async (given) => {
    const { fields } = await readForm(given, pieces(form), "none", () =>
      Promise.reject(new Error("no file is asked for")),
    );
    expect([...fields.keys()]).toEqual(["before", "after"]);
  },
);
