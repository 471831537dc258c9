/** Path of the server below its host, without a final slash. */
export const root = document.body.dataset["root"] ?? "";
