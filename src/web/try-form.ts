import { formMessage, type Refusal } from "./errors.ts";

/** Does what a form asks for. If that is refused, returns what `again` makes of the error: the page of the form. Throws what is a fault of ours. */
export async function tryForm<Done, Shown>(
  act: () => Promise<Done>,
  again: (refused: Refusal, error: unknown) => Shown | Promise<Shown>,
): Promise<Done | Shown> {
  try {
    return await act();
  } catch (error) {
    const refused = formMessage(error);
    if (refused === null) {
      throw error;
    }
    return again(refused, error);
  }
}
