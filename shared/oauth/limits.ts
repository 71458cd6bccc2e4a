/** §5.3 Limits of the authorization server. */
export const OAUTH_LIMITS = {
  /** A grant ends after this many days, however often it was renewed. */
  grantDays: 30,
} as const;
