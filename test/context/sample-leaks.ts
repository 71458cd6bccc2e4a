/** Whether a page shows a part of a secret. Beginnings of secrets such as `eyJ` are no secret. */
const PART = 12;

export function leaks(page: string, secret: string): boolean {
  const part = Math.min(PART, secret.length - 1);
  return page.includes(secret.slice(0, part)) || page.includes(secret.slice(-part));
}
