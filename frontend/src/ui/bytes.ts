/** "812 bytes", "6.1 KB", "2.0 MB". */
export function bytes(count: number): string {
  if (count < 1024) return `${count} ${count === 1 ? "byte" : "bytes"}`;
  return count < 1024 * 1024 ? `${(count / 1024).toFixed(1)} KB` : `${(count / 1024 / 1024).toFixed(1)} MB`;
}
