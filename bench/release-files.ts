import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { currentRss, largestRssDuring } from "./support/process-tree.ts";
import type { StithyServer } from "./support/stithy-server.ts";

const fileBytes = 500e6;
const chunkBytes = 1024 * 1024;

const madeAnswer = Type.Object({ id: Type.Integer() });
const assetAnswer = Type.Object({ browser_download_url: Type.String(), size: Type.Integer() });

/** One transfer of the file. */
export interface TransferFigures {
  label: string;
  ms: number;
  bytesPerSecond: number;
  /** By how much the largest resident set of the server's process was above the one before, in bytes. */
  grownBytes: number;
}

/**
 * Sends a file of 500 MB to a release of root's repository, as a form and as the body itself, and downloads it, once alone
 * and by eight clients at a time. The first transfer of each kind is of 1 MB and not counted. Linux only.
 */
export async function measureReleaseFiles(server: StithyServer, repository: string): Promise<TransferFigures[]> {
  const api = `${server.url}/api/v1/repos/root/${repository}/releases`;
  const headers = { Authorization: `token ${server.token}` };
  const directory = await mkdtemp(join(tmpdir(), "stithy-bench-file-"));
  try {
    const [small, large] = [join(directory, "small"), join(directory, "large")];
    await writeRandom(small, chunkBytes);
    await writeRandom(large, fileBytes);
    const body = JSON.stringify({ tag_name: "bench-files", target_commitish: "HEAD" });
    const json = { ...headers, "Content-Type": "application/json" };
    const { id } = Value.Parse(madeAnswer, await jsonOf(await fetch(api, { method: "POST", headers: json, body })));

    const sendForm = async (path: string) => {
      const form = new FormData();
      form.append("attachment", Bun.file(path), "form.bin");
      return send(fetch(`${api}/${id}/assets`, { method: "POST", headers, body: form }));
    };
    const sendRaw = (path: string) =>
      send(fetch(`${api}/${id}/assets?name=raw.bin`, { method: "POST", headers, body: Bun.file(path).stream() }));

    const smallAddress = await sendForm(small);
    await sendRaw(small);
    await download(smallAddress, chunkBytes);
    let address = "";
    const transfer = async (label: string, bytes: number, work: () => Promise<void>): Promise<TransferFigures> => {
      const before = currentRss(server.pid);
      const started = performance.now();
      const { rss } = await largestRssDuring(server.pid, work);
      const ms = performance.now() - started;
      return { label, ms, bytesPerSecond: (bytes / ms) * 1000, grownBytes: rss - before };
    };
    return [
      await transfer("upload as a form", fileBytes, async () => void (await sendForm(large))),
      await transfer("upload as the body", fileBytes, async () => void (address = await sendRaw(large))),
      await transfer("download", fileBytes, () => download(address, fileBytes)),
      await transfer("8 downloads at once", 8 * fileBytes, async () => {
        await Promise.all(Array.from({ length: 8 }, () => download(address, fileBytes)));
      }),
    ];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeRandom(path: string, bytes: number): Promise<void> {
  const file = await open(path, "wx");
  try {
    const chunk = new Uint8Array(chunkBytes);
    for (let written = 0; written < bytes;) {
      crypto.getRandomValues(chunk.subarray(0, 65_536));
      written += (await file.write(chunk, 0, Math.min(chunkBytes, bytes - written))).bytesWritten;
    }
  } finally {
    await file.close();
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

/** Answers the address of the file that was sent. */
async function send(sending: Promise<Response>): Promise<string> {
  return Value.Parse(assetAnswer, await jsonOf(await sending)).browser_download_url;
}

async function download(address: string, bytes: number): Promise<void> {
  const { body } = await fetch(address);
  let received = 0;
  for await (const chunk of body ?? []) received += chunk.length;
  if (received !== bytes) throw new Error(`${received} bytes came instead of ${bytes}`);
}
