/**
 * The step that a listening server waits for before it is ready. A port must be bound before the first administrator is
 * created, so that a start on a taken port creates nobody. Until then the health check fails.
 */
export class Readiness {
  #awaited: string | null = null;

  /** Names what is awaited, as in "the first administrator"; null: the server is ready. */
  get awaited(): string | null {
    return this.#awaited;
  }

  /** The server is not ready until this is disposed of. */
  await(what: string): Disposable {
    this.#awaited = what;
    return { [Symbol.dispose]: () => void (this.#awaited = null) };
  }
}
