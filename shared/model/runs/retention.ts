/** How long the runs of a project are kept. */

/** In days, or `null` for parts that are kept forever. A new setting applies only to runs that are created later. */
export interface Retention {
  /** Runs with their tests and history. */
  readonly resultsDays: number | null;
  /** Steps, output and trace analyses of failed tests. */
  readonly evidenceDays: number | null;
  /** Traces, screenshots, videos and attachments. */
  readonly filesDays: number | null;
}

/** The retention setting of a project. For values that are missing, the default of the environment applies. */
export type RetentionSetting = Partial<Retention>;

export const FOREVER: Retention = { resultsDays: null, evidenceDays: null, filesDays: null };

/** Projects that were created before retention existed have no setting and keep everything. */
export function resolveRetention(setting: RetentionSetting | undefined, byDefault: Retention): Retention {
  const { resultsDays, evidenceDays, filesDays } = setting ? { ...byDefault, ...setting } : FOREVER;
  return {
    resultsDays,
    evidenceDays: pickShorter(evidenceDays, resultsDays),
    filesDays: pickShorter(filesDays, resultsDays),
  };
}

/** For an environment variable, such as `365 90 90`. The authorizer parses it without a schema library. */
export const formatRetention = ({ resultsDays, evidenceDays, filesDays }: Retention): string =>
  [resultsDays, evidenceDays, filesDays].map((days) => days ?? 'forever').join(' ');

/** Parses the result of `formatRetention`. If `text` is absent, nothing is ever deleted. */
export function parseRetention(text: string | undefined): Retention {
  if (!text) return FOREVER;
  const [resultsDays = null, evidenceDays = null, filesDays = null] = text
    .split(' ')
    .map((days) => (days === 'forever' ? null : Number(days)));
  const all = [resultsDays, evidenceDays, filesDays];
  if (all.some((days) => days !== null && !(Number.isSafeInteger(days) && days > 0)))
    throw new Error(
      `The default retention "${text}" is invalid. Set three values, for results, evidence and files, each a number of days or "forever", such as "365 90 90"`,
    );
  return { resultsDays, evidenceDays, filesDays };
}

/** Evidence and files must not outlive the results that they explain. */
const pickShorter = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
