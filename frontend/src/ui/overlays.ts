/** Where menus and popovers are drawn: a landmark at the end of the page, so that a screen reader
 *  can find them by it. It is made when the first one opens. */
export function overlays(): HTMLElement {
  const id = "overlays";
  const found = document.getElementById(id);
  if (found) return found;
  const made = document.createElement("section");
  made.id = id;
  made.setAttribute("aria-label", "Menus");
  document.body.append(made);
  return made;
}
