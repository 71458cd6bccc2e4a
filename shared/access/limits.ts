/** §5 Limits of credentials and of the authorization server. */
export const ACCESS_LIMITS = {
  /** Minimum interval between two updates of a token's last use. */
  lastUseMilliseconds: 10 * 60 * 1000,
  /** §5.3 Maximum age of an access token, and tolerated clock skew. */
  accessTokenSeconds: 3600,
  clockToleranceSeconds: 60,
  /** Maximum length of an identifier in a claim. A client id may be a URL. */
  claimCharacters: 1024,
  /** External authorization server: time limit and size limit of a response, and cache time of its keys. */
  issuerMilliseconds: 3000,
  issuerAnswerBytes: 64 * 1024,
  issuerKeysMilliseconds: 10 * 60 * 1000,
  /**
   * Minimum interval between two fetches caused by an unknown key id. It is short enough to learn new keys soon, and
   * long enough that forged key ids cause few fetches.
   */
  issuerPauseMilliseconds: 5000,
  /** Maximum number of credentials whose owner one Lambda container caches. */
  cachedOwners: 1000,
} as const;
