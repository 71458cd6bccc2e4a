/** How much an organization may use. */

export interface UsageLimits {
  /** Requests with credentials of the organization, per calendar month in UTC. */
  readonly requestsPerMonth: number;
  /** Requests of one API key or personal token, or of all access tokens of one member. */
  readonly keyRequestsPerMinute: number;
  /** Bytes of files and caches in the bucket. */
  readonly storedBytes: number;
}

/** The limits of one organization. For limits that are missing, those of the environment apply. */
export type UsageLimitsSetting = Partial<UsageLimits>;

export const UNLIMITED: UsageLimits = {
  requestsPerMonth: Number.POSITIVE_INFINITY,
  keyRequestsPerMinute: Number.POSITIVE_INFINITY,
  storedBytes: Number.POSITIVE_INFINITY,
};

export const resolveUsageLimits = (setting: UsageLimitsSetting | undefined, byDefault: UsageLimits): UsageLimits => ({
  ...byDefault,
  ...setting,
});

/** The default limit of stored bytes is configured in units of 10^9 bytes. */
export const GIGABYTE = 1_000_000_000;

/** Encodes the default limits as the value of an environment variable. */
export const formatUsageLimits = ({ requestsPerMonth, keyRequestsPerMinute, storedBytes }: UsageLimits): string =>
  [requestsPerMonth, keyRequestsPerMinute, storedBytes / GIGABYTE].join(' ');

/** Parses the result of `formatUsageLimits`. If `text` is absent, nothing is limited. */
export function parseUsageLimits(text: string | undefined): UsageLimits {
  if (!text) return UNLIMITED;
  const [requestsPerMonth = 0, keyRequestsPerMinute = 0, gigabytes = 0] = text.split(' ').map(Number);
  if (![requestsPerMonth, keyRequestsPerMinute, gigabytes].every((one) => Number.isSafeInteger(one) && one > 0))
    throw new Error(
      `The default limits "${text}" are invalid. Set three whole numbers above 0: requests per month, requests per key and minute, and stored gigabytes, such as "20000000 30000 1000"`,
    );
  return { requestsPerMonth, keyRequestsPerMinute, storedBytes: gigabytes * GIGABYTE };
}
