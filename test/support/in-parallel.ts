/**
 * Does the work for every item, eight at a time: so the server reads what several requests name with one query, and two
 * processors have something to do. Begins nothing more after the first failure, and throws that.
 */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failed = false;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let next = left.next(); next.done !== true && !failed; next = left.next()) {
        try {
          await work(next.value);
        } catch (error) {
          failed = true;
          throw error;
        }
      }
    }),
  );
}
