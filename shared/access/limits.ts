/** §5 Limits of credentials and of the authorization server. */
export const ACCESS_LIMITS = {
  /** Minimum interval between two updates of the time when a token was last used. */
  lastUseMilliseconds: 10 * 60 * 1000,
  /** §5.3 Maximum age of an access token, and tolerated clock skew. */
  accessTokenSeconds: 3600,
  clockToleranceSeconds: 60,
  /** Maximum length of an identifier in a claim. It is long because a client id may be a URL. */
  claimCharacters: 1024,
  /**
   * Limits for an external authorization server: maximum duration of a request, maximum size of a response, and how
   * long the keys of the server are cached.
   */
  issuerMilliseconds: 3000,
  issuerAnswerBytes: 64 * 1024,
  issuerKeysMilliseconds: 10 * 60 * 1000,
  /**
   * Minimum interval between two fetches caused by an unknown key id. It is short enough that new keys are fetched
   * soon, and long enough that forged key ids cause few fetches.
   */
  issuerPauseMilliseconds: 5000,
  /** Maximum number of credentials whose owner one Lambda container caches. */
  cachedOwners: 1000,
} as const;
