/**
 * Whether a request failed because its client closed the connection or was silent for too long. That is no fault of the
 * server, and nobody is there to read an answer.
 */
export function hasLeft(request: Request, error: unknown): boolean {
  return (
    (error instanceof Error && error.name === "AbortError") ||
    (request.signal.aborted && error === request.signal.reason)
  );
}
