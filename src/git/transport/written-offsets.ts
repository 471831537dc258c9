/** Where in a new pack objects start, by their position; 0 for one that is not written. */
export interface WrittenOffsets {
  get(position: number): number;
  set(position: number, offset: number): void;
}

/** Sparse for a few objects; else eight bytes for each object of the database. */
export function writtenOffsets(count: number, size: number): WrittenOffsets {
  return count * 8 < size ? sparse() : dense(size);
}

function dense(size: number): WrittenOffsets {
  const offsets = new Float64Array(size);
  return {
    get: (position) => offsets[position]!,
    set: (position, offset) => {
      offsets[position] = offset;
    },
  };
}

function sparse(): WrittenOffsets {
  const offsets = new Map<number, number>();
  return { get: (position) => offsets.get(position) ?? 0, set: (position, offset) => void offsets.set(position, offset) };
}
