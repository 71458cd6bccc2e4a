/**
 * The number of characters at the start or end of a secret that count as a leak. Common prefixes such as `eyJ` are
 * shorter.
 */
const PART = 12;

export function leaks(page: string, secret: string): boolean {
  const part = Math.min(PART, secret.length - 1);
  return page.includes(secret.slice(0, part)) || page.includes(secret.slice(-part));
}
