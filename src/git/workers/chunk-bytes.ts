/** Largest chunk that goes from a worker to the main thread in one message, bytes. */
export const chunkBytes = 65_536;
