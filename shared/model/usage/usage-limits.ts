/** How much an organization may use. */

export interface UsageLimits {
  /** Requests with credentials of the organization, per calendar month in UTC. */
  readonly requestsPerMonth: number;
  /** Requests of one API key or personal token, or of all access tokens of one member. */
  readonly keyRequestsPerMinute: number;
  /** Bytes of files and caches in the bucket. */
  readonly storedBytes: number;
}

/**
 * The lowest limits that an operator may set. Requests of a key are counted in samples of 32 in windows of half a minute,
 * so a limit of 60 would refuse the eighth request of an agent.
 */
export const LEAST_LIMITS: UsageLimits = { requestsPerMonth: 1, keyRequestsPerMinute: 300, storedBytes: 1 };

/** The limits of the environment. */
export interface DefaultLimits extends UsageLimits {
  /** Those that the operator chose for this deployment. They also refuse the only organization. */
  readonly chosen?: readonly ChoosableLimit[];
}

/** The limits that only warn the only organization of a deployment, unless the operator chose them. */
const CHOOSABLE = ['requestsPerMonth', 'storedBytes'] as const;
export type ChoosableLimit = (typeof CHOOSABLE)[number];

/** The limits of one organization. For limits that are missing, those of the environment apply. */
export type UsageLimitsSetting = Partial<UsageLimits>;

export const UNLIMITED: UsageLimits = {
  requestsPerMonth: Number.POSITIVE_INFINITY,
  keyRequestsPerMinute: Number.POSITIVE_INFINITY,
  storedBytes: Number.POSITIVE_INFINITY,
};

interface LimitedOrganization {
  readonly limits?: UsageLimitsSetting;
  readonly isOnly?: true;
}

/** The limits of which 80 % are a reason to warn. */
export const resolveUsageLimits = (
  { limits }: Pick<LimitedOrganization, 'limits'>,
  { requestsPerMonth, keyRequestsPerMinute, storedBytes }: UsageLimits,
): UsageLimits => ({ requestsPerMonth, keyRequestsPerMinute, storedBytes, ...limits });

/**
 * The limits above which something is refused. They protect organizations from each other, and the operator from bills
 * of others. So the defaults of a month and of the storage refuse nothing to the only organization of a deployment.
 */
export function resolveRefusals(organization: LimitedOrganization, byDefault: DefaultLimits): UsageLimits {
  const limits = resolveUsageLimits(organization, byDefault);
  if (!organization.isOnly) return limits;
  const { chosen = [] } = byDefault;
  const lenient = CHOOSABLE.filter((name) => organization.limits?.[name] === undefined && !chosen.includes(name));
  return { ...limits, ...Object.fromEntries(lenient.map((name) => [name, Number.POSITIVE_INFINITY])) };
}

/** The default limit of stored bytes is configured in units of 10^9 bytes. */
export const GIGABYTE = 1_000_000_000;

/** Encodes the default limits as the value of an environment variable: three numbers, then the names of chosen ones. */
export const formatUsageLimits = ({
  requestsPerMonth,
  keyRequestsPerMinute,
  storedBytes,
  chosen = [],
}: DefaultLimits): string => [requestsPerMonth, keyRequestsPerMinute, storedBytes / GIGABYTE, ...chosen].join(' ');

/** Parses the result of `formatUsageLimits`. If `text` is absent, nothing is limited. */
export function parseUsageLimits(text: string | undefined): DefaultLimits {
  if (!text) return UNLIMITED;
  const words = text.split(' ');
  const [requestsPerMonth = 0, keyRequestsPerMinute = 0, gigabytes = 0] = words.slice(0, 3).map(Number);
  if (![requestsPerMonth, keyRequestsPerMinute, gigabytes].every((one) => Number.isSafeInteger(one) && one > 0))
    throw new Error(
      `The default limits "${text}" are invalid. Set three whole numbers above 0: requests per month, requests per key and minute, and stored gigabytes, such as "20000000 60000 1000"`,
    );
  const chosen = CHOOSABLE.filter((name) => words.includes(name, 3));
  return { requestsPerMonth, keyRequestsPerMinute, storedBytes: gigabytes * GIGABYTE, chosen };
}
