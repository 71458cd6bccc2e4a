import { DAY_SECONDS } from '#shared/engine/durations.ts';

/** Limits of Trusted CI. */
export const TRUSTED_CI_LIMITS = {
  repositoriesPerProject: 50,
  idCharacters: 16,
  /** Names of repositories and environments, and single claims. */
  nameCharacters: 255,
  /** How long a recording credential is valid. */
  credentialSeconds: 3600,
  tokenCharacters: 8192,
  /** A token older than this is refused, whatever expiry it states. */
  tokenSeconds: DAY_SECONDS,
  clockToleranceSeconds: 60,
  /** The documents of an issuer: its configuration and its keys. */
  answerBytes: 64 * 1024,
  /** How long the keys of an issuer are cached, and for how many issuers. */
  keysMilliseconds: 10 * 60 * 1000,
  cachedIssuers: 100,
  /** The least time between two readings for an unknown key, or after a failure: forged tokens cause few requests. */
  pauseMilliseconds: 5000,
  /** The least time between two updates of the time at which a repository was last used. */
  lastUseMilliseconds: 10 * 60 * 1000,
} as const;
