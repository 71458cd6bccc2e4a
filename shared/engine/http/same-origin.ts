/** Whether the person followed a link on a page of this service. Older browsers send only the `Referer` header. */
export function isFromHere(header: (name: string) => string | undefined, origin: string): boolean {
  const site = header('sec-fetch-site');
  return site === undefined ? (header('referer') ?? '').startsWith(`${origin}/`) : site === 'same-origin';
}
