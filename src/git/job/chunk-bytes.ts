/** Largest chunk that goes from a worker to the main thread in one message, bytes. */
export const chunkBytes = 65_536;

/** How far each stream may be ahead of its reader, bytes. Readers that keep up are lent more. */
export const firstWindowBytes = 16 * 1024;
/**
 * How many bytes a stream holds at most with the first window: the window, a piece beyond it, and one in the making.
 */
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
