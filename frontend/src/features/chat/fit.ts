/** Makes a text field as high as its text, up to so many lines. */
export function fit(box: HTMLTextAreaElement | null, lines: number): void {
  if (!box) return;
  box.style.height = "auto";
  const style = getComputedStyle(box);
  const pad = (parseFloat(style.paddingTop) || 0) + (parseFloat(style.paddingBottom) || 0);
  const most = lines * (parseFloat(style.lineHeight) || 20) + pad;
  box.style.height = `${Math.min(box.scrollHeight, most)}px`;
  box.style.overflowY = box.scrollHeight > most + 1 ? "auto" : "hidden";
}
