interface Batch<Input, Output> {
  inputs: Input[];
  outputs: Promise<readonly Output[]>;
}

/**
 * Answers what is asked for within one turn of the event loop with one call of `load`, as DataLoader does. `load` gets
 * the inputs of a turn, at most `limit` at once, and returns an output for each, in their order. Nothing is kept from
 * one turn to the next: later inputs go into a later call. When `load` fails, everybody who shared it fails.
 */
export function batchByTurn<Input, Output>(
  load: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  limit: number,
): (input: Input) => Promise<Output> {
  let open: Batch<Input, Output> | null = null;

  function begin(): Batch<Input, Output> {
    const inputs: Input[] = [];
    const outputs = new Promise<readonly Output[]>((resolve, reject) => {
      setImmediate(() => {
        open = open?.inputs === inputs ? null : open;
        load(inputs).then(resolve, reject);
      });
    });
    return { inputs, outputs };
  }

  return async (input) => {
    const batch = open === null || open.inputs.length >= limit ? begin() : open;
    open = batch;
    const index = batch.inputs.push(input) - 1;
    return (await batch.outputs)[index] as Output;
  };
}
