/** What an element is called beside its siblings: its id, or the thing that it shows. */
export function nameOf(node: Node): string {
  return node instanceof HTMLElement ? node.id || (node.dataset["item"] ?? "") : "";
}

/** Equal nodes are looked for so far ahead. */
const farthest = 12;

/** A node and its next siblings, at most so many. */
function* siblings(first: ChildNode | null, most = Infinity): Generator<ChildNode> {
  let [node, count] = [first, 0];
  while (node !== null && count++ < most) {
    yield node;
    node = node.nextSibling;
  }
}

/** The node among `at` and its later siblings that `wanted` becomes of; null: it is new. */
function partnerOf(at: ChildNode | null, wanted: Node): ChildNode | null {
  const name = nameOf(wanted);
  const isAlike = (node: ChildNode) => node.nodeName === wanted.nodeName && nameOf(node) === name;
  if (name !== "") {
    return [...siblings(at)].find(isAlike) ?? null;
  }
  return (
    [...siblings(at, farthest)].find((node) => node.isEqualNode(wanted)) ?? (at !== null && isAlike(at) ? at : null)
  );
}

function morphAttributes(from: Element, to: Element): void {
  // What the reader opened stays open, and the row that the keys are at stays marked.
  const isKept = (name: string) => name === "open" || (name === "class" && from.classList.contains("selected"));
  for (const { name, value } of to.attributes) {
    if (!isKept(name) && from.getAttribute(name) !== value) {
      from.setAttribute(name, value);
    }
  }
  for (const name of from.getAttributeNames()) {
    if (!isKept(name) && !to.hasAttribute(name)) {
      from.removeAttribute(name);
    }
  }
}

/**
 * Makes an element equal to another one, with as few changes as possible: what stays keeps the focus, typed text, open menus and folds. Custom
 * elements are replaced, because their contents are their own.
 */
export function morph(from: Node, to: Node): void {
  if (from.isEqualNode(to)) {
    return;
  }
  if (!(from instanceof Element && to instanceof Element)) {
    from.nodeValue = to.nodeValue;
    return;
  }
  if (from.localName.includes("-")) {
    from.replaceWith(document.importNode(to, true));
    return;
  }
  morphAttributes(from, to);
  let at = from.firstChild;
  for (const child of to.childNodes) {
    const partner = partnerOf(at, child);
    if (partner === null) {
      from.insertBefore(document.importNode(child, true), at);
      continue;
    }
    if (partner === at) {
      at = at.nextSibling;
    } else {
      from.insertBefore(partner, at);
    }
    morph(partner, child);
  }
  while (at !== null) {
    const next: ChildNode | null = at.nextSibling;
    at.remove();
    at = next;
  }
}
