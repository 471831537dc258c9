import { parseRange } from "./file-response.ts";

/** Whether a request begins a download: it wants the first byte, and has not got the file already. */
export function beginsDownload({ method, headers }: Request, etag: string, size: number): boolean {
  const range = parseRange(headers.get("range"), size);
  const begins = range === null || (range !== "unsatisfiable" && range.start === 0);
  return method === "GET" && begins && headers.get("if-none-match")?.includes(etag) !== true;
}
