/**
 * Derives a short browser name from a `User-Agent` header, in which a browser also names the browsers that it imitates.
 */

/** The first match wins: the header of Edge also contains "Chrome", and that of Chrome also contains "Safari". */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

/** The first match wins: the header of Android also contains "Linux", and that of an iPhone also "Mac OS X". */
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns the header itself if it contains no known browser, and `unknown browser` if it is empty. */
export function deriveBrowserName(description: string): string {
  const find = (names: typeof BROWSERS | typeof SYSTEMS) => names.find(([part]) => description.includes(part))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser === undefined) return description || 'unknown browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
