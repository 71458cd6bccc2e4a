/** §5 Limits of credentials and of the authorization server. */
export const ACCESS_LIMITS = {
  /** The shortest time between two records of a token's last use. */
  lastUseMilliseconds: 10 * 60 * 1000,
  /** §5.3 The longest life of an access token, and the tolerated clock difference. */
  accessTokenSeconds: 3600,
  clockToleranceSeconds: 60,
  /** The longest identifier in a claim. A client id may be a URL. */
  claimCharacters: 1024,
  /** Authorization server: time limit, size limit of answers, and cache time of its keys. */
  issuerMilliseconds: 3000,
  issuerAnswerBytes: 64 * 1024,
  issuerKeysMilliseconds: 10 * 60 * 1000,
  /** The pause between two searches for an unknown key: short enough for new keys, long enough against forged ones. */
  issuerPauseMilliseconds: 5000,
  /** The number of credentials whose owner a container caches. */
  cachedOwners: 1000,
} as const;
