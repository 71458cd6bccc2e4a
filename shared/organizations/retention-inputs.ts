/** Validates the retention of a project. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { FOREVER, type RetentionSetting } from '#shared/model/runs/retention.ts';

export const RETENTION_NAMES = { resultsDays: 'results', evidenceDays: 'evidence', filesDays: 'files' } as const;
export const RETENTIONS = ['resultsDays', 'evidenceDays', 'filesDays'] as const;

/** In days. `null`: forever. `default`: the default of the environment. `undefined`: no change. */
export type RetentionChange = { readonly [Name in keyof RetentionSetting]?: number | null | 'default' | undefined };

export function applyRetentionChange(setting: RetentionSetting | undefined, change: RetentionChange): RetentionSetting {
  // A project without a retention setting keeps everything. Once its results get a limit, the defaults apply to
  // evidence and files unless they are set too.
  const before = setting ?? (typeof change.resultsDays === 'number' ? {} : FOREVER);
  const members = RETENTIONS.flatMap((name) => {
    const days = change[name] === undefined ? before[name] : change[name];
    return days === undefined || days === 'default' ? [] : [[name, days]];
  });
  const newSetting: RetentionSetting = Object.fromEntries(members);
  for (const name of RETENTIONS) refuseOutOfRange(name, newSetting[name]);
  for (const name of ['evidenceDays', 'filesDays'] as const)
    refuseLonger(name, newSetting[name], newSetting.resultsDays);
  return newSetting;
}

export const describeRetentionChange = (from: RetentionSetting | undefined, to: RetentionSetting | undefined): string =>
  RETENTIONS.filter((name) => resolveSetting(from)[name] !== resolveSetting(to)[name])
    .map((name) => `${name}: ${formatRetentionDays(from, name)} to ${formatRetentionDays(to, name)}`)
    .join('; ');

/** A retention setting as text: a number of days such as `30`, or `forever` or `default`. */
export function formatRetentionDays(setting: RetentionSetting | undefined, name: keyof RetentionSetting): string {
  const days = resolveSetting(setting)[name];
  return days === null ? 'forever' : String(days ?? 'default');
}

/** A retention setting as a form value. Empty for the default. */
export const formatDaysEntry = (setting: RetentionSetting | undefined, name: keyof RetentionSetting): string => {
  const text = formatRetentionDays(setting, name);
  return text === 'default' ? '' : text;
};

/** Converts the form values to a change to the retention. An `undefined` value leaves its setting unchanged. */
export const parseRetentionChange = (
  entries: Readonly<Record<keyof RetentionSetting, string | undefined>>,
): RetentionChange | undefined => {
  const days = RETENTIONS.flatMap((name) => {
    const text = entries[name];
    return text === undefined ? [] : [[name, parseDays(text.toLowerCase())] as const];
  });
  return days.length === 0 ? undefined : Object.fromEntries(days);
};

/** Reads a form value as days. Text that is not a number becomes NaN, which the range check refuses. */
function parseDays(text: string): number | null | 'default' {
  if (text === '') return 'default';
  return text === 'forever' ? null : Number(text);
}

/** A project that was created before the retention setting existed keeps everything. */
const resolveSetting = (setting: RetentionSetting | undefined): RetentionSetting => setting ?? FOREVER;

function refuseOutOfRange(name: keyof RetentionSetting, days: number | null | undefined): void {
  const { minimum, maximum } = MODEL_LIMITS.retentionDays;
  if (days == null || (Number.isInteger(days) && days >= minimum && days <= maximum)) return;
  const what = RETENTION_NAMES[name];
  throw invalidRequest(
    `The retention of ${what} must be ${minimum} to ${maximum} whole days, unless it is forever or the default`,
    [name],
  );
}

/** Not checked if results use the default: the retention of evidence and files is then cut to that of results. */
function refuseLonger(
  name: keyof RetentionSetting,
  days: number | null | undefined,
  resultsDays: number | null | undefined,
): void {
  if (days === undefined || resultsDays == null || (days !== null && days <= resultsDays)) return;
  throw invalidRequest(
    `The retention of ${RETENTION_NAMES[name]} must not be longer than that of results (in days: ${resultsDays})`,
    [name],
  );
}
