/** §5 Limits of credentials and of the authorization server. */
export const ACCESS_LIMITS = {
  /** Minimum interval between two updates of the time when a token was last used. */
  lastUseMilliseconds: 10 * 60 * 1000,
  /** §5.3 Maximum age of an access token, and tolerated clock skew. */
  accessTokenSeconds: 3600,
  clockToleranceSeconds: 60,
  /** Maximum length of an identifier in a claim. It is long because a client id may be a URL. */
  claimCharacters: 1024,
  /** Maximum duration of a request to an external authorization server, and maximum size of its response. */
  issuerMilliseconds: 3000,
  issuerAnswerBytes: 64 * 1024,
  /** How long the public keys of the authorization server are cached, whether it is external or our own. */
  issuerKeysMilliseconds: 10 * 60 * 1000,
  /** Minimum interval between fetches for unknown key ids: new keys are found soon, forged ids cause few fetches. */
  issuerPauseMilliseconds: 5000,
  /** Maximum number of credentials whose owner one Lambda container caches. */
  cachedOwners: 1000,
} as const;
