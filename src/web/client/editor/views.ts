/** Shows the preview and the changes in place. Without this, the buttons send the form and the page comes again. */
async function show(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  const panel = button.closest("section");
  const editor = panel?.querySelector<HTMLElement>("code-editor");
  if (panel === null || panel === undefined || editor === null || editor === undefined) {
    return;
  }
  for (const other of panel.querySelectorAll("button[name=show]")) {
    other.toggleAttribute("aria-current", false);
  }
  button.setAttribute("aria-current", "true");
  panel.querySelector("#preview")?.remove();
  if (button.value === "edit") {
    editor.hidden = false;
    return;
  }
  const data = new FormData(form, button);
  try {
    const answer = await fetch(form.action, { method: "POST", body: data });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const preview = page.querySelector("#preview");
    if (!answer.ok || preview === null) {
      form.requestSubmit(button);
      return;
    }
    if (button.getAttribute("aria-current") === "true") {
      editor.hidden = true;
      panel.append(document.adoptNode(preview));
    }
  } catch {
    form.requestSubmit(button);
  }
}

export function startViews(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("form button[name=show]")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      void show(button.form!, button);
    });
  }
}
