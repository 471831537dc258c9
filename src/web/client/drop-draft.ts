/** Drops the draft of a text that the server has taken: the page that follows names it. */
export function dropDraft(): void {
  const { sent } = document.body.dataset;
  if (sent !== undefined) {
    localStorage.removeItem(`text:${sent}`);
  }
}
