/** Largest chunk that goes from a worker to the main thread in one message, bytes. */
export const chunkBytes = 65_536;

/** What every stream may be ahead of its reader, bytes; more is lent to those whose readers keep up. */
export const firstWindowBytes = 16 * 1024;
/** What a stream holds at most while its window is the first one: the window, a piece beyond it, and one that is being made. */
export const firstHeldBytes = 32 * 1024;
const smallestPieceBytes = 8 * 1024;
export const largestPieceBytes = 256 * 1024;

/**
 * How much a stream makes at once when it may be so many bytes ahead of its reader. It makes a piece while it has any
 * credit at all, so it can be ahead by its window and a piece, and holds one more: twice its window.
 */
export function pieceBytes(windowBytes: number): number {
  return Math.min(Math.max(windowBytes >> 1, smallestPieceBytes), largestPieceBytes);
}
