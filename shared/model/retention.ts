/** How long the runs of a project are kept. */
import * as z from 'zod';
import { MODEL_LIMITS } from './limits.ts';

const { minimum, maximum } = MODEL_LIMITS.retentionDays;
const days = (what: string) =>
  z
    .int()
    .min(minimum)
    .max(maximum)
    .nullable()
    .meta({ description: `Days that ${what} are kept; null means forever` });

export const Retention = z
  .object({
    resultsDays: days('runs with their tests and history'),
    evidenceDays: days('steps, output and trace analyses of failed tests'),
    filesDays: days('traces, screenshots, videos and attachments'),
  })
  .meta({ id: 'Retention', description: 'The retention of runs that are created from now on' });
export type Retention = z.infer<typeof Retention>;

/** The setting of a project. A missing member follows the default of the environment. */
export type RetentionSetting = { readonly [Name in keyof Retention]?: Retention[Name] };

export const FOREVER: Retention = { resultsDays: null, evidenceDays: null, filesDays: null };

/** Projects that are older than retention keep everything. */
export function retentionOf(setting: RetentionSetting | undefined, byDefault: Retention): Retention {
  const { resultsDays, evidenceDays, filesDays } = setting ? { ...byDefault, ...setting } : FOREVER;
  return {
    resultsDays,
    evidenceDays: shorter(evidenceDays, resultsDays),
    filesDays: shorter(filesDays, resultsDays),
  };
}

/** Evidence and files explain results, so they never outlive them. */
const shorter = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
