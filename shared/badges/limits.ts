/** Limits of badges. */
export const BADGE_LIMITS = {
  badgesPerProject: 20,
  idCharacters: 32,
  labelCharacters: 32,
  /** How long browsers and image proxies may cache a badge. */
  cacheSeconds: 60,
} as const;
